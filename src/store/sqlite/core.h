// The store's state: rows through prepared statements, and the memory index over them. Owned by the writer thread, which
// alone calls it; a verb of verbs/ runs inside the writer's transaction, checks first and writes after, and leaves
// what others may see only once it is durable to the Group.
//
// Invariants between groups: every live row (state < 3) is in jobs_, nothing else is; a ready job stands in exactly one
// lane or with its concurrency key; a running job has a lease and is listed with its worker.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "model/change.h"
#include "store/codec/id_codec.h"
#include "store/jobs/rules.h"
#include "store/keys.h"
#include "store/sqlite/agent_statements.h"
#include "store/sqlite/db.h"
#include "store/sqlite/hot/job.h"
#include "store/sqlite/hot/keys.h"
#include "store/sqlite/hot/lanes.h"
#include "store/sqlite/hot/queues.h"
#include "store/sqlite/hot/workers.h"
#include "store/sqlite/key_cache.h"
#include "store/sqlite/keys/rows.h"
#include "store/sqlite/statements.h"

namespace muster::store::sqlite {

// Numbers that must never repeat, across crashes too: fences, sessions and job keys.
//
// A block is reserved in a commit before any number of it is used, so that a number can leave the process before the
// commit that goes with it. A crash wastes what is left of the block.

class NumberBlock {
 public:
  static constexpr std::int64_t kBlock = 1 << 20;

  void start(std::int64_t reserved) { next_ = limit_ = reserved; }
  bool empty() const { return next_ >= limit_; }
  std::int64_t next() const { return next_; }
  // REQUIRES: !empty().
  std::int64_t take() { return next_++; }

  // Less than half a block is left: write reserve() in this commit, and call reserved() once it is durable.
  bool low() const { return limit_ - next_ < kBlock / 2; }
  std::int64_t reserve() { return pending_ = (limit_ > next_ ? limit_ : next_) + kBlock; }
  void reserved() {
    if (pending_ > limit_) limit_ = pending_;
    pending_ = 0;
  }
  void abandon() { pending_ = 0; }

 private:
  std::int64_t next_ = 1;
  std::int64_t limit_ = 1;
  std::int64_t pending_ = 0;
};

// What one commit collects: changes to tell after it, and steps that other verbs may only see once it is durable.

// A lease that was given up: its slot, caps and key become free when that is durable, or a failed commit could leave two
// holders.
struct GivenUp {
  JobKey job = 0;
  WorkerKey worker = 0;
  LaneIndex lane = 0;
  std::string concurrency_key;
};

struct Group {
  std::vector<JobChange> jobs;
  std::vector<WorkerChange> workers;
  std::vector<QueueChanged> queues;
  std::vector<LaneRef> wakes;
  std::vector<JobKey> became_ready;  // to be placed in their lanes
  std::vector<GivenUp> given_up;
  std::vector<QueueIndex> loosened;                   // queues whose limits may let more through now
  std::vector<std::pair<Instant, JobKey>> scheduled;  // due then; not before it is durable

  std::vector<KeyPushed> pushed;
  std::vector<KeyChanges> key_changes;  // one for each batch, in their order

  bool reserved_fences = false;
  bool reserved_job_keys = false;

  bool is_empty() const {
    return jobs.empty() && workers.empty() && queues.empty() && wakes.empty() && became_ready.empty() && given_up.empty() &&
           loosened.empty() && scheduled.empty() && pushed.empty() && key_changes.empty() && !reserved_fences &&
           !reserved_job_keys;
  }
  void clear() {
    jobs.clear();
    workers.clear();
    queues.clear();
    wakes.clear();
    became_ready.clear();
    given_up.clear();
    loosened.clear();
    scheduled.clear();
    pushed.clear();
    key_changes.clear();
    reserved_fences = reserved_job_keys = false;
  }
};

// Payloads and results above this are kept apart from the hot row.
inline constexpr std::size_t kInlineBytesMax = 2'048;

// Scheduled jobs moved along with a group, so that a claim never depends on a sweep to see what is due.
inline constexpr std::size_t kPromotePerGroup = 2'000;

// What a row of the table `lanes` says.
struct LaneRow {
  std::int64_t ns_row = 0;
  Lane lane;
};

// Looking for lanes that no job names any more, in steps: the lanes of all jobs are noted, then the other lanes go.
struct LanePruning {
  enum class Phase : std::uint8_t { resting, noting, removing };
  Phase phase = Phase::resting;
  std::int64_t from = 0;   // the job, then the lane, where it goes on
  std::int64_t below = 0;  // lanes that were there when it began
  std::unordered_set<std::int64_t> named;
  std::size_t changes = 0;  // lanes made and jobs removed since it began last
};

struct Core {
  Core(Connection& connection, std::uint64_t random_seed, std::size_t most_lanes)
      : db(connection),
        sql(connection),
        key_sql(connection),
        agent_sql(connection),
        lanes_max(most_lanes),
        random_state(random_seed) {}

  // Reads everything from the rows; used at open and after a failed commit. Leases of running jobs start over at their full
  // length, since the time they were last renewed is not written. REQUIRES: `now` and `listened` are set.
  Status rebuild();

  // The group is durable: what waited for that happens now. Fills group.wakes.
  void committed();

  // --- moves, used by several verbs ---

  HotJob* find(JobKey key) {
    const auto it = jobs.find(key);
    return it == jobs.end() ? nullptr : &it->second;
  }
  // A job begins to live, as scheduled until set_state() says otherwise.
  void enter(const HotJob& job);
  // Keeps the counts of its queue and lane in step.
  void set_state(HotJob& job, JobState to);
  // Puts a ready job where it waits: its lane, a worker's own lane, or its concurrency key.
  void place(JobKey key, HotJob& job);
  // The job ends here: dependents hear of it, keys become free, the index forgets it. The row is written by the caller.
  void finish(JobKey key, HotJob& job, JobState to);
  // Writes the changeable part of the row as the index has it.
  void write_move(JobKey key, const HotJob& job, std::optional<Instant> finished_at, const std::string& error_text);
  // What store/jobs/rules.h is asked about, and what it answers, carried out: row, index and Group.
  jobs::Standing standing(JobKey key, const HotJob& job);
  void move(JobKey key, HotJob& job, const jobs::Verdict& verdict);
  void lose(JobKey key, HotJob& job, const JobError& error);
  void fail_attempt(JobKey key, HotJob& job, const Failure& failure);
  void hand_back(JobKey key, HotJob& job) { move(key, job, jobs::release(standing(key, job))); }
  // The live worker a sticky key holds the job for, if that worker can do it; nullptr: everybody may take it.
  HotWorker* bound_worker(const HotJob& job);
  // A run that sleeps, or waits for a signal or a child, is due now. Others stay as they are.
  void wake(JobKey key, HotJob& job);
  std::optional<JobId> parent_of(JobKey key, const HotJob& job);
  void end_lease(JobKey key, HotJob& job);
  void record_attempt(JobKey key, const HotJob& job, JobEvent outcome, const JobError& error);
  // Dependents of a finished job are released or cancelled, and theirs in turn, without recursion.
  void dependency_finished(JobKey finished_job, bool completed);
  void settle_dependent(JobKey dependent, JobKey finished_job, bool completed);
  void forget_unique(const HotJob& job, JobKey key);
  void forget_fair(HotJob& job);
  void schedule(JobKey key, HotJob& job, Instant run_at);
  void track_wishes(JobKey key, HotJob& job, const JobSpec& spec, Instant created_at, std::optional<Instant> expires_at);
  void redriven_below(JobKey key);
  JobKey next_job_key() const { return job_keys.next(); }

  JobSpec read_spec(JobKey key);
  JobChange& tell(JobKey key, const HotJob& job, std::optional<JobState> from, JobEvent event, std::string cause = {});
  void tell(const HotWorker& worker, std::optional<WorkerState> from, std::string cause);
  // What the group was to tell is not told: its jobs are known by what was told before, until rebuild(). Newest group first.
  void untell(const Group& untold);
  void write_worker(const HotWorker& worker);
  void take_offline(HotWorker& worker, const char* cause);
  void heard(HotWorker& worker);
  // The contents of the model's Worker, counts included. A live worker was last seen as long ago as it has been silent.
  Worker snapshot(const HotWorker& worker) const;
  // What people and workers are told of a listened time: the instant at which it comes if the server goes on listening.
  Instant wall(Ticks listened_at) const { return now + std::chrono::ceil<Duration>(listened_at - listened); }
  // The jobs held for a worker that is gone go back to everybody.
  void free_own_lanes(HotWorker& worker);
  bool somebody_offers(const HotLane& home, const CapabilitySet& needs);

  // Moves scheduled jobs whose time has come; nothing is written for it. Returns how many.
  std::size_t promote_due(std::size_t limit);
  void drop_stale_arrivals(HotQueue& queue);  // from the front
  void tidy_arrivals(HotQueue& queue);        // all of them, once they are most of it
  void free_key(std::int64_t ns_row, const std::string& key);
  void wake_queue(QueueIndex queue, std::size_t per_lane);

  Result<std::int64_t> namespace_row(const NamespaceName& name);
  QueueIndex queue_for(std::int64_t ns_row, const NamespaceName& ns, const QueueName& name);
  // From memory, else from the rows. nullopt: there is none.
  std::optional<LaneRow> read_lane(std::int64_t row);
  Result<LaneIndex> lane_for(QueueIndex queue, const JobType& type, const CapabilitySet& needs);
  LaneIndex own_lane(LaneIndex home, const std::string& need);
  const HotQueue& queue_of(const HotJob& job) const { return queues.at(lanes.at(job.home).queue); }
  HotQueue& queue_of(const HotJob& job) { return queues.at(lanes.at(job.home).queue); }

  // When the next scheduled job is due, whether that is durable or not.
  std::optional<Instant> next_due() const;

  // Entries of the index whose jobs have moved on, or lanes without live jobs, are most of it.
  bool wants_tidying() const;
  // Drops them. REQUIRES: nothing is unsettled: groups name lanes that may have no live job any more.
  void tidy();
  // The same for leases and time-outs, which belong to jobs that were durable when they were handed out: whenever it suits.
  void tidy_grants();
  // Of timers, lanes and arrivals; what tidy() keeps in proportion to the live jobs.
  std::size_t index_entries() const {
    return due.size() + leases.size() + timeouts.size() + expiries.size() + preferences.size() + lanes.entries() + arrivals;
  }
  void forget_idle_lanes();

  void put_meta(const char* name, std::int64_t value);
  std::optional<std::int64_t> get_meta(const char* name);
  bool numbers_low() const { return fences.low() || job_keys.low(); }
  // Reserves more numbers in this commit when they run low.
  void reserve_numbers();
  double spread() {
    random_state = mix64(random_state);
    return static_cast<double>(random_state >> 11) * 0x1.0p-53;
  }

  Connection& db;
  Statements sql;
  KeyStatements key_sql;
  AgentStatements agent_sql;
  Instant now{};                         // of the group: read once
  Ticks listened{};                      // of the group: what silence is judged by; see base/listening.h
  bool in_group = false;                 // verbs change rows now
  std::vector<const Group*> unsettled;   // groups that have run and are not durable yet, in their order
  std::optional<Instant> unsettled_due;  // the earliest of what those have scheduled
  Group group;
  IdCodec ids;
  StepIdCodec step_ids;
  KeyCache key_cache;  // any thread may look

  std::unordered_map<JobKey, HotJob> jobs;
  std::unordered_map<JobKey, std::vector<JobKey>> dependents;  // by the job they wait for
  Bodies bodies;
  Queues queues;
  Lanes lanes;
  Workers workers;
  ConcurrencyKeys keys;
  UniqueKeys uniques;
  StickyBonds bonds;
  Timers due;
  ListenedTimers leases;
  ListenedTimers timeouts;
  Timers expiries;
  Timers preferences;
  NumberBlock fences;  // also sessions
  NumberBlock job_keys;
  std::int64_t next_worker = 1;
  std::int64_t next_queue = 1;
  std::int64_t next_lane = 1;
  std::size_t lane_rows = 0;
  std::size_t arrivals = 0;  // of all queues
  LanePruning lane_pruning;
  std::int64_t next_namespace = 1;
  JobKey oldest_live = 1;                              // every row below is finished
  JobKey prune_from = 0;                               // where the next retention pass goes on
  std::int64_t settle_from = 0;                        // behind which action the next pass over open ones goes on
  std::uint64_t finished = 0;                          // finished rows
  std::int64_t finished_below = 0;                     // of them, those below oldest_live
  std::vector<std::pair<JobKey, bool>> finished_work;  // see dependency_finished
  bool finishing = false;
  const std::size_t lanes_max;
  std::uint64_t random_state;
};

}  // namespace muster::store::sqlite
