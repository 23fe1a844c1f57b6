// Moves of live jobs that several verbs share, collected and then written as multi-row statements.
//
// lock_jobs() takes the gates of the namespaces whose special jobs are among them, then the rows, in ascending order. The moves
// change the copies in memory and note the rows; flush() writes them, calls the waiters of freed concurrency keys, and settles
// the jobs that waited for finished ones, cascades included.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/job.h"
#include "store/jobs/rules.h"
#include "store/postgres/tx.h"

namespace muster::store::postgres {

using JobKey = std::int64_t;

// Bits of the flags column.
inline constexpr std::uint16_t kPayloadBytes = 1;  // encoding of the payload
inline constexpr std::uint16_t kResultBytes = 4;
inline constexpr std::uint16_t kCancelRequested = 16;
inline constexpr std::uint16_t kWatched = 64;      // another job waits for it
inline constexpr std::uint16_t kRun = 128;         // a durable workflow
inline constexpr std::uint16_t kChildRun = 256;    // a run that has a parent
inline constexpr std::uint16_t kDeadline = 512;    // ends then, also while it runs
inline constexpr std::uint16_t kOutwaited = 1024;  // runs, and its time to wait is over: expires_at is the deadline now
// Those that follow from the description.
inline constexpr std::uint16_t kDescribed = kPayloadBytes | kRun | kChildRun | kDeadline;

// Values of waiting.place.
enum class Place : std::int16_t { scheduled = 0, ready = 1, key_full = 2, blocked = 3 };
constexpr JobState state_of(Place place) {
  return place == Place::scheduled || place == Place::blocked ? JobState::scheduled : JobState::ready;
}

struct Wishes {
  NamespaceKey ns = 0;
  std::string concurrency_key;
  std::uint32_t concurrency_limit = 0;
  std::string sticky_key;
  std::string prefer;
  std::optional<std::int64_t> prefer_until;
  LaneKey fair_lane = 0;  // 0: not stamped, or its turn is over
  std::int64_t fair_start = 0;
  std::string unique_key;
  bool unique_waiting = false;  // held while it waits only
  std::optional<std::int64_t> not_before;
  std::uint32_t pending = 0;
  bool run_on_failure = false;
};

// A live job without its payload.
struct LiveJob {
  JobKey key = 0;
  bool running = false;
  Place place = Place::ready;  // while it waits
  JobEvent event = JobEvent::claimed;
  LaneKey lane = 0;   // its home
  LaneKey stand = 0;  // where it waits
  std::int64_t rank = 0;
  std::optional<std::int64_t> run_at;
  std::optional<std::int64_t> expires_at;
  std::optional<std::int64_t> started_at;
  std::optional<std::int64_t> times_out_at;
  std::uint32_t attempt = 0;
  std::uint32_t rescues = 0;
  std::int64_t fence = 0;
  WorkerKey worker = 0;          // the holder, or the last one
  std::int64_t lease_until = 0;  // heartbeats counted in
  std::uint16_t flags = 0;
  std::int16_t priority = 0;
  bool special = false;
  std::string spec;
  std::string attempts;  // JSON
  std::string cancel_reason;
  std::optional<Wishes> wishes;

  JobState state() const { return running ? JobState::running : state_of(place); }
  bool parked() const { return place != Place::blocked && jobs::is_parked((flags & kRun) != 0, state(), event); }
  jobs::Standing standing() const;
};

// (namespace, key, job) of several jobs, for the statements that name keys.
inline Table key_table() { return Table({Type::int4, Type::bytes, Type::int8}); }
inline std::optional<std::string_view> data_of(const std::optional<Content>& content) {
  return content ? std::optional<std::string_view>(content->data) : std::nullopt;
}

// The live ones among them, locked; the rest is missing in the answer (finished, or never was).
std::map<JobKey, LiveJob> lock_jobs(Tx& tx, const std::vector<JobKey>& keys);
// The same in three steps, for those who have more to ask in the same exchanges: the gates that jobs_gates found, taken at
// once; the locks, noted as kJobLockStatements statements; and what they answered, which begins at rows[at].
void lock_gates_in(Tx& tx, const Rows& gates);
inline constexpr std::size_t kJobLockStatements = 4;
void note_job_locks(Tx& tx, const std::vector<JobKey>& keys);
std::map<JobKey, LiveJob> locked_jobs(const std::vector<Rows>& rows, std::size_t at);

class Moves {
 public:
  explicit Moves(Tx& tx) : tx_(tx) {}

  // Each leaves `job` as it will be read after the commit, as store/jobs/rules.h says. `result`: of a completion.
  void move(LiveJob& job, const jobs::Verdict& verdict, const std::optional<Content>& result = std::nullopt);
  void lose(LiveJob& job, const JobError& error);
  void fail(LiveJob& job, const Failure& failure);
  void hand_back(LiveJob& job) { move(job, jobs::release(job.standing())); }
  void cancel(LiveJob& job, const JobError& error) { move(job, jobs::cancel(job.standing(), error)); }
  // A waiting job takes its place anew: for the worker it is bound to, for a preference, with its key, or in its own lane.
  void place(LiveJob& job);
  // A parked run is due now; others stay as they are.
  void wake(LiveJob& job);
  // Stands in its lane from now on: due, or what it waited for is done.
  void make_ready(LiveJob& job, std::int64_t run_at, JobEvent event);

  // Writes everything. Nothing is moved before it, and jobs must not be used after it.
  void flush();

  struct Outcome {
    JobState state = JobState::ready;
    std::uint32_t attempt = 0;
    std::optional<std::int64_t> run_at;
  };
  // What became of a job that was moved.
  const Outcome& outcome(JobKey key) const { return outcomes_.at(key); }

 private:
  struct Requeued {
    LiveJob job;
    JobEvent event;
    std::string error;  // empty: as it was
  };
  struct Finished {
    LiveJob job;
    JobState state;
    JobEvent event;
    std::string error;  // empty: as it was
    std::optional<Content> result;
  };
  struct Placed {
    LiveJob job;
    std::optional<JobEvent> event;  // empty: as it was
  };
  void requeue(LiveJob& job, JobEvent event, std::string error);
  void finish(LiveJob& job, JobState state, JobEvent event, std::string error, std::optional<Content> result = std::nullopt);
  void record_attempt(LiveJob& job, JobEvent outcome, const JobError& error);
  void choose_place(LiveJob& job);
  LaneKey lane_for_bound(const LiveJob& job, const LanePtr& home);
  LaneKey lane_for_preference(const LiveJob& job, const LanePtr& home);
  std::uint64_t holders_of(const Wishes& wishes);
  void arrive(const LiveJob& job);
  void write_requeued();
  void write_finished();
  void write_placed();
  void release();
  void write_parked();
  void call_freed_keys();
  bool settle_dependents();  // true: there were some, and they may have moved

  Tx& tx_;
  std::vector<Requeued> requeued_;
  std::vector<Finished> finished_;
  std::vector<Placed> placed_;     // waiting rows whose place changes
  std::vector<LiveJob> left_;      // gave up a lease, or finished: what they held is freed
  std::vector<LiveJob> parked_;    // found their key full
  std::vector<LiveJob> unparked_;  // no longer wait with their key
  std::set<std::pair<NamespaceKey, std::string>> freed_keys_;
  std::vector<std::pair<JobKey, bool>> watched_;  // finished jobs others wait for; true: completed
  std::map<JobKey, Outcome> outcomes_;
};

}  // namespace muster::store::postgres
