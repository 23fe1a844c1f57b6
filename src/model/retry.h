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

// The error of a job that was granted and then could not be shown to its worker, because the server made a mistake. Neither the
// job nor the worker is to blame: JobStore::fail judges it as a loss, so that it spends a rescue and no attempt.
inline constexpr const char* kErrorHandOut = "hand_out_failed";
inline bool is_loss(const JobError& error) { return error.kind == kErrorHandOut; }

}  // namespace muster
