#include "store/postgres/moves.h"

#include <algorithm>

#include "model/rank.h"
#include "store/codec/spec_text.h"
#include "store/postgres/node.h"
#include "store/postgres/wishes.h"

namespace muster::store::postgres {
namespace {

const Sql kRequeue{"requeue"};
const Sql kFinishRunning{"finish_running"};
const Sql kFinishWaiting{"finish_waiting"};
const Sql kReplace{"replace"};
const Sql kHoldersCount{"holders_count"};
const Sql kStickyFind{"sticky_find"};
const Sql kWorkersOnline{"workers_online"};

JobSpec spec_of(const LiveJob& job) {
  JobSpec spec;
  spec_from_text(job.spec, spec);
  return spec;
}

void add_or_null(Column& column, const std::string& text) {
  text.empty() ? column.add_null() : column.add(std::string_view(text));
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
  const Rows rows = tx_.ask(kHoldersCount, Params().int4(wishes.ns).bytes(wishes.concurrency_key));
  return rows.size() == 0 ? 0 : static_cast<std::uint64_t>(rows.integer(0, 0));
}

LaneKey Moves::lane_for_bound(const LiveJob& job, const LanePtr& home) {
  const Rows rows = tx_.ask(kStickyFind, Params().int4(home->queue).bytes(job.wishes->sticky_key));
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
  const Rows rows = tx_.ask(kWorkersOnline, Params().int4(home->ns));
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
  Column id(Type::int8), place(Type::int2), stand(Type::int4), rank(Type::int8), run_at(Type::int8), attempt(Type::int4),
      rescues(Type::int4), event(Type::int2), error(Type::text), attempts(Type::text);
  for (Requeued& entry : requeued_) {
    LiveJob& job = entry.job;
    choose_place(job);
    job.running = false;
    id.add(job.key);
    place.add(static_cast<std::int64_t>(job.place));
    stand.add(std::int64_t{job.stand});
    rank.add(job.rank);
    run_at.add(job.run_at);
    attempt.add(std::int64_t{job.attempt});
    rescues.add(std::int64_t{job.rescues});
    event.add(static_cast<std::int64_t>(entry.event));
    add_or_null(error, entry.error);
    add_or_null(attempts, job.attempts);
    arrive(job);
  }
  Params params;
  params.array(std::move(id)).array(std::move(place)).array(std::move(stand)).array(std::move(rank)).array(std::move(run_at));
  params.array(std::move(attempt)).array(std::move(rescues)).array(std::move(event)).array(std::move(error));
  params.array(std::move(attempts));
  tx_.write(kRequeue, std::move(params));
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
  Column id(Type::int8), state(Type::int2), event(Type::int2), attempt(Type::int4), flags(Type::int2), result(Type::bytes),
      error(Type::text), attempts(Type::text);
  Column waiting_id(Type::int8), waiting_state(Type::int2), waiting_event(Type::int2), waiting_error(Type::text);
  for (const Finished& entry : finished_) {
    const LiveJob& job = entry.job;
    if (!job.running) {
      waiting_id.add(job.key);
      waiting_state.add(static_cast<std::int64_t>(entry.state));
      waiting_event.add(static_cast<std::int64_t>(entry.event));
      add_or_null(waiting_error, entry.error);
      continue;
    }
    std::uint16_t bits = job.flags;
    if (entry.result && entry.result->encoding == Encoding::bytes) bits |= kResultBytes;
    id.add(job.key);
    state.add(static_cast<std::int64_t>(entry.state));
    event.add(static_cast<std::int64_t>(entry.event));
    attempt.add(std::int64_t{job.attempt});
    flags.add(std::int64_t{bits});
    entry.result ? result.add(std::string_view(entry.result->data)) : result.add_null();
    add_or_null(error, entry.error);
    add_or_null(attempts, job.attempts);
  }
  if (id.size() > 0) {
    Params params;
    params.array(std::move(id)).array(std::move(state)).array(std::move(event)).array(std::move(attempt)).array(std::move(flags));
    params.array(std::move(result)).array(std::move(error)).array(std::move(attempts));
    tx_.write(kFinishRunning, std::move(params));
  }
  if (waiting_id.size() > 0) {
    Params params;
    params.array(std::move(waiting_id)).array(std::move(waiting_state)).array(std::move(waiting_event));
    params.array(std::move(waiting_error));
    tx_.write(kFinishWaiting, std::move(params));
  }
  finished_.clear();
}

void Moves::write_placed() {
  if (placed_.empty()) return;
  Column id(Type::int8), place(Type::int2), stand(Type::int4), rank(Type::int8), run_at(Type::int8), event(Type::int2);
  for (Placed& entry : placed_) {
    LiveJob& job = entry.job;
    if (job.place == Place::key_full) unparked_.push_back(job);  // where it stood until now
    if (job.place == Place::key_full) job.place = Place::ready;
    choose_place(job);
    id.add(job.key);
    place.add(static_cast<std::int64_t>(job.place));
    stand.add(std::int64_t{job.stand});
    rank.add(job.rank);
    run_at.add(job.run_at);
    entry.event ? event.add(static_cast<std::int64_t>(*entry.event)) : event.add_null();
    arrive(job);
  }
  Params params;
  params.array(std::move(id)).array(std::move(place)).array(std::move(stand)).array(std::move(rank)).array(std::move(run_at));
  params.array(std::move(event));
  tx_.write(kReplace, std::move(params));
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

}  // namespace muster::store::postgres
