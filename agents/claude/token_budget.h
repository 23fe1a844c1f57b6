// Tokens a minute that all calls of a client share: a bucket that refills evenly. Pure; the client's thread owns it.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace muster::claude {

class TokenBudget {
 public:
  explicit TokenBudget(std::uint64_t per_minute) : per_minute_(static_cast<double>(per_minute)), left_(per_minute_) {}

  // Takes them when they are there. A call that needs more than a minute's tokens is let through when the bucket is full.
  bool take(std::uint64_t tokens, Ticks now);
  // What a call took in the end, when it was let through for `estimate`. The bucket may go below empty; later calls wait.
  void correct(std::uint64_t estimate, std::uint64_t used);

 private:
  void refill(Ticks now);

  double per_minute_;  // 0: no limit
  double left_;
  Ticks filled_at_{};
  bool running_ = false;
};

// What a request may cost: a token for four bytes of it, and all that it lets the model answer.
constexpr std::uint64_t estimate_tokens(std::uint64_t request_bytes, std::uint64_t max_tokens) {
  return request_bytes / 4 + max_tokens;
}

}  // namespace muster::claude
