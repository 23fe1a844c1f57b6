// What happens to a job after an attempt ended badly: pure rules over the job's own budget.
//
// Rescue is not retry: a job lost with its worker spends its rescue budget and runs again at once; a job that failed
// spends an attempt and waits its backoff. Either budget gone means dead, with the cause.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "model/job.h"

namespace muster {

struct AfterFailure {
  JobEvent event = JobEvent::failed;  // failed, or exhausted
  Instant run_at{};                   // meaningful for failed
};

// attempt: how many attempts have been begun, counting the one that failed. spread: an even random number in [0, 1).
// `delay` overrides the policy's backoff when the worker asked for one.
AfterFailure after_failure(const RetryPolicy& policy, std::uint32_t attempt, const JobError& error, bool retryable,
                           std::optional<Duration> delay, Instant now, double spread);

Duration backoff(const RetryPolicy& policy, std::uint32_t attempt, double spread);

// rescues: how often the job was rescued before.
constexpr JobEvent after_loss(std::uint32_t rescues, std::uint32_t rescues_max) {
  return rescues < rescues_max ? JobEvent::lost : JobEvent::exhausted;
}

}  // namespace muster
