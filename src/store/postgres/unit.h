// One verb that is a transaction of its own, on its way: queued by any thread, run on a connection, answered once.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/reply.h"
#include "store/postgres/tx.h"

namespace muster::store::postgres {

class Unit {
 public:
  virtual ~Unit() = default;
  // May be called again after trouble that passes; each time with a transaction that has just begun.
  virtual void run(Tx& tx) = 0;
  virtual void deliver() = 0;
  virtual void refuse(const Status& status) = 0;
  // The server refused one row's data, or run() threw. True: the unit stood for several callers and has seen to it that each is
  // tried by itself.
  virtual bool take_apart() { return false; }
  // How many callers it stands for.
  virtual std::size_t callers() const { return 1; }

  Ticks queued_at{};
  int tries = 0;
};

template <class T, class Body>
class UnitOf final : public Unit {
 public:
  UnitOf(Body body, Reply<T> reply) : body_(std::move(body)), reply_(std::move(reply)) {}
  void run(Tx& tx) override { result_.emplace(body_(tx)); }
  void deliver() override { reply_(std::move(*result_)); }
  void refuse(const Status& status) override { reply_(status); }

 private:
  Body body_;
  Reply<T> reply_;
  std::optional<Result<T>> result_;
};

}  // namespace muster::store::postgres
