#include "store/jobs/rules.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "model/retry.h"
#include "store/refusals.h"

namespace muster::store::jobs {
namespace {

Verdict becomes(const Standing& job, JobState to, JobEvent event) {
  return {.to = to, .event = event, .attempt = job.attempt, .rescues = job.rescues};
}

Verdict ends(const Standing& job, JobState to, JobEvent event, JobError error) {
  Verdict verdict = becomes(job, to, event);
  verdict.error = std::move(error);
  return verdict;
}

// Set when somebody asked for the end of a job whose lease ends now.
std::optional<Verdict> as_asked(const Standing& job) {
  if (!job.cancel_reason) return std::nullopt;
  return cancel(job, {kErrorCancelled, *job.cancel_reason});
}

}  // namespace

Verdict complete(const Standing& job) { return becomes(job, JobState::completed, JobEvent::completed); }

Verdict fail(const Standing& job, const RetryPolicy& policy, const Failure& failure, Instant now, double spread) {
  if (auto asked = as_asked(job)) return std::move(*asked);
  const AfterFailure after = after_failure(policy, job.attempt, failure.error, failure.retryable, failure.delay, now, spread);
  const bool over = after.event == JobEvent::exhausted;
  Verdict verdict = ends(job, over ? JobState::dead : JobState::scheduled, after.event, failure.error);
  if (!over) verdict.run_at = after.run_at;
  verdict.record = {JobEvent::failed, failure.error};
  return verdict;
}

Verdict lose(const Standing& job, std::uint32_t rescues_max, const JobError& error) {
  if (auto asked = as_asked(job)) return std::move(*asked);
  Verdict verdict = ends(job, JobState::ready, after_loss(job.rescues, rescues_max), error);
  if (verdict.event == JobEvent::exhausted) {
    verdict.to = JobState::dead;
    verdict.error = JobError{kErrorRescueFailed, fmt::format("lost with its worker {} times, {} rescues are allowed; last: {}",
                                                             job.rescues + 1, rescues_max, error.message)};
  } else {
    --verdict.attempt;
    ++verdict.rescues;
  }
  verdict.record = {JobEvent::lost, error};
  return verdict;
}

Verdict release(const Standing& job) {
  if (auto asked = as_asked(job)) return std::move(*asked);
  Verdict verdict = becomes(job, JobState::ready, JobEvent::released);
  --verdict.attempt;
  return verdict;
}

Verdict park(const Standing& job, Instant until, JobEvent event) {
  if (auto asked = as_asked(job)) return std::move(*asked);
  Verdict verdict = becomes(job, JobState::scheduled, event);
  verdict.run_at = until;
  return verdict;
}

Verdict snooze(const Standing& job, Instant until) {
  Verdict verdict = park(job, until, JobEvent::snoozed);
  if (verdict.event == JobEvent::snoozed) --verdict.attempt;
  return verdict;
}

Verdict cancel(const Standing& job, const JobError& error) { return ends(job, JobState::cancelled, JobEvent::cancelled, error); }

std::optional<Verdict> cancel(const Standing& job, const Cancel& request) {
  if (request.as_dead) return bury(job, *request.as_dead);
  if (job.state == JobState::running && !request.at_once) return std::nullopt;
  return cancel(job, {kErrorCancelled, request.reason});
}

Verdict bury(const Standing& job, const JobError& error) {
  // The table of moves has one way to the dead for jobs that run and one for those that wait.
  return ends(job, JobState::dead, job.state == JobState::running ? JobEvent::exhausted : JobEvent::expired, error);
}

Verdict expire(const Standing& job, std::optional<Instant> deadline, Instant now) {
  if (deadline && *deadline <= now) return bury(job, {kErrorDeadline, "it was not finished at its deadline"});
  return bury(job, {kErrorExpired, "it was still waiting when it expired"});
}

const LeaseRef& lease_of(const Outcome& outcome) {
  return std::visit([](const auto& item) -> const LeaseRef& { return item.lease; }, outcome);
}

JobEvent event_of(const Outcome& outcome) {
  constexpr std::array kEvents{JobEvent::completed, JobEvent::failed, JobEvent::snoozed, JobEvent::released};
  if (const auto* failure = std::get_if<Failure>(&outcome); failure != nullptr && failure->undelivered) return JobEvent::lost;
  return kEvents[outcome.index()];
}

Result<Settled> repeated(const LeaseRef& lease, JobEvent outcome, const Past& past) {
  if (past.fence != lease.fence) return refusal::lease_lost(lease);
  const bool ended_by_cancel = past.event == JobEvent::cancelled && outcome != JobEvent::completed;
  const bool ended_by_budget = past.event == JobEvent::exhausted && (outcome == JobEvent::failed || outcome == JobEvent::lost);
  if (past.event != outcome && !ended_by_cancel && !ended_by_budget) return refusal::lease_lost(lease);
  Settled settled{lease.job, past.state, past.attempt, std::nullopt};
  if (!is_finished(past.state)) settled.run_at = past.run_at;
  return settled;
}

Status may_redrive(const JobId& id, JobState state) {
  return next(state, JobEvent::redriven) ? Status() : refusal::not_redrivable(id, state);
}

void start_over(JobSpec& spec, Instant now) {
  spec.after.clear();
  if (spec.deadline && *spec.deadline <= now) spec.deadline.reset();
}

std::optional<Instant> expiry_of(const JobSpec& spec, Instant now) {
  std::optional<Instant> out;
  if (spec.expires_in) out = now + *spec.expires_in;
  if (spec.deadline) out = std::min(out.value_or(*spec.deadline), *spec.deadline);
  return out;
}

bool has_token(const QueueSettings& queue, RateBucket& bucket, Instant now, std::optional<Instant>& retry_at) {
  if (!queue.rate || bucket.has_token(*queue.rate, now)) return true;
  const Instant token_at = bucket.next_token_at(*queue.rate, now);
  retry_at = std::min(retry_at.value_or(token_at), token_at);
  return false;
}

JobError lease_expired(const std::string& worker) {
  return {kErrorWorkerLost, fmt::format("the lease of worker '{}' expired", worker.empty() ? "?" : worker)};
}

JobError worker_silent(const WorkerId& worker, Duration silent) {
  return {kErrorWorkerLost, fmt::format("worker '{}' was silent for {} ms", worker.text(), silent.count())};
}

JobError worker_replaced(const WorkerId& worker) {
  return {kErrorWorkerLost, fmt::format("worker '{}' registered again without its earlier session", worker.text())};
}

JobError timed_out(Duration ran) { return {kErrorTimeout, fmt::format("ran for {} ms, which is its timeout", ran.count())}; }

JobError dependency_failed(const JobId& dependency) {
  return {kErrorDependency, fmt::format("job {}, which it waited for, did not complete", dependency.text())};
}

JobError dependency_failed_before() { return {kErrorDependency, "a job it waits for had already ended without completing"}; }

}  // namespace muster::store::jobs
