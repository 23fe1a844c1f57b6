// Numbers that must never repeat, across crashes too: fences, sessions and job keys.
//
// A block is reserved in a commit before any number of it is used, so that a number can leave the process before the
// commit that goes with it. A crash wastes what is left of the block.
#pragma once

#include <cstdint>

namespace muster::store::sqlite {

class NumberBlock {
 public:
  static constexpr std::int64_t kBlock = 1 << 20;

  void start(std::int64_t reserved) { next_ = limit_ = reserved; }
  bool empty() const { return next_ >= limit_; }
  std::int64_t next() const { return next_; }
  // REQUIRES: !empty().
  std::int64_t take() { return next_++; }

  // Less than half a block is left: write reserve() in this commit, and call reserved() once it is durable.
  bool low() const { return limit_ - next_ < kBlock / 2; }
  std::int64_t reserve() { return pending_ = (limit_ > next_ ? limit_ : next_) + kBlock; }
  void reserved() {
    if (pending_ > limit_) limit_ = pending_;
    pending_ = 0;
  }
  void abandon() { pending_ = 0; }

 private:
  std::int64_t next_ = 1;
  std::int64_t limit_ = 1;
  std::int64_t pending_ = 0;
};

}  // namespace muster::store::sqlite
