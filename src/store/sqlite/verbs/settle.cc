// Outcomes and renewals: every one names its lease, and a stale fence changes nothing.
#include "model/key_scope.h"
#include "store/codec/spec_text.h"
#include "store/refusals.h"
#include "store/sqlite/verbs/verbs.h"

namespace muster::store::sqlite {
namespace {

struct Held {
  JobKey key = 0;
  HotJob* job = nullptr;            // set: the lease is good
  std::optional<Settled> repeated;  // set: this outcome was recorded before, under this very fence
};

// `outcome` is the event a repeat would have left behind; nullopt where a repeat is nothing special.
Result<Held> hold(Core& core, const LeaseRef& lease, std::optional<JobEvent> outcome) {
  const auto key = core.ids.decode(lease.job);
  if (!key) return refusal::no_job(lease.job);
  HotJob* job = core.find(*key);
  if (job != nullptr && job->running) {
    if (job->running->fence != lease.fence || job->running->lease_ends <= core.listened) return refusal::lease_lost(lease);
    if (lease.bounds != nullptr) {
      static const WorkerId kNobody;
      const HotWorker* worker = core.workers.find(job->running->worker);
      const LeaseHolder holder{worker != nullptr ? worker->worker.spec.id : kNobody, core.queue_of(*job).ns};
      if (Status allowed = within_bounds(lease.bounds.get(), lease.job, holder); !allowed.ok()) return allowed;
    }
    return Held{*key, job, std::nullopt};
  }
  if (lease.bounds != nullptr) {
    const auto past = read_job(core, lease.job);
    if (!past.ok()) return past.status();
    if (past->fence != lease.fence) return refusal::lease_lost(lease);
    if (Status allowed = within_bounds(lease.bounds.get(), lease.job, {past->worker, past->spec.ns}); !allowed.ok())
      return allowed;
  }
  Rows rows(core.sql.job_settled.bind(1, *key));
  Statement& st = core.sql.job_settled;
  if (!rows.next()) return refusal::no_job(lease.job);
  if (!outcome) return refusal::lease_lost(lease);
  jobs::Past past{static_cast<JobState>(st.integer(0)), static_cast<JobEvent>(st.integer(1)),
                  Fence{static_cast<std::uint64_t>(st.integer(2))}, static_cast<std::uint32_t>(st.integer(3)), std::nullopt};
  if (job != nullptr) past.state = job->state;
  if (!st.is_null(4)) past.run_at = from_ms(st.integer(4));
  auto settled = jobs::repeated(lease, *outcome, past);
  if (!settled.ok()) return settled.status();
  return Held{*key, nullptr, *settled};
}

// What the index says after a move that did not complete the job; a finished one has left the index.
Settled settled_now(Core& core, const LeaseRef& lease, JobKey key) {
  if (const HotJob* job = core.find(key)) return {lease.job, job->state, job->attempt, job->run_at()};
  Rows rows(core.sql.job_settled.bind(1, key));
  Settled out{lease.job, JobState::dead, 0, std::nullopt};
  if (rows.next()) {
    out.state = static_cast<JobState>(core.sql.job_settled.integer(0));
    out.attempt = static_cast<std::uint32_t>(core.sql.job_settled.integer(3));
  }
  return out;
}

// An outcome that is not a completion: `act` moves the job that is held.
template <class Act>
Result<Settled> settle(Core& core, const jobs::Outcome& outcome, Act act) {
  const LeaseRef& lease = jobs::lease_of(outcome);
  const auto held = hold(core, lease, jobs::event_of(outcome));
  if (!held.ok()) return held.status();
  if (held->repeated) return *held->repeated;
  act(held->key, *held->job);
  return settled_now(core, lease, held->key);
}

}  // namespace

Result<Settled> complete(Core& core, const Completion& item) {
  const auto held = hold(core, item.lease, JobEvent::completed);
  if (!held.ok()) return held.status();
  if (held->repeated) return *held->repeated;
  HotJob& job = *held->job;
  const JobKey key = held->key;
  const bool apart = item.result && item.result->data.size() > kInlineBytesMax;
  if (item.result && item.result->encoding == Encoding::bytes) job.flags |= kResultBytes;
  if (apart) job.flags |= kResultApart;
  Statement& st = core.sql.job_complete;
  st.bind(1, key).bind(2, static_cast<std::int64_t>(job.flags)).bind(3, to_ms(core.now));
  item.result && !apart ? st.bind_blob(4, item.result->data) : st.bind_null(4);
  st.run();
  if (apart) core.sql.content_put.bind(1, key).bind(2, std::int64_t{1}).bind_blob(3, item.result->data).run();

  if (HotWorker* worker = core.workers.find(job.running->worker)) ++worker->worker.completed;
  HotQueue& queue = core.queue_of(job);
  ++queue.completed_total;
  queue.completions.add(core.now);
  const Settled out{item.lease.job, JobState::completed, job.attempt, std::nullopt};
  core.set_state(job, JobState::completed);
  core.tell(key, job, JobState::running, JobEvent::completed);
  core.end_lease(key, job);
  core.finish(key, job, JobState::completed);
  return out;
}

Result<Settled> fail(Core& core, const Failure& item) {
  return settle(core, item, [&](JobKey key, HotJob& job) {
    if (item.undelivered) return core.lose(key, job, item.error);
    core.fail_attempt(key, job, item);
  });
}

Result<Settled> snooze(Core& core, const Snooze& item) {
  return settle(core, item, [&](JobKey key, HotJob& job) {
    core.move(key, job, jobs::snooze(core.standing(key, job), core.now + item.delay));
    core.agent_sql.agent_execution_snoozed.bind(1, key).run();
  });
}

Result<Settled> release(Core& core, const Release& item) {
  return settle(core, item, [&](JobKey key, HotJob& job) { core.hand_back(key, job); });
}

Result<Renewed> renew(Core& core, const Renewal& item) {
  const auto held = hold(core, item.lease, std::nullopt);
  if (!held.ok()) return held.status();
  Running& running = *held->job->running;
  if (item.ttl && *item.ttl != running.lease_ttl) {
    // A restart must not make the lease shorter than what was promised.
    running.lease_ttl = *item.ttl;
    core.sql.job_lease.bind(1, held->key).bind(2, item.ttl->count()).run();
  }
  const Ticks old_end = running.lease_ends;
  running.lease_ends = core.listened + running.lease_ttl;
  // A shorter lease ends before the timer that is set; a longer one is found again when the old time comes.
  if (running.lease_ends < old_end) core.leases.add(running.lease_ends, held->key);
  return Renewed{core.wall(running.lease_ends), (held->job->flags & kCancelRequested) != 0};
}

Result<Renewed> report_progress(Core& core, const ProgressUpdate& item) {
  const auto renewed = renew(core, {item.lease, std::nullopt});
  if (!renewed.ok()) return renewed.status();
  const JobKey key = *core.ids.decode(item.lease.job);
  HotJob& job = *core.find(key);
  // A report without a partial result keeps the one before.
  std::optional<Content> partial = item.partial;
  if (!partial && (job.flags & kHasProgress) != 0) {
    Rows rows(core.sql.progress_get.bind(1, key));
    if (rows.next() && !core.sql.progress_get.is_null(2))
      partial = Content{core.sql.progress_get.text(2), static_cast<Encoding>(core.sql.progress_get.integer(3))};
  }
  Statement& st = core.sql.progress_put;
  st.bind(1, key).bind(2, item.fraction).bind_text(3, item.message);
  partial ? st.bind_blob(4, partial->data) : st.bind_null(4);
  st.bind(5, partial ? static_cast<std::int64_t>(partial->encoding) : std::int64_t{0}).bind(6, to_ms(core.now));
  st.run();
  if ((job.flags & kHasProgress) == 0) {
    job.flags |= kHasProgress;
    core.sql.job_flags.bind(1, key).bind(2, static_cast<std::int64_t>(job.flags)).run();
  }
  return renewed;
}

// Ending a job before its time, and starting finished ones over.

Result<Cancelled> cancel(Core& core, const Cancel& item) {
  const auto key = core.ids.decode(item.job);
  HotJob* job = key ? core.find(*key) : nullptr;
  if (job == nullptr) {
    Rows rows(core.sql.job_settled.bind(1, key.value_or(0)));
    if (!rows.next()) return refusal::no_job(item.job);
    return refusal::job_ended(item.job, static_cast<JobState>(core.sql.job_settled.integer(0)));
  }
  if (const auto verdict = jobs::cancel(core.standing(*key, *job), item)) {
    core.move(*key, *job, *verdict);
    return Cancelled{item.job, verdict->to};
  }
  if ((job->flags & kCancelRequested) == 0) {
    job->flags |= kCancelRequested;
    core.sql.job_cancel_request.bind(1, *key).bind(2, static_cast<std::int64_t>(job->flags)).bind_text(3, item.reason).run();
  }
  return Cancelled{item.job, JobState::running};
}

Result<Settled> redrive(Core& core, const JobId& id) {
  const auto key = core.ids.decode(id);
  if (!key) return refusal::no_job(id);
  if (const HotJob* live = core.find(*key)) return jobs::may_redrive(id, live->state);

  std::int64_t lane_row = 0;
  HotJob fresh;
  JobSpec spec;
  JobState from{};
  {
    Statement& st = core.sql.job_read;
    Rows rows(st.bind(1, *key));
    if (!rows.next()) return refusal::no_job(id);
    from = static_cast<JobState>(st.integer(2));
    if (Status refused = jobs::may_redrive(id, from); !refused.ok()) return refused;
    lane_row = st.integer(1);
    fresh.flags =
        static_cast<std::uint16_t>(st.integer(3) & (kPayloadBytes | kPayloadApart | kHasProgress | kIsRun | kHasParent));
    fresh.priority = static_cast<std::int16_t>(st.integer(4));
    fresh.created_at_ms = st.integer(6);
    fresh.fence = static_cast<std::uint64_t>(st.integer(10));
    spec_from_text(st.view(14), spec);
  }
  const auto named = core.read_lane(lane_row);
  if (!named) return refusal::no_lane(id);
  const std::int64_t ns_row = named->ns_row;
  const auto lane = core.lane_for(core.queue_for(ns_row, named->lane.ns, named->lane.queue), named->lane.type, named->lane.needs);
  if (!lane.ok()) return lane.status();
  fresh.home = fresh.lane = *lane;
  if (spec.unique) {
    if (const JobKey holder = core.uniques.find(ns_row, spec.unique->key))
      return refusal::unique_key_taken(core.ids.encode(holder), without_scope(spec.unique->key));
  }
  if (spec.labels.contains(kLabelAction)) reopen_action(core, *key);
  jobs::start_over(spec, core.now);
  const std::optional<Instant> expires_at = jobs::expiry_of(spec, core.now);
  fresh.event = JobEvent::redriven;
  fresh.run_at_ms = to_ms(core.now);
  fresh.rank = rank_of(core.now, fresh.priority);
  core.sql.content_delete_one.bind(1, *key).bind(2, std::int64_t{1}).run();
  Statement& st = core.sql.job_redrive;
  st.bind(1, *key).bind(2, static_cast<std::int64_t>(JobEvent::redriven)).bind(3, static_cast<std::int64_t>(fresh.flags));
  st.bind(4, fresh.rank).bind(5, fresh.run_at_ms);
  expires_at ? st.bind(6, to_ms(*expires_at)) : st.bind_null(6);
  st.run();
  if (*key < core.oldest_live) core.redriven_below(*key);
  --core.finished;

  HotJob& job = core.jobs[*key] = std::move(fresh);
  core.lanes.hold(job.home);
  core.track_wishes(*key, job, spec, core.now, expires_at);
  if (spec.unique) core.uniques.put(ns_row, spec.unique->key, *key);
  core.enter(job);
  core.set_state(job, JobState::ready);
  core.tell(*key, job, from, JobEvent::redriven);
  core.group.became_ready.push_back(*key);
  return Settled{id, JobState::ready, 0, core.now};
}

void Core::redriven_below(JobKey key) {
  Rows rows(sql.job_count_range.bind(1, key).bind(2, oldest_live));
  if (rows.next()) finished_below -= sql.job_count_range.integer(0);
  oldest_live = key;
  put_meta("oldest_live", oldest_live);
  put_meta("finished_below", finished_below);
}

}  // namespace muster::store::sqlite
