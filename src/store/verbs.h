// Requests and answers of the store's verbs: plain values, batches in, batches out.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "model/job.h"
#include "model/lane.h"
#include "model/queue.h"
#include "model/worker.h"

namespace muster::store {

// --- jobs ---------------------------------------------------------------------------------------------------------

struct Enqueued {
  JobId id;
  JobState state = JobState::ready;
  bool existed = false;  // an idempotency or unique key found it; nothing was written for it
};

struct ClaimRequest {
  NamespaceName ns;
  WorkerId worker;
  std::optional<SessionId> session;     // refused with lease_lost when another session replaced it
  std::vector<QueueName> queues;        // empty: those the worker registered with
  std::optional<CapabilitySet> narrow;  // offer only these of its capabilities; refused if it has not got them
  std::size_t limit = 1;
  std::optional<Duration> lease_ttl;  // empty: the job's, else the worker's dead_after
};

// Why a claim came back empty; the engine decides from it whether and on what to park.
enum class ClaimBlock : std::uint8_t { none, no_slots, draining };

struct ClaimReply {
  std::vector<Grant> grants;
  std::shared_ptr<const Offer> offer;  // what was offered, to match later wake-ups against
  ClaimBlock block = ClaimBlock::none;
  std::optional<Instant> retry_at;  // a rate limit frees a token then
};

struct Completion {
  LeaseRef lease;
  std::optional<Content> result;
};

struct Failure {
  LeaseRef lease;
  JobError error;
  bool retryable = true;
  std::optional<Duration> delay{};  // overrides the policy's backoff
  // The job never reached its worker, because the server made a mistake. Neither of them is to blame: it spends a rescue and no
  // attempt.
  bool undelivered = false;
};

struct Snooze {
  LeaseRef lease;
  Duration delay{};
};

struct Release {
  LeaseRef lease;
  std::string reason;
};

struct ProgressUpdate {
  LeaseRef lease;
  double fraction = 0;
  std::string message;
  std::optional<Content> partial;
};

struct Renewal {
  LeaseRef lease;
  std::optional<Duration> ttl;  // empty: as granted
};

struct Renewed {
  Instant expires_at{};
  bool cancel_requested = false;  // stop working and settle with fail or release
};

// What an outcome led to.
struct Settled {
  JobId id;
  JobState state = JobState::completed;
  std::uint32_t attempt = 0;
  std::optional<Instant> run_at;  // when it will run again
};

struct Cancel {
  JobId job;
  std::string reason;
  bool at_once = false;               // running ones too
  std::optional<JobError> as_dead{};  // end it dead, with this error; implies at_once
};

struct Cancelled {
  JobId id;
  JobState state = JobState::cancelled;  // running: its worker has been told, or will be
};

// All conditions must hold; an empty one always does. `before` and `after` compare with created_at.
struct JobFilter {
  NamespaceName ns;  // empty: all namespaces
  QueueName queue;
  JobType type;
  std::vector<JobState> states;
  WorkerId worker;
  Labels labels;
  std::optional<Instant> created_after;
  std::optional<Instant> created_before;
  std::string error_kind;
  bool runs_only = false;
};

enum class Order : std::uint8_t { newest_first, oldest_first };

struct JobQuery {
  JobFilter filter;
  Order order = Order::newest_first;
  std::size_t limit = limits::kPageDefault;
  std::string cursor;  // of an earlier page; opaque
  bool with_payload = false;
};

// A page may be short or empty while `next` is set: the scan bound was reached before the page was full.
struct JobPage {
  std::vector<Job> jobs;
  std::string next;  // empty: the end
};

struct RedriveFilter {
  JobFilter filter;  // states must be finished ones; empty: dead
  std::size_t limit = limits::kRedriveBatchMax;
};

struct Redriven {
  std::vector<JobId> jobs;
  bool more = false;
};

// Everything the reason for waiting can depend on, read at one instant. engine/why.h turns it into words.
struct WaitFacts {
  Job job;
  Instant now{};
  CapabilitySet needs;   // of the lane it stands in, affinity included
  std::string bound_to;  // the worker a sticky key or preference holds it for
  std::optional<Instant> bound_until;
  QueueSettings queue;
  std::uint32_t queue_running = 0;
  std::uint32_t type_running = 0;
  std::optional<Instant> rate_token_at;    // set while the bucket is empty
  std::vector<JobId> concurrency_holders;  // running jobs with its key, when the key is full
  std::vector<JobId> waiting_for;          // unfinished dependencies, the first few
  std::uint64_t ahead = 0;                 // jobs of its lane that come before it, counted up to a bound
  struct AbleWorker {
    WorkerId id;
    WorkerState state = WorkerState::online;
    std::uint32_t running = 0;
    std::uint32_t slots = 0;
    std::string drain_reason{};
  };
  std::vector<AbleWorker> able;  // live workers that could take it, the first few
  // Set by the engine: able ones whose claims name other queues. They do not count as able.
  struct Elsewhere {
    WorkerId id;
    std::vector<QueueName> queues;
  };
  std::vector<Elsewhere> elsewhere{};
  std::size_t able_count = 0;
  std::size_t able_free = 0;                 // of them: online with a free slot
  std::size_t live_workers = 0;              // in the namespace, serving its queue
  std::vector<std::string> missing;          // needs that no live worker of the queue offers
  std::vector<Step> parked_on{};             // of a parked run: the steps that wait, the first few
  std::vector<std::string> missing_nearest;  // what the nearest worker lacks, when each need is offered by someone
};

// --- workers ------------------------------------------------------------------------------------------------------

struct Registered {
  WorkerId id;
  SessionId session{};
  HeartbeatPolicy policy;
  bool replaced = false;  // an earlier session of this name was ended
};

// What a beat adds to the end of each lease that was granted for a time of its own (ClaimRequest::lease_ttl).
struct Lengthening {
  Duration by{};
  Duration ahead_max{};  // of now
};

struct Beat {
  NamespaceName ns;
  WorkerId worker;
  std::optional<SessionId> session;
  std::string stats;           // JSON object, empty for none
  std::vector<LeaseRef> held;  // optional: what the worker thinks it holds
  bool names_all = false;      // `held` is everything it holds, even when it is empty
  bool accepting = true;       // false: the worker itself is draining
  std::optional<Lengthening> lengthens{};
};

// Commands back to the worker.
struct BeatReply {
  WorkerState state = WorkerState::online;
  std::optional<Instant> drain_deadline;
  std::string drain_reason;
  DrainOrigin drain_origin = DrainOrigin::none;
  Duration next_beat_in{};
  std::vector<LeaseRef> cancel;  // running jobs somebody wants stopped
  std::vector<LeaseRef> lost;    // of `held`: leases that are no longer its own
  std::uint32_t running = 0;
};

struct Drain {
  NamespaceName ns;
  WorkerId worker;
  Duration deadline = limits::kDrainDeadlineDefault;  // from now; then its jobs are handed back. Load sets none
  std::string reason;
  DrainOrigin origin = DrainOrigin::asked;  // asked, itself or load
};

// Takes a drain back. By load: only what load did.
struct Resume {
  NamespaceName ns;
  WorkerId worker;
  DrainOrigin origin = DrainOrigin::asked;  // asked or load
};

struct Unregister {
  NamespaceName ns;
  WorkerId worker;
  std::optional<SessionId> session;
};

struct WorkerQuery {
  NamespaceName ns;  // empty: all
  std::vector<WorkerState> states;
  std::string capability;
  Labels labels;
  QueueName queue;
  std::size_t limit = limits::kPageDefault;
  std::string cursor;
};

struct WorkerPage {
  std::vector<Worker> workers;  // by (namespace, id)
  std::string next;
};

// --- lanes ---------------------------------------------------------------------------------------------------------

// What waits and runs in one queue under one set of needs, whatever its types.
struct LaneStats {
  NamespaceName ns;
  QueueName queue;
  CapabilitySet needs;  // of the jobs themselves: those that are held for a worker count here
  std::uint64_t scheduled = 0;
  std::uint64_t ready = 0;
  std::uint64_t running = 0;
  std::optional<Instant> oldest_ready_at;  // due time of the longest waiting, or of the first in line
};

struct LaneQuery {
  NamespaceName ns;  // empty: all
  QueueName queue;   // empty: all
  std::size_t limit = limits::kPageDefault;
};

struct LaneList {
  std::vector<LaneStats> lanes;  // those with live jobs, by (namespace, queue, needs)
  bool more = false;             // there are others behind them
};

// --- sweeps, administration ---------------------------------------------------------------------------------------

struct SweepReport {
  std::size_t moved = 0;
  bool more = false;                // the budget ended before the work did
  std::optional<Instant> next_due;  // earliest time the next pass has something to do, if known
};

struct Retention {
  Duration completed_kept = limits::kFinishedKeptDefault;  // also cancelled
  Duration dead_kept = limits::kDeadKeptDefault;
  std::uint64_t finished_count_max = limits::kFinishedCountDefault;
};

struct StoreInfo {
  std::string kind;      // "sqlite", "postgres"
  std::string location;  // without secrets
  std::uint32_t schema_version = 0;
  std::uint64_t bytes = 0;
  std::uint64_t jobs_live = 0;
  std::uint64_t jobs_finished = 0;
  std::uint64_t workers_live = 0;  // online or draining
  std::uint64_t commits = 0;
  double group_size_mean = 0;
};

// ok, or why the store cannot write at the moment.
struct StoreHealth {
  bool writable = true;
  std::string reason;
};

struct BackupReport {
  std::string path;
  std::uint64_t bytes = 0;
  Duration took{};
};

}  // namespace muster::store
