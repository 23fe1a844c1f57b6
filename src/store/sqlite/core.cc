// The moves of a job that several verbs share. Each keeps row, index and Group in step.
#include "store/sqlite/core.h"

#include <algorithm>
#include <unordered_set>

#include "store/codec/spec_text.h"
#include "store/runs/rules.h"
#include "store/sqlite/due_times.h"

namespace muster::store::sqlite {
namespace {

std::uint64_t* count_of(HotQueue& queue, JobState state) {
  switch (state) {
    case JobState::scheduled: return &queue.scheduled;
    case JobState::ready: return &queue.ready;
    case JobState::running: return &queue.running;
    case JobState::completed:
    case JobState::dead:
    case JobState::cancelled: return nullptr;
  }
  unreachable();
}

std::size_t* count_of(HotLane& lane, JobState state) {
  switch (state) {
    case JobState::scheduled: return &lane.scheduled;
    case JobState::ready: return &lane.ready;
    case JobState::running: return &lane.running;
    case JobState::completed:
    case JobState::dead:
    case JobState::cancelled: return nullptr;
  }
  unreachable();
}

}  // namespace

void Core::enter(const HotJob& job) {
  HotLane& home = lanes.at(job.home);
  ++home.scheduled;
  ++queues.at(home.queue).scheduled;
}

void Core::set_state(HotJob& job, JobState to) {
  HotLane& home = lanes.at(job.home);
  HotQueue& queue = queues.at(home.queue);
  if (std::uint64_t* count = count_of(queue, job.state)) --*count;
  if (std::uint64_t* count = count_of(queue, to)) ++*count;
  if (std::size_t* count = count_of(home, job.state)) --*count;
  if (std::size_t* count = count_of(home, to)) ++*count;
  job.state = to;
}

void Core::untell(const Group& untold) {
  for (auto change = untold.jobs.rbegin(); change != untold.jobs.rend(); ++change) {
    const auto key = ids.decode(change->id);
    HotJob* const job = key ? find(*key) : nullptr;
    if (job != nullptr && change->from) job->state = *change->from;
  }
}

JobChange& Core::tell(JobKey key, const HotJob& job, std::optional<JobState> from, JobEvent event, std::string cause) {
  JobChange& change = group.jobs.emplace_back();
  change.id = ids.encode(key);
  change.lane = lanes.at(job.home).lane;
  change.from = from;
  change.to = job.state;
  change.event = event;
  change.attempt = job.attempt;
  change.fence = Fence{job.fence};
  change.at = now;
  change.cause = std::move(cause);
  if (job.running)
    if (const HotWorker* worker = workers.find(job.running->worker)) change.worker = worker->worker.spec.id;
  if (is_finished(job.state) && (job.flags & kHasParent) != 0) change.parent = parent_of(key, job);
  return change;
}

std::optional<JobId> Core::parent_of(JobKey key, const HotJob& job) {
  std::optional<RunParent> parent;
  if (job.running && job.running->run)
    parent = job.running->run->spec.parent;
  else if (const auto run = read_spec(key).run)
    parent = run->parent;
  if (!parent) return std::nullopt;
  return parent->run;
}

JobSpec Core::read_spec(JobKey key) {
  JobSpec spec;
  Rows rows(sql.job_body.bind(1, key));
  if (rows.next()) spec_from_text(sql.job_body.view(1), spec);
  return spec;
}

void Core::write_move(JobKey key, const HotJob& job, std::optional<Instant> finished_at, const std::string& error_text) {
  Statement& st = sql.job_move;
  st.bind(1, key).bind(2, static_cast<std::int64_t>(job.state)).bind(3, static_cast<std::int64_t>(job.event));
  st.bind(4, static_cast<std::int64_t>(job.flags)).bind(5, job.rank);
  job.blocked() ? st.bind_null(6) : st.bind(6, job.run_at_ms);
  st.bind(7, static_cast<std::int64_t>(job.attempt)).bind(8, static_cast<std::int64_t>(job.rescues));
  finished_at ? st.bind(9, to_ms(*finished_at)) : st.bind_null(9);
  st.bind_text_or_null(10, error_text);
  st.run();
}

void Core::record_attempt(JobKey key, const HotJob& job, JobEvent outcome, const JobError& error) {
  const Instant started_at = job.running ? job.running->started_at : now;
  const std::string text = error_to_text(error);
  Statement& st = sql.attempt_insert;
  st.bind(1, key).bind(2, static_cast<std::int64_t>(job.attempt)).bind(3, static_cast<std::int64_t>(job.fence));
  st.bind(4, job.running ? job.running->worker : 0).bind(5, to_ms(started_at)).bind(6, to_ms(now));
  st.bind(7, static_cast<std::int64_t>(outcome)).bind_text(8, text);
  st.run();
  if (job.attempt + job.rescues >= limits::kAttemptRecordsMax)
    sql.attempt_trim.bind(1, key).bind(2, static_cast<std::int64_t>(limits::kAttemptRecordsMax)).run();
}

void Core::end_lease(JobKey key, HotJob& job) {
  GivenUp& given = group.given_up.emplace_back();
  given.job = key;
  given.worker = job.running->worker;
  given.lane = job.home;
  if (job.wishes) given.concurrency_key = job.wishes->concurrency_key;
  if (HotWorker* worker = workers.find(job.running->worker)) worker->leases.erase(key);
  job.running.reset();
  // Back among the waiting: a key that guards those is held again, unless another job took it meanwhile.
  if (job.wishes && !job.wishes->unique_key.empty() && !is_finished(job.state)) {
    const std::int64_t ns_row = queue_of(job).ns_row;
    if (uniques.find(ns_row, job.wishes->unique_key) == 0) uniques.put(ns_row, job.wishes->unique_key, key);
  }
}

void Core::schedule(JobKey key, HotJob& job, Instant run_at) {
  job.run_at_ms = to_ms(run_at);
  job.rank = rank_of(run_at, job.priority);
  if (run_at <= now) {
    set_state(job, JobState::ready);
    group.became_ready.push_back(key);
  } else {
    set_state(job, JobState::scheduled);
    group.scheduled.emplace_back(run_at, key);
  }
}

void Core::forget_unique(const HotJob& job, JobKey key) {
  if (job.wishes && !job.wishes->unique_key.empty()) uniques.erase(queue_of(job).ns_row, job.wishes->unique_key, key);
}

void Core::forget_fair(HotJob& job) {
  if (!job.wishes || job.wishes->fair_start == 0) return;
  HotLane& home = lanes.at(job.home);
  // Nobody waits for a turn any more: the virtual time starts over, or a silent key would be owed all of it.
  if (home.fair && --home.fair->waiting == 0) home.fair.reset();
  job.wishes->fair_start = 0;
}

jobs::Standing Core::standing(JobKey key, const HotJob& job) {
  jobs::Standing out{.state = job.state, .attempt = job.attempt, .rescues = job.rescues};
  if ((job.flags & kCancelRequested) != 0) {
    Rows rows(sql.job_cancel_reason.bind(1, key));
    out.cancel_reason = rows.next() ? sql.job_cancel_reason.text(0) : std::string();
  }
  return out;
}

void Core::move(JobKey key, HotJob& job, const jobs::Verdict& verdict) {
  if (verdict.record) {
    record_attempt(key, job, verdict.record->outcome, verdict.record->error);
    if (verdict.record->outcome == JobEvent::failed)
      if (HotWorker* worker = workers.find(job.running->worker)) ++worker->worker.failed;
  }
  const JobState from = job.state;
  const bool over = is_finished(verdict.to);
  job.event = verdict.event;
  job.attempt = verdict.attempt;
  job.rescues = static_cast<std::uint16_t>(verdict.rescues);
  if (verdict.run_at) {
    job.run_at_ms = to_ms(*verdict.run_at);
    job.rank = rank_of(*verdict.run_at, job.priority);
  }
  set_state(job, verdict.to);
  write_move(key, job, over ? std::optional(now) : std::nullopt, verdict.error ? error_to_text(*verdict.error) : std::string());
  tell(key, job, from, verdict.event, verdict.error ? verdict.error->kind : std::string());
  if (job.running) end_lease(key, job);
  if (over) return finish(key, job, verdict.to);
  if (verdict.to == JobState::ready) return group.became_ready.push_back(key);
  if (*verdict.run_at < runs::kForever) group.scheduled.emplace_back(*verdict.run_at, key);  // else only a signal ends it
}

void Core::lose(JobKey key, HotJob& job, const JobError& error) {
  move(key, job, jobs::lose(standing(key, job), read_spec(key).rescues_max, error));
}

void Core::fail_attempt(JobKey key, HotJob& job, const Failure& failure) {
  move(key, job, jobs::fail(standing(key, job), read_spec(key).retry, failure, now, spread()));
}

void Core::wake(JobKey key, HotJob& job) {
  const bool parked = jobs::is_parked((job.flags & kIsRun) != 0, job.state, job.event);
  if (!parked || job.blocked()) return;
  job.event = JobEvent::due;
  schedule(key, job, now);
  write_move(key, job, std::nullopt, {});
  tell(key, job, JobState::scheduled, JobEvent::due);
}

void Core::finish(JobKey key, HotJob& job, JobState to) {
  forget_unique(job, key);
  forget_fair(job);
  HotQueue& queue = queue_of(job);
  if (to == JobState::dead) ++queue.dead_total;
  if (job.wishes) {
    Wishes& wishes = *job.wishes;
    if (wishes.dependencies_pending > 0) sql.dependency_delete_of_job.bind(1, key).run();
    if (!wishes.concurrency_key.empty()) {
      if (wishes.waits_for_key)
        keys.at(queue.ns_row, wishes.concurrency_key).leave({job.lane, wishes.concurrency_limit}, {job.rank, key});
      // It may have been the one called out of the waiters: another one is called when this is durable.
      group.given_up.push_back({.job = key, .worker = 0, .lane = job.home, .concurrency_key = wishes.concurrency_key});
    }
  }
  bodies.take(key);
  ++finished;
  lanes.let_go(job.home);
  if (job.lane != job.home) lanes.let_go(job.lane);
  jobs.erase(key);
  dependency_finished(key, to == JobState::completed);
}

void Core::dependency_finished(JobKey finished_job, bool completed) {
  if (!dependents.contains(finished_job)) return;
  finished_work.emplace_back(finished_job, completed);
  if (finishing) return;  // The loop below, further up the stack, takes it.
  finishing = true;
  while (!finished_work.empty()) {
    const auto [job, ok] = finished_work.back();
    finished_work.pop_back();
    const auto waiting = dependents.extract(job);
    if (waiting.empty()) continue;
    for (const JobKey dependent : waiting.mapped()) settle_dependent(dependent, job, ok);
  }
  finishing = false;
}

void Core::settle_dependent(JobKey dependent, JobKey finished_job, bool completed) {
  HotJob* job = find(dependent);
  if (job == nullptr || !job->blocked()) return;
  sql.dependency_delete.bind(1, dependent).bind(2, finished_job).run();
  if (!completed && !job->wishes->run_on_dependency_failure)
    return move(dependent, *job, jobs::cancel(standing(dependent, *job), jobs::dependency_failed(ids.encode(finished_job))));
  if (--job->wishes->dependencies_pending > 0) return;
  const Instant run_at = std::max(job->wishes->not_before.value_or(now), now);
  job->event = JobEvent::due;
  schedule(dependent, *job, run_at);
  write_move(dependent, *job, std::nullopt, {});
  if (job->state == JobState::ready) tell(dependent, *job, JobState::scheduled, JobEvent::due);
}

namespace {

// Where a ready job waits, who is woken, and what happens once a group is durable.

// Wake-ups told for one loosened lane; the claims that follow wake the rest by polling.
constexpr std::size_t kWakesPerLaneMax = 1'000;

}  // namespace

bool Core::somebody_offers(const HotLane& home, const CapabilitySet& needs) {
  const Lane wanted{home.lane->ns, home.lane->queue, home.lane->type, needs};
  const std::int64_t ns_row = queues.at(home.queue).ns_row;
  for (auto it = workers.ordered().lower_bound({ns_row, {}}); it != workers.ordered().end() && it->first.first == ns_row; ++it) {
    const HotWorker* worker = workers.find(it->second);
    if (worker->worker.state == WorkerState::online && may_serve(*worker->lanes->offer, wanted)) return true;
  }
  return false;
}

LaneIndex Core::own_lane(LaneIndex home, const std::string& need) {
  const HotLane& from = lanes.at(home);
  CapabilitySet needs = from.lane->needs.with(need);
  if (const LaneIndex* found = lanes.find(from.queue, from.lane->type, needs)) return *found;
  if (lanes.size() >= lanes_max) return home;
  Lane lane{from.lane->ns, from.lane->queue, from.lane->type, std::move(needs)};
  const QueueIndex queue = from.queue;
  const LaneIndex index = lanes.add(std::move(lane), queue, 0, home);
  queues.at(queue).lanes.push_back(index);
  return index;
}

HotWorker* Core::bound_worker(const HotJob& job) {
  if (!job.wishes || job.wishes->sticky_key.empty()) return nullptr;
  HotWorker* bound = workers.find(bonds.find(queue_of(job).row, job.wishes->sticky_key));
  if (bound == nullptr || !bound->live()) return nullptr;
  return may_serve(*bound->lanes->offer, *lanes.at(job.home).lane) ? bound : nullptr;
}

void Core::place(JobKey key, HotJob& job) {
  HotQueue& queue = queue_of(job);
  if (job.lane != job.home) lanes.let_go(job.lane);
  job.lane = job.home;
  if (job.wishes) {
    Wishes& wishes = *job.wishes;
    if (HotWorker* bound = bound_worker(job)) {
      job.lane = own_lane(job.home, worker_capability(bound->worker.spec.id.text()));
      if (job.lane != job.home) bound->own_lanes.insert(job.lane);
    }
    if (job.lane == job.home && !wishes.prefer.empty() && now < wishes.prefer_until) {
      const CapabilitySet wanted = lanes.at(job.home).lane->needs.with(wishes.prefer);
      if (somebody_offers(lanes.at(job.home), wanted)) {
        job.lane = own_lane(job.home, wishes.prefer);
        preferences.add(wishes.prefer_until, key);
      }
    }
    if (job.lane != job.home) lanes.hold(job.lane);
    if (!wishes.concurrency_key.empty()) {
      KeyHold& hold = keys.at(queue.ns_row, wishes.concurrency_key);
      if (hold.holders.size() >= wishes.concurrency_limit) {
        wishes.waits_for_key = true;
        hold.wait({job.lane, wishes.concurrency_limit}, {job.rank, key});
        return;
      }
      wishes.waits_for_key = false;
    }
  }
  lanes.push(job.lane, {job.rank, key});
  queue.arrivals.push_back({job.run_at_ms, key});
  ++arrivals;
  tidy_arrivals(queue);
  group.wakes.push_back(lanes.at(job.lane).lane);
}

std::size_t Core::promote_due(std::size_t limit) {
  std::size_t moved = 0;
  while (moved < limit) {
    const auto key = due.pop(now);
    if (!key) break;
    HotJob* job = find(*key);
    // Cancelled, claimed after a retry, or put off again since the timer was set.
    if (job == nullptr || job->state != JobState::scheduled || job->blocked() || job->run_at() > now) continue;
    set_state(*job, JobState::ready);
    job->event = JobEvent::due;
    tell(*key, *job, JobState::scheduled, JobEvent::due);
    place(*key, *job);
    ++moved;
  }
  return moved;
}

std::optional<Instant> Core::next_due() const {
  std::optional<Instant> next = due.next();
  const auto take = [&next](Instant at) { next = std::min(next.value_or(at), at); };
  if (unsettled_due) take(*unsettled_due);
  for (const auto& [at, key] : group.scheduled) take(at);
  return next;
}

void Core::drop_stale_arrivals(HotQueue& queue) {
  while (!queue.arrivals.empty()) {
    const HotQueue::Arrival& front = queue.arrivals.front();
    const HotJob* job = find(front.key);
    if (job != nullptr && job->state == JobState::ready && job->run_at_ms == front.run_at_ms) return;
    queue.arrivals.pop_front();
    --arrivals;
  }
}

void Core::wake_queue(QueueIndex index, std::size_t per_lane) {
  for (const LaneIndex lane : queues.at(index).lanes) {
    const std::size_t waiting = std::min(lanes.at(lane).entries.size(), per_lane);
    for (std::size_t i = 0; i < waiting; ++i) group.wakes.push_back(lanes.at(lane).lane);
  }
}

void Core::free_key(std::int64_t ns_row, const std::string& key) {
  KeyHold& hold = keys.at(ns_row, key);
  std::vector<LaneEntry> called;
  for (const auto& [place, waiting] : hold.waiters)
    if (hold.holders.size() < place.limit) called.push_back(*waiting.begin());
  for (const LaneEntry& entry : called) {
    HotJob& job = *find(entry.key);
    hold.leave({job.lane, job.wishes->concurrency_limit}, entry);
    place(entry.key, job);
  }
  keys.drop_if_idle(ns_row, key);
}

void Core::committed() {
  for (const GivenUp& given : group.given_up) {
    const QueueIndex index = lanes.at(given.lane).queue;
    HotQueue& queue = queues.at(index);
    if (given.worker != 0) {
      if (HotWorker* worker = workers.find(given.worker); worker != nullptr && worker->slots_used > 0) --worker->slots_used;
      --queue.held;
      if (!queue.held_by_type.empty()) {
        const auto held = queue.held_by_type.find(lanes.at(given.lane).lane->type.text());
        if (held != queue.held_by_type.end() && --held->second == 0) queue.held_by_type.erase(held);
      }
      if (queue.settings.running_max || !queue.settings.running_max_by_type.empty()) wake_queue(index, 1);
      if (!given.concurrency_key.empty()) keys.at(queue.ns_row, given.concurrency_key).holders.erase(given.job);
    }
    if (!given.concurrency_key.empty()) free_key(queue.ns_row, given.concurrency_key);
  }
  for (const JobKey key : group.became_ready)
    if (HotJob* job = find(key); job != nullptr && job->state == JobState::ready) place(key, *job);
  for (const QueueIndex queue : group.loosened) wake_queue(queue, kWakesPerLaneMax);
  for (const auto& [at, key] : group.scheduled) due.add(at, key);
  // A retry without delay is due by now, and durable.
  promote_due(kPromotePerGroup);
  if (group.reserved_fences) fences.reserved();
  if (group.reserved_job_keys) job_keys.reserved();
}

void Core::free_own_lanes(HotWorker& worker) {
  for (const LaneIndex index : worker.own_lanes) {
    for (const LaneEntry& entry : lanes.take_entries(index))
      if (HotJob* job = find(entry.key); stands_at(job, index, entry)) place(entry.key, *job);
  }
  worker.own_lanes.clear();
}

namespace {

// The index grows with live jobs, not with lives: entries are hints that nobody searches to remove, so those of jobs that have
// moved on are dropped here, all at once, when they are more than half. A pass costs one walk over the live jobs and comes after
// at least as many new entries, so a life pays a constant for it.

constexpr std::size_t kStaleEntriesMax = 1'024;  // tolerated in each part beyond one for every live job
// Of leases and time-outs, which every life adds: one that ended early leaves them for as long as they would have run.
constexpr std::size_t kStaleGrantsMax = 2'048;

bool mostly_stale(std::size_t entries, std::size_t live, std::size_t tolerated = kStaleEntriesMax) {
  return entries > 2 * live + tolerated;
}

template <class Time, class When>
void tidy_timers(TimersOf<Time>& timers, const std::unordered_map<JobKey, HotJob>& jobs, When when,
                 std::size_t tolerated = kStaleEntriesMax) {
  if (!mostly_stale(timers.size(), jobs.size(), tolerated)) return;
  TimersOf<Time> kept;
  for (const auto& [key, job] : jobs)
    if (const std::optional<Time> at = when(job)) kept.add(*at, key);
  timers = std::move(kept);
}

}  // namespace

void Core::tidy_arrivals(HotQueue& queue) {
  if (!mostly_stale(queue.arrivals.size(), queue.ready)) return;
  std::unordered_set<JobKey> seen;
  std::deque<HotQueue::Arrival> kept;
  for (const HotQueue::Arrival& arrival : queue.arrivals) {
    const HotJob* job = find(arrival.key);
    const bool waits = job != nullptr && job->state == JobState::ready && job->run_at_ms == arrival.run_at_ms;
    if (waits && seen.insert(arrival.key).second) kept.push_back(arrival);
  }
  arrivals -= queue.arrivals.size() - kept.size();
  queue.arrivals = std::move(kept);
}

bool Core::wants_tidying() const {
  const std::size_t live = jobs.size();
  for (const std::size_t entries : {due.size(), expiries.size(), preferences.size(), lanes.entries()})
    if (mostly_stale(entries, live)) return true;
  return lanes.mostly_idle(lanes_max);
}

void Core::tidy_grants() {
  tidy_timers(leases, jobs, lease_end, kStaleGrantsMax);
  tidy_timers(timeouts, jobs, time_out, kStaleGrantsMax);
}

void Core::tidy() {
  tidy_timers(due, jobs, due_time);
  tidy_timers(expiries, jobs, expiry);
  tidy_timers(preferences, jobs, preference_end);
  if (mostly_stale(lanes.entries(), jobs.size()))
    lanes.keep_entries([this](LaneIndex lane, const LaneEntry& entry) { return stands_at(find(entry.key), lane, entry); });
  if (lanes.mostly_idle(lanes_max)) forget_idle_lanes();
}

void Core::forget_idle_lanes() {
  lanes.forget_idle();
  for (QueueIndex i = 0; i < queues.size(); ++i)
    std::erase_if(queues.at(i).lanes, [this](LaneIndex lane) { return !lanes.known(lane); });
  for (const auto& [name, key] : workers.ordered())
    std::erase_if(workers.find(key)->own_lanes, [this](LaneIndex lane) { return !lanes.known(lane); });
}

}  // namespace muster::store::sqlite
