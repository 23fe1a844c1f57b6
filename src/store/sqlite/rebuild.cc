// The memory index, read back from the rows: at open, and after a commit that failed.
#include "store/codec/columns.h"
#include "store/codec/spec_text.h"
#include "store/runs/rules.h"
#include "store/sqlite/core.h"

namespace muster::store::sqlite {
namespace {

void load_namespaces(Core& core) {
  Rows rows(core.sql.namespace_all);
  while (rows.next()) {
    Statement& st = core.sql.namespace_all;
    HotNamespace entry;
    entry.row = st.integer(0);
    entry.info = {.name = NamespaceName(st.text(1)),
                  .created_at = from_ms(st.integer(3)),
                  .description = st.text(2),
                  .display_name = st.text(4),
                  .enabled = st.integer(5) != 0,
                  .updated_at = from_ms(st.integer(6))};
    core.next_namespace = std::max(core.next_namespace, entry.row + 1);
    core.queues.add_namespace(std::move(entry));
  }
}

void load_queues(Core& core) {
  Rows rows(core.sql.queue_all);
  while (rows.next()) {
    Statement& st = core.sql.queue_all;
    const HotNamespace* ns = core.queues.namespace_by_row(st.integer(1));
    if (ns == nullptr) continue;
    HotQueue queue;
    queue.row = st.integer(0);
    queue.ns_row = st.integer(1);
    queue.ns = ns->info.name;
    queue.name = QueueName(st.text(2));
    queue.settings = settings_from_text(st.view(3));
    core.next_queue = std::max(core.next_queue, queue.row + 1);
    core.queues.add(std::move(queue));
  }
}

void count_lanes(Core& core) {
  Rows rows(core.sql.lane_count);
  if (!rows.next()) return;
  core.lane_rows = static_cast<std::size_t>(core.sql.lane_count.integer(0));
  core.next_lane = std::max(core.next_lane, core.sql.lane_count.integer(1) + 1);
}

// Only lanes of live jobs are needed in memory.
std::optional<LaneIndex> load_lane(Core& core, std::int64_t row) {
  if (const LaneIndex* known = core.lanes.find_row(row)) return *known;
  auto named = core.read_lane(row);
  const QueueIndex* queue = named ? core.queues.find(named->ns_row, named->lane.queue) : nullptr;
  if (queue == nullptr) return std::nullopt;
  const LaneIndex index = core.lanes.add(std::move(named->lane), *queue, row, 0);
  core.queues.at(*queue).lanes.push_back(index);
  return index;
}

void load_workers(Core& core) {
  Rows rows(core.sql.worker_all);
  while (rows.next()) {
    Statement& st = core.sql.worker_all;
    const HotNamespace* ns = core.queues.namespace_by_row(st.integer(1));
    if (ns == nullptr) continue;
    HotWorker hot;
    hot.key = st.integer(0);
    hot.ns_row = st.integer(1);
    Worker& worker = hot.worker;
    read_worker(st, 5, worker);
    worker.spec.ns = ns->info.name;
    // Beats are not written: a live worker gets its full time to be heard after a restart.
    if (hot.live()) core.heard(hot);
    if (worker.drain_deadline) hot.drain_ends = core.listened + (*worker.drain_deadline - core.now);
    hot.lanes = core.lanes.lanes_of(offer_of(worker.spec));
    core.next_worker = std::max(core.next_worker, hot.key + 1);
    core.workers.add(std::move(hot));
  }
}

// `known`: what was known of the same job, or null.
void load_lease(Core& core, JobKey key, HotJob& job, const JobSpec& spec, const HotJob* known) {
  Statement& st = core.sql.job_live;
  job.running = std::make_unique<Running>();
  Running& running = *job.running;
  running.fence = Fence{job.fence};
  running.worker = st.integer(12);
  running.started_at = from_ms(st.integer(13));
  HotWorker* worker = core.workers.find(running.worker);
  const HeartbeatPolicy policy =
      worker != nullptr ? worker->worker.spec.policy.value_or(default_policy(Dialect::http)) : default_policy(Dialect::http);
  running.lease_ttl = st.is_null(16) ? spec.lease_ttl.value_or(policy.dead_after) : Duration(st.integer(16));
  running.lease_ends = core.listened + running.lease_ttl;
  core.leases.add(running.lease_ends, key);
  if (spec.timeout) {
    // The time since its start was listened to, or was not; after a start only the wall clock tells.
    const bool is_known = known != nullptr && known->running && known->running->fence == running.fence;
    running.times_out = is_known && known->running->times_out ? *known->running->times_out
                                                              : core.listened + (running.started_at + *spec.timeout - core.now);
    core.timeouts.add(*running.times_out, key);
  }
  if (spec.run) running.run = memo_of(*spec.run);
  HotQueue& queue = core.queue_of(job);
  ++queue.held;
  if (queue.counts_types()) ++queue.held_by_type[core.lanes.at(job.home).lane->type.text()];
  if (worker != nullptr) {
    worker->leases.insert(key);
    ++worker->slots_used;
  }
  if (job.wishes && !job.wishes->concurrency_key.empty())
    core.keys.at(queue.ns_row, job.wishes->concurrency_key).holders.insert(key);
}

// Returns the jobs that are ready; they are placed once everything they depend on is known.
std::vector<JobKey> load_jobs(Core& core, const std::unordered_map<JobKey, HotJob>& before) {
  std::vector<JobKey> ready;
  Statement& st = core.sql.job_live;
  Rows rows(st.bind(1, core.oldest_live));
  while (rows.next()) {
    const auto lane = load_lane(core, st.integer(1));
    if (!lane) {
      core.db.set_fault(Status::corrupt("a job names a lane that does not exist"));
      return ready;
    }
    const JobKey key = st.integer(0);
    HotJob& job = core.jobs[key];
    job.home = job.lane = *lane;
    core.lanes.hold(job.home);
    read_columns(st, 3, job.flags, job.priority, job.rank, job.run_at_ms, job.created_at_ms, job.event, job.attempt, job.rescues,
                 job.fence);
    JobSpec spec;
    if (const std::string_view text = st.view(14); !text.empty()) {
      spec_from_text(text, spec);
      std::optional<Instant> expires_at;
      if (const auto at = st.optional_integer(15)) expires_at = from_ms(*at);
      core.track_wishes(key, job, spec, from_ms(job.created_at_ms), expires_at);
    }
    auto state = static_cast<JobState>(st.integer(2));
    const auto found = before.find(key);
    const HotJob* const known = found != before.end() ? &found->second : nullptr;
    // Being due is not written. A job stays what this process has told it to be, wherever the clock is now.
    if (state == JobState::scheduled && !st.is_null(6)) {
      const bool told = known != nullptr && (known->state == JobState::scheduled || known->state == JobState::ready);
      if (told ? known->state == JobState::ready : job.run_at() <= core.now) state = JobState::ready;
    }
    core.enter(job);
    core.set_state(job, state);
    if (state == JobState::running) load_lease(core, key, job, spec, known);
    if (state == JobState::ready) ready.push_back(key);
    if (state == JobState::scheduled && !st.is_null(6) && job.run_at() < runs::kForever) core.due.add(job.run_at(), key);
  }
  return ready;
}

void load_dependencies(Core& core) {
  Rows rows(core.sql.dependency_all);
  while (rows.next()) {
    const JobKey key = core.sql.dependency_all.integer(0);
    HotJob* job = core.find(key);
    if (job == nullptr || !job->wishes) continue;
    ++job->wishes->dependencies_pending;
    core.dependents[core.sql.dependency_all.integer(1)].push_back(key);
  }
}

}  // namespace

void Core::track_wishes(JobKey key, HotJob& job, const JobSpec& spec, Instant created_at, std::optional<Instant> expires_at) {
  const bool any =
      spec.unique || spec.concurrency || spec.fairness || spec.affinity != Affinity() || expires_at || !spec.after.empty();
  if (!any) return;
  job.wishes = std::make_unique<Wishes>();
  Wishes& wishes = *job.wishes;
  if (spec.unique) {
    wishes.unique_key = spec.unique->key;
    wishes.unique_during = spec.unique->during;
  }
  if (spec.concurrency) {
    wishes.concurrency_key = spec.concurrency->key;
    wishes.concurrency_limit = spec.concurrency->limit;
  }
  if (spec.fairness) {
    wishes.fairness_key = spec.fairness->key;
    wishes.fairness_weight = spec.fairness->weight;
  }
  wishes.sticky_key = spec.affinity.sticky_key;
  wishes.prefer = spec.affinity.prefer;
  if (!wishes.prefer.empty())
    wishes.prefer_until = std::max(spec.run_at.value_or(created_at + spec.delay), created_at) + spec.affinity.prefer_wait;
  wishes.expires_at = expires_at;
  if (expires_at) expiries.add(*expires_at, key);
  // One that a re-driven job has behind it does not count any more; see jobs::start_over().
  if (spec.deadline && expires_at && *expires_at <= *spec.deadline) wishes.deadline = spec.deadline;
  if (!spec.after.empty()) wishes.not_before = spec.run_at.value_or(created_at + spec.delay);
  wishes.run_on_dependency_failure = spec.on_dependency_failure == OnDependencyFailure::run;
}

Status Core::rebuild() {
  // Numbers that have left the process must not come again, so a rebuild after a failed commit keeps the counters.
  const bool first = job_keys.empty() && fences.empty();
  group.clear();
  finished_work.clear();
  finishing = false;
  const std::unordered_map<JobKey, HotJob> before = std::move(jobs);
  jobs.clear();
  dependents.clear();
  bodies = Bodies();
  queues = Queues();
  arrivals = 0;
  lanes = Lanes();
  lane_pruning = LanePruning();
  workers = Workers();
  keys = ConcurrencyKeys();
  uniques = UniqueKeys();
  bonds = StickyBonds();
  due = expiries = preferences = Timers();
  leases = timeouts = ListenedTimers();

  const auto salt = static_cast<std::uint64_t>(get_meta("salt").value_or(0));
  ids = IdCodec(salt);
  step_ids = StepIdCodec(salt);
  oldest_live = get_meta("oldest_live").value_or(1);
  finished_below = get_meta("finished_below").value_or(0);
  if (first) {
    fences.start(get_meta("fences").value_or(1));
    Rows last(sql.job_last);
    const JobKey newest = last.next() ? sql.job_last.integer(0) : 0;
    job_keys.start(std::max(get_meta("job_keys").value_or(1), newest + 1));
  }

  load_namespaces(*this);
  load_queues(*this);
  count_lanes(*this);
  load_workers(*this);
  {
    Rows rows(sql.sticky_all);
    while (rows.next()) bonds.put(sql.sticky_all.integer(0), sql.sticky_all.text(1), sql.sticky_all.integer(2));
  }
  const std::vector<JobKey> ready = load_jobs(*this, before);
  load_dependencies(*this);
  for (auto& [key, job] : jobs) {
    if (!job.wishes || job.wishes->unique_key.empty()) continue;
    if (job.state != JobState::running || job.wishes->unique_during == UniqueWhile::unfinished)
      uniques.put(queue_of(job).ns_row, job.wishes->unique_key, key);
  }
  for (const JobKey key : ready) {
    HotJob& job = *find(key);
    if (job.wishes && !job.wishes->fairness_key.empty() && job.event == JobEvent::enqueued) {
      // The stamp is in the rank; the keys' finishes follow from the stamps of those that still wait.
      job.wishes->fair_start = job.rank + job.priority * kAgeingPerPoint.count();
      HotLane& home = lanes.at(job.home);
      if (!home.fair) home.fair = std::make_unique<FairState>();
      ++home.fair->waiting;
      std::int64_t& finish_at = home.fair->finish[job.wishes->fairness_key];
      finish_at = std::max(finish_at, job.wishes->fair_start + fair_cost(job.wishes->fairness_weight));
      home.fair->lane_time =
          home.fair->lane_time == 0 ? job.wishes->fair_start : std::min(home.fair->lane_time, job.wishes->fair_start);
    }
    place(key, job);
  }
  {
    Rows rows(sql.job_count_finished.bind(1, oldest_live));
    finished = static_cast<std::uint64_t>(finished_below) +
               (rows.next() ? static_cast<std::uint64_t>(sql.job_count_finished.integer(0)) : 0);
  }
  group.clear();
  return db.fault();
}

}  // namespace muster::store::sqlite
