// What happens to a job, written once as pure functions: a store reads what the job is, asks what it becomes and writes that, all
// in one transaction. PostgreSQL's statements for many plain jobs at once (postgres/group/) do the same to those.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/clock.h"
#include "base/status.h"
#include "model/job.h"
#include "model/queue.h"
#include "model/rate_bucket.h"
#include "store/verbs.h"

namespace muster::store::jobs {

// What a move is judged by.
struct Standing {
  JobState state = JobState::running;
  std::uint32_t attempt = 0;  // begun so far, this one included
  std::uint32_t rescues = 0;
  // Set: somebody asked to cancel it while it runs. Whatever ends its lease, completion apart, then ends the job so.
  std::optional<std::string> cancel_reason{};
};

// What the job becomes.
struct Verdict {
  JobState to = JobState::ready;
  JobEvent event = JobEvent::released;
  std::uint32_t attempt = 0;
  std::uint32_t rescues = 0;
  // Set: it is due then. It is `scheduled` even when that is now: being due is a move of its own.
  std::optional<Instant> run_at{};
  std::optional<JobError> error{};  // set: its last error from now on; the change that is told names its kind
  struct Record {
    JobEvent outcome = JobEvent::failed;  // failed: it counts against the worker
    JobError error;
  };
  std::optional<Record> record{};  // set: the attempt is kept in the job's list
};

// --- the end of a lease. REQUIRES: running. ---

Verdict complete(const Standing& job);
Verdict fail(const Standing& job, const RetryPolicy& policy, const Failure& failure, Instant now, double spread);
// Its worker is gone. A rescue does not spend an attempt.
Verdict lose(const Standing& job, std::uint32_t rescues_max, const JobError& error);
Verdict release(const Standing& job);
Verdict snooze(const Standing& job, Instant until);
// A run waits for its `event`, snoozed or failed. As snooze, but the attempt was one.
Verdict park(const Standing& job, Instant until, JobEvent event);

// --- the end of a job, wherever it stands ---

Verdict cancel(const Standing& job, const JobError& error);
// As it was asked for. Empty: it runs on, and its worker is asked to stop.
std::optional<Verdict> cancel(const Standing& job, const Cancel& request);
// Dead at once, whoever holds it.
Verdict bury(const Standing& job, const JobError& error);
// Its time to wait is over, or it is unfinished at its deadline.
Verdict expire(const Standing& job, std::optional<Instant> deadline, Instant now);

// --- outcomes that find no lease ---

using Outcome = std::variant<Completion, Failure, Snooze, Release>;

const LeaseRef& lease_of(const Outcome& outcome);
// The event an outcome leaves behind, when nothing else ends the job.
JobEvent event_of(const Outcome& outcome);

// What a job that is not running was left with.
struct Past {
  JobState state = JobState::ready;
  JobEvent event = JobEvent::enqueued;
  Fence fence{};  // of its last lease
  std::uint32_t attempt = 0;
  std::optional<Instant> run_at{};
};

// The same outcome was recorded before, under this very fence: repeating it is fine. Anything else has lost its lease.
Result<Settled> repeated(const LeaseRef& lease, JobEvent outcome, const Past& past);

// --- starting over, waking, starting ---

// ok: a job in this state may be re-driven.
Status may_redrive(const JobId& id, JobState state);
// The description of a re-driven job: it waits for nobody any more, and a deadline that is past was for the life before.
void start_over(JobSpec& spec, Instant now);
// When a job that starts to wait now expires: after expires_in or at its deadline, whichever comes first.
std::optional<Instant> expiry_of(const JobSpec& spec, Instant now);

// A run that gave up its lease to sleep or to wait for something; only such a one can be woken.
constexpr bool is_parked(bool run, JobState state, JobEvent event) {
  return run && state == JobState::scheduled && event == JobEvent::snoozed;
}

// The queue lets a job of this type start, as far as it counts. of_type: how many of a type run, asked only when that has a cap.
template <class OfType>
bool has_room(const QueueSettings& queue, const JobType& type, std::uint64_t running, OfType of_type) {
  if (queue.paused || (queue.running_max && running >= *queue.running_max)) return false;
  if (queue.running_max_by_type.empty()) return true;
  const auto cap = queue.running_max_by_type.find(type.text());
  return cap == queue.running_max_by_type.end() || of_type(cap->first) < cap->second;
}
// And as far as its rate goes; if not, retry_at becomes the time of the next token, unless it is earlier.
bool has_token(const QueueSettings& queue, RateBucket& bucket, Instant now, std::optional<Instant>& retry_at);

// A job at the head of a lane may still not be this worker's to take.
enum class Take : std::uint8_t {
  yes,
  bound,     // its sticky key belongs to another live worker that can do it
  key_full,  // as many jobs as may hold its concurrency key
};
template <class Holders>
Take may_take(bool bound_elsewhere, std::optional<std::uint32_t> concurrency_limit, Holders holders) {
  if (bound_elsewhere) return Take::bound;
  return concurrency_limit && holders() >= *concurrency_limit ? Take::key_full : Take::yes;
}

// --- what the errors say ---

JobError lease_expired(const std::string& worker);  // empty: a worker nobody knows any more
JobError worker_silent(const WorkerId& worker, Duration silent);
JobError worker_replaced(const WorkerId& worker);
JobError timed_out(Duration ran);
JobError dependency_failed(const JobId& dependency);
JobError dependency_failed_before();  // when it was enqueued

}  // namespace muster::store::jobs
