// One state of the database for as long as it lives. Whatever its owner is left by, the connection is free for the next one. The
// writer's own connection, with which a store without threads also reads, is in a transaction already: that is one state too.
#pragma once

#include "store/sqlite/db.h"

namespace muster::store::sqlite {

class Snapshot {
 public:
  explicit Snapshot(Connection& db) : db_(db), own_(!db.in_transaction()) {
    if (!own_) return;
    if (Status begun = db_.exec("BEGIN"); !begun.ok()) db_.set_fault(std::move(begun));
  }
  ~Snapshot() {
    db_.clear_fault();
    if (own_ && db_.in_transaction()) (void)db_.exec("ROLLBACK").ok();  // nothing was written
  }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

 private:
  Connection& db_;
  const bool own_;
};

}  // namespace muster::store::sqlite
