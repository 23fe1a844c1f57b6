// Ending a job before its time, and starting finished ones over.
#include "model/key_scope.h"
#include "store/codec/spec_text.h"
#include "store/refusals.h"
#include "store/sqlite/verbs/actions.h"
#include "store/sqlite/verbs/verbs.h"

namespace muster::store::sqlite {

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
    core.group.wrote = true;
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
  core.group.wrote = true;
  if (*key < core.oldest_live) core.redriven_below(*key);
  --core.finished;

  HotJob& job = core.jobs[*key] = std::move(fresh);
  core.lanes.hold(job.home);
  core.track_wishes(*key, job, spec, core.now, expires_at);
  if (spec.unique) core.uniques.put(ns_row, spec.unique->key, *key);
  ++core.queue_of(job).scheduled;  // set_state moves it from here
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
