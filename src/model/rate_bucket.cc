#include "model/rate_bucket.h"

#include <algorithm>
#include <cmath>

namespace muster {

void RateBucket::refill(const RateLimit& limit, Instant now) {
  if (!filled_at_) {
    tokens_ = limit.burst;
    filled_at_ = now;
    return;
  }
  // A clock that steps back refills nothing and owes nothing.
  if (now <= *filled_at_) return;
  const double earned = static_cast<double>((now - *filled_at_).count()) * limit.count / static_cast<double>(limit.per.count());
  tokens_ = std::min(static_cast<double>(limit.burst), tokens_ + earned);
  filled_at_ = now;
}

bool RateBucket::has_token(const RateLimit& limit, Instant now) {
  refill(limit, now);
  // Sums of fractions may end a hair below one.
  return tokens_ >= 1 - 1e-9;
}

Instant RateBucket::next_token_at(const RateLimit& limit, Instant now) {
  refill(limit, now);
  const double missing = std::max(0.0, 1 - tokens_);
  return now +
         Duration(static_cast<std::int64_t>(std::ceil(missing * static_cast<double>(limit.per.count()) / limit.count - 1e-6)));
}

}  // namespace muster
