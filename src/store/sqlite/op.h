// One verb on its way: queued by any thread, run by the writer inside a group, answered when the group's fate is known.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "base/reply.h"
#include "store/sqlite/core.h"

namespace muster::store::sqlite {

enum class OpKind : std::uint8_t {
  read,   // needs no transaction; sees what is durable; answered at once
  write,  // answered after the commit
  sweep,  // a write that runs behind all others of its group: what waited beside it is heard before anybody is judged
  claim,  // answered before the commit: see the promises in store/store.h
};

class Op {
 public:
  explicit Op(OpKind kind) : kind_(kind) {}
  virtual ~Op() = default;
  OpKind kind() const { return kind_; }
  bool answered() const { return answered_; }

  virtual void run(Core& core) = 0;
  void deliver() {
    answered_ = true;
    do_deliver();
  }
  void refuse(const Status& status) {
    answered_ = true;
    do_refuse(status);
  }
  // Drops the reply with what it holds. REQUIRES: answered.
  virtual void let_go() = 0;

 private:
  virtual void do_deliver() = 0;
  virtual void do_refuse(const Status& status) = 0;
  OpKind kind_;
  bool answered_ = false;
};

template <class T, class Body>
class OpOf final : public Op {
 public:
  OpOf(OpKind kind, Body body, Reply<T> reply) : Op(kind), body_(std::move(body)), reply_(std::move(reply)) {}
  void run(Core& core) override { result_.emplace(body_(core)); }
  void let_go() override { reply_ = {}; }

 private:
  void do_deliver() override { reply_(std::move(*result_)); }
  void do_refuse(const Status& status) override { reply_(status); }

  Body body_;
  Reply<T> reply_;
  std::optional<Result<T>> result_;
};

}  // namespace muster::store::sqlite
