#include "agents/claude/token_budget.h"

#include <algorithm>

namespace muster::claude {

bool TokenBudget::take(std::uint64_t tokens, Ticks now) {
  if (per_minute_ == 0) return true;
  refill(now);
  const double wanted = std::min(static_cast<double>(tokens), per_minute_);
  if (left_ < wanted) return false;
  left_ -= wanted;
  return true;
}

void TokenBudget::correct(std::uint64_t estimate, std::uint64_t used) {
  if (per_minute_ == 0) return;
  const double taken = std::min(static_cast<double>(estimate), per_minute_);
  left_ = std::min(left_ + taken - static_cast<double>(used), per_minute_);
}

void TokenBudget::refill(Ticks now) {
  constexpr double kMinute = 60e9;
  if (running_ && now > filled_at_)
    left_ = std::min(left_ + per_minute_ * static_cast<double>((now - filled_at_).count()) / kMinute, per_minute_);
  filled_at_ = now;
  running_ = true;
}

}  // namespace muster::claude
