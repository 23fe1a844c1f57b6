#include "net/budget.h"

#include <algorithm>
#include <utility>

namespace muster::net {

ByteBudget::Share::Share(std::shared_ptr<ByteBudget> budget, UniqueFunction<void()> room)
    : budget_(std::move(budget)), room_(std::move(room)) {}

ByteBudget::Share::~Share() { end(); }

void ByteBudget::Share::end() {
  if (std::exchange(waiting_, false)) std::erase(budget_->waiting_, this);
  set(0);
}

void ByteBudget::Share::set(std::size_t bytes) {
  if (bytes == bytes_) return;
  budget_->used_ += bytes;
  budget_->used_ -= bytes_;
  bytes_ = bytes;
  budget_->let_go(*this);
}

bool ByteBudget::Share::within_node() {
  if (bytes_ <= kFreeBytesMax || !budget_->full()) return true;
  if (budget_->let_through_ == nullptr) budget_->let_through_ = this;
  if (budget_->let_through_ == this) return true;
  if (!std::exchange(waiting_, true)) budget_->waiting_.push_back(this);
  return false;
}

void ByteBudget::let_go(Share& share) {
  if (&share == let_through_ && (share.bytes_ <= kFreeBytesMax || !full())) let_through_ = nullptr;
  if (!full() || let_through_ == nullptr) wake();
}

void ByteBudget::wake() {
  if (waiting_.empty() || std::exchange(wake_posted_, true)) return;
  loop_.post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->wake_all();
  });
}

void ByteBudget::wake_all() {
  wake_posted_ = false;
  // Those that still have no room come back into the line behind the others, in the order in which they asked.
  for (std::size_t left = waiting_.size(); left > 0 && !waiting_.empty(); --left) {
    Share* const first = waiting_.front();
    waiting_.pop_front();
    first->waiting_ = false;
    first->room_();
  }
}

}  // namespace muster::net
