#include "store/postgres/moves.h"

#include <algorithm>
#include <set>

#include "model/rank.h"
#include "store/codec/columns.h"
#include "store/codec/spec_text.h"
#include "store/postgres/node.h"
#include "store/postgres/wishes.h"

namespace muster::store::postgres {
namespace {

JobSpec spec_of(const LiveJob& job) {
  JobSpec spec;
  spec_from_text(job.spec, spec);
  return spec;
}

}  // namespace

jobs::Standing LiveJob::standing() const {
  jobs::Standing out{.state = state(), .attempt = attempt, .rescues = rescues};
  if ((flags & kCancelRequested) != 0) out.cancel_reason = cancel_reason;
  return out;
}

void Moves::lose(LiveJob& job, const JobError& error) { move(job, jobs::lose(job.standing(), spec_of(job).rescues_max, error)); }

void Moves::fail(LiveJob& job, const Failure& failure) {
  move(job, jobs::fail(job.standing(), spec_of(job).retry, failure, tx_.now(), tx_.node().spread()));
}

void Moves::move(LiveJob& job, const jobs::Verdict& verdict, const std::optional<Content>& result) {
  if (verdict.record) {
    record_attempt(job, verdict.record->outcome, verdict.record->error);
    if (verdict.record->outcome == JobEvent::failed) tx_.directory().count_worker(job.worker, false);
  }
  if (verdict.to == JobState::completed) {
    tx_.directory().count_worker(job.worker, true);
    if (const LanePtr lane = tx_.directory().lane(job.lane)) tx_.directory().count_completed(lane->queue, 1, tx_.now());
  }
  const JobState from = job.state();
  job.attempt = verdict.attempt;
  job.rescues = verdict.rescues;
  tx_.tell(job.key, job.lane, from, verdict.to, verdict.event, job.attempt, job.fence, job.running ? job.worker : 0,
           verdict.error ? verdict.error->kind : std::string());
  std::string error = verdict.error ? error_to_text(*verdict.error) : std::string();
  if (is_finished(verdict.to)) return finish(job, verdict.to, verdict.event, std::move(error), result);
  job.place = verdict.to == JobState::ready ? Place::ready : Place::scheduled;
  if (verdict.run_at) {
    job.run_at = to_ms(*verdict.run_at);
    job.rank = rank_of(*verdict.run_at, job.priority);
    // What may run again at once is due in the same breath.
    if (*verdict.run_at <= tx_.now()) {
      job.place = Place::ready;
      tx_.tell(job.key, job.lane, JobState::scheduled, JobState::ready, JobEvent::due, job.attempt, job.fence, 0);
    }
  }
  requeue(job, verdict.event, std::move(error));
}

void Moves::record_attempt(LiveJob& job, JobEvent outcome, const JobError& error) {
  std::vector<AttemptRecord> records = attempts_from_text(job.attempts);
  AttemptRecord record;
  record.attempt = job.attempt;
  record.fence = Fence{static_cast<std::uint64_t>(job.fence)};
  if (const WorkerPtr worker = tx_.worker(job.worker)) record.worker = worker->worker.spec.id;
  record.started_at = from_ms(job.started_at.value_or(tx_.now_ms()));
  record.ended_at = tx_.now();
  record.outcome = outcome;
  record.error = error;
  records.push_back(std::move(record));
  if (records.size() > limits::kAttemptRecordsMax)
    records.erase(records.begin(), records.end() - static_cast<std::ptrdiff_t>(limits::kAttemptRecordsMax));
  job.attempts = attempts_to_text(records);
}

void Moves::requeue(LiveJob& job, JobEvent event, std::string error) {
  left_.push_back(job);  // its lease, as it was while it ran
  // A lane may be made or a worker asked for: that must see the lease given up, so the place is chosen in flush().
  outcomes_[job.key] = {state_of(job.place), job.attempt, job.run_at};
  requeued_.push_back({job, event, std::move(error)});
}

void Moves::finish(LiveJob& job, JobState state, JobEvent event, std::string error, std::optional<Content> result) {
  if (state == JobState::dead)
    if (const LanePtr lane = tx_.directory().lane(job.lane)) tx_.directory().count_dead(lane->queue, 1);
  // The change that was told last is that of this end.
  tx_.changes.jobs.back().parent = parent_of(job.flags, job.spec);
  left_.push_back(job);
  if ((job.flags & kWatched) != 0) watched_.emplace_back(job.key, state == JobState::completed);
  outcomes_[job.key] = {state, job.attempt, std::nullopt};
  finished_.push_back({job, state, event, std::move(error), std::move(result)});
}

void Moves::place(LiveJob& job) { placed_.push_back({job, std::nullopt}); }

void Moves::wake(LiveJob& job) {
  if (!job.parked()) return;
  make_ready(job, std::min(tx_.now_ms(), *job.run_at), JobEvent::due);
  job.event = JobEvent::due;
}

void Moves::make_ready(LiveJob& job, std::int64_t run_at, JobEvent event) {
  job.run_at = run_at;
  job.rank = rank_of(from_ms(run_at), job.priority);
  if (run_at <= tx_.now_ms()) {
    tx_.tell(job.key, job.lane, JobState::scheduled, JobState::ready, JobEvent::due, job.attempt, job.fence, 0);
    job.place = Place::ready;
  } else {
    job.place = Place::scheduled;
  }
  placed_.push_back({job, event});
}

std::uint64_t Moves::holders_of(const Wishes& wishes) {
  const Rows rows = tx_.ask("holders_count"_sql, Params().int4(wishes.ns).bytes(wishes.concurrency_key));
  return rows.size() == 0 ? 0 : static_cast<std::uint64_t>(rows.integer(0, 0));
}

LaneKey Moves::lane_for_bound(const LiveJob& job, const LanePtr& home) {
  const Rows rows = tx_.ask("sticky_find"_sql, Params().int4(home->queue).bytes(job.wishes->sticky_key));
  if (rows.size() == 0) return job.lane;
  const WorkerPtr bound = tx_.load_worker(static_cast<WorkerKey>(rows.integer(0, 0)));
  if (bound == nullptr || bound->worker.state == WorkerState::offline || !may_serve(*bound->offer, *home->lane)) return job.lane;
  const auto lane = tx_.lane_for(home->ns, home->lane->queue, home->lane->type,
                                 home->lane->needs.with(worker_capability(bound->worker.spec.id.text())), true, job.lane);
  return lane.ok() ? (*lane)->key : job.lane;
}

LaneKey Moves::lane_for_preference(const LiveJob& job, const LanePtr& home) {
  const CapabilitySet wanted = home->lane->needs.with(job.wishes->prefer);
  const Lane preferred{home->lane->ns, home->lane->queue, home->lane->type, wanted};
  const Rows rows = tx_.ask("workers_online"_sql, Params().int4(home->ns));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto key = static_cast<WorkerKey>(rows.integer(i, 0));
    WorkerPtr worker = tx_.worker(key);
    if (worker != nullptr && worker->revision != rows.integer(i, 1)) worker = tx_.load_worker(key);
    if (worker == nullptr || !may_serve(*worker->offer, preferred)) continue;
    const auto lane = tx_.lane_for(home->ns, home->lane->queue, home->lane->type, wanted, true, job.lane);
    return lane.ok() ? (*lane)->key : job.lane;
  }
  return job.lane;
}

void Moves::choose_place(LiveJob& job) {
  job.stand = job.lane;
  if (job.place == Place::scheduled || job.place == Place::blocked) return;
  job.place = Place::ready;
  const LanePtr home = tx_.directory().lane(job.lane);
  if (!job.wishes || home == nullptr) return;
  const Wishes& wishes = *job.wishes;
  if (!wishes.sticky_key.empty()) job.stand = lane_for_bound(job, home);
  if (job.stand == job.lane && !wishes.prefer.empty() && tx_.now_ms() < wishes.prefer_until.value_or(0))
    job.stand = lane_for_preference(job, home);
  if (!wishes.concurrency_key.empty() && holders_of(wishes) >= wishes.concurrency_limit) job.place = Place::key_full;
}

void Moves::write_requeued() {
  if (requeued_.empty()) return;
  Table rows(
      {Type::int8, Type::int2, Type::int4, Type::int8, Type::int8, Type::int4, Type::int4, Type::int2, Type::text, Type::text});
  for (Requeued& entry : requeued_) {
    LiveJob& job = entry.job;
    choose_place(job);
    job.running = false;
    rows.add(job.key, job.place, job.stand, job.rank, job.run_at, job.attempt, job.rescues, entry.event, or_null(entry.error),
             or_null(job.attempts));
    arrive(job);
  }
  tx_.write("requeue"_sql, rows.params());
  requeued_.clear();
}

// What a job that waits anew brings about: a wake-up, a place with its key, a timer.
void Moves::arrive(const LiveJob& job) {
  switch (job.place) {
    case Place::ready: return tx_.wake(job.stand);
    case Place::key_full: parked_.push_back(job); return;
    case Place::scheduled: tx_.node().expect_due(*job.run_at); return;
    case Place::blocked: return;
  }
}

void Moves::write_finished() {
  Table running({Type::int8, Type::int2, Type::int2, Type::int4, Type::int2, Type::bytes, Type::text, Type::text});
  Table waiting({Type::int8, Type::int2, Type::int2, Type::text});
  for (const Finished& entry : finished_) {
    const LiveJob& job = entry.job;
    if (!job.running) {
      waiting.add(job.key, entry.state, entry.event, or_null(entry.error));
      continue;
    }
    std::uint16_t flags = job.flags;
    if (entry.result && entry.result->encoding == Encoding::bytes) flags |= kResultBytes;
    running.add(job.key, entry.state, entry.event, job.attempt, flags, data_of(entry.result), or_null(entry.error),
                or_null(job.attempts));
  }
  if (!running.empty()) tx_.write("finish_running"_sql, running.params());
  if (!waiting.empty()) tx_.write("finish_waiting"_sql, waiting.params());
  finished_.clear();
}

void Moves::write_placed() {
  if (placed_.empty()) return;
  Table rows({Type::int8, Type::int2, Type::int4, Type::int8, Type::int8, Type::int2});
  for (Placed& entry : placed_) {
    LiveJob& job = entry.job;
    if (job.place == Place::key_full) unparked_.push_back(job);  // where it stood until now
    if (job.place == Place::key_full) job.place = Place::ready;
    choose_place(job);
    rows.add(job.key, job.place, job.stand, job.rank, job.run_at, entry.event);
    arrive(job);
  }
  tx_.write("replace"_sql, rows.params());
  placed_.clear();
}

void Moves::flush() {
  do {
    // What is given up is given up first, so that whoever chooses a place sees it free.
    release();
    write_finished();
    write_requeued();
    write_placed();
    write_parked();
    call_freed_keys();
  } while (settle_dependents());
}

namespace {

// What a job held or waited for beyond its row, given up or handed on: keys, turns, dependencies.

LiveJob waiting_job(const Rows::Row& row) {
  LiveJob job;
  read_columns(row, 0, job.key, job.place, job.lane, job.stand, job.rank, job.run_at, job.expires_at, job.started_at, job.attempt,
               job.rescues, job.fence, job.worker, job.flags, job.priority, job.special, job.spec, job.attempts, job.event);
  return job;
}

LiveJob running_job(const Rows::Row& row) {
  LiveJob job;
  job.running = true;
  read_columns(row, 0, job.key, job.lane, job.rank, job.run_at, job.expires_at, job.started_at, job.times_out_at, job.attempt,
               job.rescues, job.fence, job.worker, job.lease_until, job.flags, job.priority, job.special, job.spec, job.attempts,
               job.cancel_reason);
  job.stand = job.lane;
  return job;
}

void read_wishes(const Rows& rows, std::map<JobKey, LiveJob>& jobs) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto found = jobs.find(rows.integer(i, 0));
    if (found == jobs.end()) continue;
    Wishes wishes;
    read_columns(rows.at(i), 1, wishes.ns, wishes.concurrency_key, wishes.concurrency_limit, wishes.sticky_key, wishes.prefer,
                 wishes.prefer_until, wishes.fair_lane, wishes.fair_start, wishes.unique_key, wishes.unique_waiting,
                 wishes.not_before, wishes.pending, wishes.run_on_failure);
    found->second.wishes = std::move(wishes);
  }
}

Params parked_params(const std::vector<LiveJob>& jobs) {
  Table rows({Type::int4, Type::bytes, Type::int4, Type::int4, Type::int8, Type::int8});
  for (const LiveJob& job : jobs)
    rows.add(job.wishes->ns, job.wishes->concurrency_key, job.stand, job.wishes->concurrency_limit, job.rank, job.key);
  return rows.params();
}

}  // namespace

std::map<JobKey, LiveJob> lock_jobs(Tx& tx, const std::vector<JobKey>& keys) {
  if (keys.empty()) return {};
  lock_gates_in(tx, tx.ask("jobs_gates"_sql, Params().int8s(keys)));
  note_job_locks(tx, keys);
  const std::vector<Rows> rows = tx.ask_all();
  if (tx.failed() || rows.size() < kJobLockStatements) return {};
  return locked_jobs(rows, rows.size() - kJobLockStatements);
}

void lock_gates_in(Tx& tx, const Rows& gates) {
  std::vector<NamespaceKey> namespaces;
  for (std::size_t i = 0; i < gates.size(); ++i) namespaces.push_back(static_cast<NamespaceKey>(gates.integer(i, 0)));
  tx.lock_gates(std::move(namespaces));
}

void note_job_locks(Tx& tx, const std::vector<JobKey>& keys) {
  // A job may move while we look: from waiting to running is seen by the second look, and back again by the third.
  tx.write("jobs_lock_waiting"_sql, Params().int8s(keys));
  tx.write("jobs_lock_running"_sql, Params().int8s(keys));
  tx.write("jobs_lock_waiting"_sql, Params().int8s(keys));
  tx.write("wishes_read"_sql, Params().int8s(keys));
}

std::map<JobKey, LiveJob> locked_jobs(const std::vector<Rows>& rows, std::size_t base) {
  std::map<JobKey, LiveJob> jobs;
  for (std::size_t i = 0; i < rows[base].size(); ++i) jobs[rows[base].integer(i, 0)] = waiting_job(rows[base].at(i));
  for (std::size_t i = 0; i < rows[base + 1].size(); ++i) jobs[rows[base + 1].integer(i, 0)] = running_job(rows[base + 1].at(i));
  for (std::size_t i = 0; i < rows[base + 2].size(); ++i) jobs[rows[base + 2].integer(i, 0)] = waiting_job(rows[base + 2].at(i));
  read_wishes(rows[base + 3], jobs);
  return jobs;
}

void Moves::release() {
  std::set<JobKey> finished;
  for (const Finished& entry : finished_) finished.insert(entry.job.key);
  Table held = key_table(), unique_gone = key_table(), unique_again = key_table();
  std::vector<LiveJob> unparked = std::move(unparked_);
  unparked_.clear();
  std::vector<std::int64_t> fair_over, wishes_gone, dependencies_gone;
  std::vector<std::int32_t> fair_lanes;
  std::set<QueueKey> loosened;
  for (const LiveJob& job : left_) {
    if (job.running)
      if (const LanePtr lane = tx_.directory().lane(job.lane))
        if (const QueueRef queue = tx_.directory().queue(lane->queue); queue != nullptr && queue->limited())
          loosened.insert(queue->key);
    if (!job.wishes) continue;
    const Wishes& wishes = *job.wishes;
    const bool over = finished.contains(job.key);
    if (!wishes.concurrency_key.empty()) {
      if (job.running) held.add(wishes.ns, wishes.concurrency_key, job.key);
      if (!job.running && job.place == Place::key_full) unparked.push_back(job);
      // Or it may have been the one called out of the waiters: another one is called then.
      freed_keys_.insert({wishes.ns, wishes.concurrency_key});
    }
    if (!wishes.unique_key.empty()) (over ? unique_gone : unique_again).add(wishes.ns, wishes.unique_key, job.key);
    if (!over) continue;
    if (wishes.fair_lane != 0) {
      fair_over.push_back(job.key);
      fair_lanes.push_back(wishes.fair_lane);
    }
    if (wishes.pending > 0) dependencies_gone.push_back(job.key);
    wishes_gone.push_back(job.key);
  }
  left_.clear();
  if (!held.empty()) tx_.write("holders_delete"_sql, held.params());
  if (!unparked.empty()) tx_.write("parked_delete"_sql, parked_params(unparked));
  if (!unique_gone.empty()) tx_.write("unique_release"_sql, unique_gone.params());
  if (!unique_again.empty()) tx_.write("unique_put"_sql, unique_again.params());
  if (!fair_over.empty()) {
    tx_.write("fair_done"_sql, Params().int8s(fair_over));
    tx_.write("fair_forget"_sql, Params().int4s(fair_lanes));
  }
  if (!dependencies_gone.empty()) tx_.write("dependencies_delete"_sql, Params().int8s(dependencies_gone));
  if (!wishes_gone.empty()) tx_.write("wishes_delete"_sql, Params().int8s(wishes_gone));
  for (const QueueKey queue : loosened) tx_.wake_queue(queue);
}

void Moves::write_parked() {
  if (!unparked_.empty()) tx_.write("parked_delete"_sql, parked_params(unparked_));
  unparked_.clear();
  if (!parked_.empty()) tx_.write("parked_put"_sql, parked_params(parked_));
  parked_.clear();
}

void Moves::call_freed_keys() {
  for (const auto& [ns, key] : freed_keys_) {
    const Rows rows = tx_.ask("key_freed"_sql, Params().int4(ns).bytes(key));
    for (std::size_t i = 0; i < rows.size(); ++i) tx_.wake(static_cast<LaneKey>(rows.integer(i, 1)));
  }
  freed_keys_.clear();
}

bool Moves::settle_dependents() {
  if (watched_.empty() || tx_.failed()) return false;
  std::map<JobKey, bool> completed(watched_.begin(), watched_.end());
  watched_.clear();
  std::vector<JobKey> keys;
  for (const auto& [key, ok] : completed) keys.push_back(key);
  const Rows rows = tx_.ask("dependencies_take"_sql, Params().int8s(keys));
  std::map<JobKey, std::vector<JobKey>> after;  // dependent → what it no longer waits for
  std::vector<JobKey> dependents;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (after[rows.integer(i, 0)].empty()) dependents.push_back(rows.integer(i, 0));
    after[rows.integer(i, 0)].push_back(rows.integer(i, 1));
  }
  std::map<JobKey, LiveJob> jobs = lock_jobs(tx_, dependents);
  for (auto& [key, job] : jobs) {
    if (job.running || job.place != Place::blocked || !job.wishes) continue;
    std::vector<JobKey> done = after[key];
    std::sort(done.begin(), done.end());
    const auto failed = std::find_if(done.begin(), done.end(), [&](JobKey one) { return !completed.at(one); });
    if (failed != done.end() && !job.wishes->run_on_failure) {
      cancel(job, jobs::dependency_failed(tx_.ids().encode(*failed)));
      continue;
    }
    const auto freed = static_cast<std::uint32_t>(done.size());
    job.wishes->pending -= std::min(job.wishes->pending, freed);
    tx_.write("wishes_pending"_sql, Params().int8(key).int4(job.wishes->pending));
    if (job.wishes->pending > 0) continue;
    make_ready(job, std::max(job.wishes->not_before.value_or(tx_.now_ms()), tx_.now_ms()), JobEvent::due);
  }
  return true;
}

}  // namespace muster::store::postgres
