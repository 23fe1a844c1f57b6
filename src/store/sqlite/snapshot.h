// One state of the database for as long as it lives. Whatever its owner is left by, the connection is free for the next one.
#pragma once

#include "store/sqlite/db.h"

namespace muster::store::sqlite {

class Snapshot {
 public:
  explicit Snapshot(Connection& db) : db_(db) {
    if (Status begun = db_.exec("BEGIN"); !begun.ok()) db_.set_fault(std::move(begun));
  }
  ~Snapshot() {
    db_.clear_fault();
    if (db_.in_transaction()) (void)db_.exec("ROLLBACK").ok();  // nothing was written
  }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

 private:
  Connection& db_;
};

}  // namespace muster::store::sqlite
