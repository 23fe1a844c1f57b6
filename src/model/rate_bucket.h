// The token bucket behind a queue's rate limit: a pure rule over its own two numbers and `now`.
#pragma once

#include <optional>

#include "base/clock.h"
#include "model/queue.h"

namespace muster {

// Tokens that refill evenly. Starts full.
class RateBucket {
 public:
  RateBucket() = default;
  RateBucket(double tokens, std::optional<Instant> filled_at) : tokens_(tokens), filled_at_(filled_at) {}

  // True: a token is there. It is spent with take().
  bool has_token(const RateLimit& limit, Instant now);
  void take() { tokens_ -= 1; }
  Instant next_token_at(const RateLimit& limit, Instant now);
  void reset() { filled_at_.reset(); }

  double tokens() const { return tokens_; }
  std::optional<Instant> filled_at() const { return filled_at_; }

 private:
  void refill(const RateLimit& limit, Instant now);
  double tokens_ = 0;
  std::optional<Instant> filled_at_;
};

}  // namespace muster
