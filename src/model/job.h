// A job: what a client asks for (JobSpec), what it is now (Job), and what a worker is handed (Grant).
//
// Plain values; no I/O, no clock. Validation of a JobSpec is model/validate.h, what happens after a failure is
// model/retry.h, the order of waiting jobs is model/rank.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/capability.h"
#include "model/content.h"
#include "model/ids.h"
#include "model/job_state.h"
#include "model/lease.h"
#include "model/limits.h"
#include "model/run.h"

namespace muster {

struct RetryPolicy {
  std::uint32_t attempts_max = limits::kAttemptsDefault;  // counting the first
  Duration backoff_base{1'000};
  double backoff_factor = 2.0;
  Duration backoff_max{5 * 60'000};
  double jitter = 0.1;                     // share of the delay, spread evenly around it
  std::vector<std::string> non_retryable;  // error kinds that end the job at once
  friend bool operator==(const RetryPolicy&, const RetryPolicy&) = default;
};

// At most `limit` jobs of a namespace that carry the same key run at a time.
struct ConcurrencyKey {
  std::string key;
  std::uint32_t limit = 1;
  friend bool operator==(const ConcurrencyKey&, const ConcurrencyKey&) = default;
};

// Keys of one lane take turns, in proportion to their weights.
struct FairnessKey {
  std::string key;
  std::uint32_t weight = 1;
  friend bool operator==(const FairnessKey&, const FairnessKey&) = default;
};

enum class UniqueWhile : std::uint8_t { waiting, unfinished };

// While a job with this key is in the named states, another one is not enqueued; the first is returned.
struct UniqueKey {
  std::string key;
  UniqueWhile during = UniqueWhile::unfinished;
  friend bool operator==(const UniqueKey&, const UniqueKey&) = default;
};

// sticky_key: jobs of one queue with the same key go to the worker that took the first of them, while it lives.
// prefer: a capability (`label:zone=a`, `worker:w1`) that is waited for until prefer_wait has passed.
struct Affinity {
  std::string sticky_key;
  std::string prefer;
  Duration prefer_wait = limits::kPreferWaitDefault;
  friend bool operator==(const Affinity&, const Affinity&) = default;
};

enum class OnDependencyFailure : std::uint8_t { cancel, run };

struct JobSpec {
  NamespaceName ns{kDefaultNamespace};
  QueueName queue{kDefaultQueue};
  JobType type;
  Content payload;
  CapabilitySet needs;                 // without those that the labels selector and affinity stand for
  Labels selector;                     // labels the worker must carry
  Labels labels;                       // labels of the job itself, for search
  std::int32_t priority = 0;           // higher first
  std::optional<Instant> run_at;       // empty: at once
  Duration delay{0};                   // from the moment it is accepted; not together with run_at
  std::optional<Duration> expires_in;  // still waiting after that: dead
  std::optional<Duration> timeout;     // longest run of one attempt
  std::optional<Duration> lease_ttl;   // empty: the worker's own
  RetryPolicy retry;
  std::uint32_t rescues_max = limits::kRescuesDefault;
  std::string idempotency_key;
  std::optional<UniqueKey> unique;
  std::optional<ConcurrencyKey> concurrency;
  std::optional<FairnessKey> fairness;
  Affinity affinity;
  std::vector<JobId> after;
  OnDependencyFailure on_dependency_failure = OnDependencyFailure::cancel;
  std::string correlation;          // carried into logs and events
  std::optional<Instant> deadline;  // unfinished then: dead, also while it runs
  std::optional<RunSpec> run;       // set: it is a durable workflow
  friend bool operator==(const JobSpec&, const JobSpec&) = default;
};

// Kinds the engine itself gives.
inline constexpr const char* kErrorTimeout = "timeout";
inline constexpr const char* kErrorWorkerLost = "worker_lost";
inline constexpr const char* kErrorRescueFailed = "rescue_failed";
inline constexpr const char* kErrorExpired = "expired";
inline constexpr const char* kErrorDependency = "dependency_failed";
inline constexpr const char* kErrorCancelled = "cancelled";
inline constexpr const char* kErrorDeadline = "deadline";
inline constexpr const char* kErrorTerminated = "terminated";

struct AttemptRecord {
  std::uint32_t attempt = 0;
  Fence fence{};
  WorkerId worker;
  Instant started_at{};
  Instant ended_at{};
  JobEvent outcome = JobEvent::failed;
  JobError error;
};

struct Progress {
  double fraction = 0;  // 0 to 1
  std::string message;
  std::optional<Content> partial;
  Instant at{};
};

struct Job {
  JobId id;
  JobSpec spec;
  JobState state = JobState::scheduled;
  Instant created_at{};
  std::optional<Instant> run_at;  // when it is or was due; empty while it waits for other jobs
  std::optional<Instant> expires_at;
  std::optional<Instant> started_at;  // of the current or last attempt
  std::optional<Instant> finished_at;
  std::optional<Instant> lease_expires_at;
  std::uint32_t attempt = 0;  // attempts begun and not handed back
  std::uint32_t rescues = 0;
  Fence fence{};
  WorkerId worker;  // the holder, or the last one
  bool cancel_requested = false;
  std::optional<Content> result;
  std::optional<JobError> error;  // of the last attempt that failed
  std::optional<Progress> progress;
  std::vector<AttemptRecord> attempts;  // failed ones, the newest kAttemptRecordsMax
  std::size_t dependencies_pending = 0;
  JobEvent last_event = JobEvent::enqueued;  // snoozed: it sleeps or waits; failed: it waits for a retry
};

// What a worker gets: the job and its right to one attempt at it.
struct Grant {
  JobId id;
  NamespaceName ns;
  QueueName queue;
  JobType type;
  Content payload;
  Labels labels;
  std::uint32_t attempt = 0;
  std::uint32_t attempts_max = 0;
  std::int32_t priority = 0;
  Fence fence{};
  Instant lease_expires_at{};
  std::optional<Instant> times_out_at;
  std::optional<Content> partial;  // what an earlier attempt reported, to resume from
  std::string correlation;
};

}  // namespace muster
