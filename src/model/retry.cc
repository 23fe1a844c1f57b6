#include "model/retry.h"

#include <algorithm>
#include <cmath>

namespace muster {

Duration backoff(const RetryPolicy& policy, std::uint32_t attempt, double spread) {
  const double exponent = attempt > 0 ? static_cast<double>(attempt - 1) : 0;
  const double plain = static_cast<double>(policy.backoff_base.count()) * std::pow(policy.backoff_factor, exponent);
  // pow overflows to infinity long before attempts_max; the cap makes that harmless.
  const double capped = std::min(plain, static_cast<double>(policy.backoff_max.count()));
  const double jittered = capped * (1 + policy.jitter * (2 * spread - 1));
  return Duration(static_cast<std::int64_t>(std::max(0.0, jittered)));
}

AfterFailure after_failure(const RetryPolicy& policy, std::uint32_t attempt, const JobError& error, bool retryable,
                           std::optional<Duration> delay, Instant now, double spread) {
  const bool banned =
      std::find(policy.non_retryable.begin(), policy.non_retryable.end(), error.kind) != policy.non_retryable.end();
  if (!retryable || banned || attempt >= policy.attempts_max) return {JobEvent::exhausted, now};
  return {JobEvent::failed, now + delay.value_or(backoff(policy, attempt, spread))};
}

}  // namespace muster
