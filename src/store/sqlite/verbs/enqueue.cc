#include <algorithm>

#include "store/codec/spec_text.h"
#include "store/refusals.h"
#include "store/sqlite/verbs/verbs.h"

namespace muster::store::sqlite {
namespace {

struct Resolved {
  std::int64_t ns_row = 0;
  std::vector<JobKey> pending;     // dependencies that are not finished
  bool dependency_failed = false;  // one is finished without completing, and the job asks to be cancelled then
};

// What only the store can know, before anything is written: all or nothing.
Result<Resolved> resolve(Core& core, const JobSpec& spec) {
  Resolved out;
  const auto ns_row = core.namespace_row(spec.ns);
  if (!ns_row.ok()) return ns_row.status();
  if (!core.queues.find_namespace(spec.ns)->info.enabled) return refusal::namespace_disabled(spec.ns);
  out.ns_row = *ns_row;
  for (const JobId& id : spec.after) {
    const auto key = core.ids.decode(id);
    if (key && core.find(*key) != nullptr) {
      if (std::find(out.pending.begin(), out.pending.end(), *key) == out.pending.end()) out.pending.push_back(*key);
      continue;
    }
    Rows rows(core.sql.job_settled.bind(1, key.value_or(0)));
    if (!rows.next()) return refusal::no_dependency(id);
    const auto state = static_cast<JobState>(core.sql.job_settled.integer(0));
    if (state != JobState::completed && spec.on_dependency_failure == OnDependencyFailure::cancel) out.dependency_failed = true;
  }
  return out;
}

JobState state_of(Core& core, JobKey key) {
  if (const HotJob* job = core.find(key)) return job->state;
  Rows rows(core.sql.job_settled.bind(1, key));
  return rows.next() ? static_cast<JobState>(core.sql.job_settled.integer(0)) : JobState::completed;
}

Rank stamp(Core& core, HotJob& job, Instant due) {
  if (!job.wishes || job.wishes->fairness_key.empty() || due > core.now || job.blocked()) return rank_of(due, job.priority);
  HotLane& home = core.lanes.at(job.home);
  if (!home.fair) home.fair = std::make_unique<FairState>();
  FairState& fair = *home.fair;
  std::int64_t& finish_at = fair.finish[job.wishes->fairness_key];
  const FairStamp stamp = fair_stamp(due, fair.lane_time, finish_at, job.wishes->fairness_weight);
  if (fair.lane_time == 0) fair.lane_time = stamp.start;
  finish_at = stamp.finish;
  ++fair.waiting;
  job.wishes->fair_start = stamp.start;
  return fair_rank(stamp, job.priority);
}

void write_row(Core& core, JobKey key, const HotJob& job, const JobSpec& spec, const std::string& text) {
  const bool apart = (job.flags & kPayloadApart) != 0;
  Statement& st = core.sql.job_insert;
  st.bind(1, key).bind(2, core.lanes.at(job.home).row).bind(3, static_cast<std::int64_t>(job.state));
  st.bind(4, static_cast<std::int64_t>(job.flags)).bind(5, static_cast<std::int64_t>(job.priority)).bind(6, job.rank);
  job.blocked() ? st.bind_null(7) : st.bind(7, job.run_at_ms);
  st.bind(8, job.created_at_ms);
  job.wishes&& job.wishes->expires_at ? st.bind(9, to_ms(*job.wishes->expires_at)) : st.bind_null(9);
  st.bind_text_or_null(10, text);
  apart ? st.bind_null(11) : st.bind_blob(11, spec.payload.data);
  st.run();
  if (apart) core.sql.content_put.bind(1, key).bind(2, std::int64_t{0}).bind_blob(3, spec.payload.data).run();
}

Result<Enqueued> enqueue_one(Core& core, const JobSpec& spec, const Resolved& resolved) {
  if (const JobKey existing = existing_job(core, spec, resolved.ns_row))
    return Enqueued{core.ids.encode(existing), state_of(core, existing), true};

  const QueueIndex queue = core.queue_for(resolved.ns_row, spec.ns, spec.queue);
  const auto lane = core.lane_for(queue, spec.type, plain_needs(spec));
  if (!lane.ok()) return lane.status();
  if (core.job_keys.empty()) {
    // Keys leave the process only after this commit, so the new block may be used at once.
    core.put_meta("job_keys", core.job_keys.reserve());
    core.job_keys.reserved();
  }
  const JobKey key = core.job_keys.take();
  HotJob& job = core.jobs[key];
  job.home = job.lane = *lane;
  core.lanes.hold(job.home);
  job.priority = static_cast<std::int16_t>(spec.priority);
  job.created_at_ms = to_ms(core.now);
  if (spec.payload.encoding == Encoding::bytes) job.flags |= kPayloadBytes;
  if (spec.payload.data.size() > kInlineBytesMax) job.flags |= kPayloadApart;
  if (spec.run) job.flags |= kIsRun;
  if (spec.run && spec.run->parent) job.flags |= kHasParent;
  core.track_wishes(key, job, spec, core.now, jobs::expiry_of(spec, core.now));
  if (job.wishes) job.wishes->dependencies_pending = static_cast<std::uint32_t>(resolved.pending.size());

  const Instant due = std::max(spec.run_at.value_or(core.now + spec.delay), core.now);
  job.run_at_ms = to_ms(due);
  job.rank = stamp(core, job, due);
  const bool ready = due <= core.now && !job.blocked();
  ++core.queues.at(queue).enqueued_total;
  core.enter(job);
  core.set_state(job, ready ? JobState::ready : JobState::scheduled);
  const std::string text = spec_to_text(spec);
  write_row(core, key, job, spec, text);
  core.bodies.put(key, spec.payload.data, text);

  if (!spec.idempotency_key.empty())
    core.sql.idempotency_insert.bind(1, resolved.ns_row).bind_text(2, spec.idempotency_key).bind(3, key).run();
  if (spec.unique) core.uniques.put(resolved.ns_row, spec.unique->key, key);
  for (const JobKey after : resolved.pending) {
    core.sql.dependency_insert.bind(1, key).bind(2, after).run();
    core.dependents[after].push_back(key);
  }
  core.tell(key, job, std::nullopt, JobEvent::enqueued);
  if (ready) core.group.became_ready.push_back(key);
  if (!ready && !job.blocked()) core.group.scheduled.emplace_back(due, key);
  if (resolved.dependency_failed) {
    core.move(key, job, jobs::cancel(core.standing(key, job), jobs::dependency_failed_before()));
    return Enqueued{core.ids.encode(key), JobState::cancelled, false};
  }
  return Enqueued{core.ids.encode(key), job.state, false};
}

}  // namespace

JobKey existing_job(Core& core, const JobSpec& spec, std::int64_t ns_row) {
  if (!spec.idempotency_key.empty()) {
    Rows rows(core.sql.idempotency_find.bind(1, ns_row).bind_text(2, spec.idempotency_key));
    if (rows.next()) return core.sql.idempotency_find.integer(0);
  }
  if (spec.unique) return core.uniques.find(ns_row, spec.unique->key);
  return 0;
}

Result<std::vector<Enqueued>> enqueue(Core& core, std::vector<JobSpec>& jobs) { return enqueue_linked(core, jobs, {}); }

Result<std::vector<Enqueued>> enqueue_linked(Core& core, std::vector<JobSpec>& jobs,
                                             const std::vector<std::vector<std::uint32_t>>& after) {
  std::vector<Resolved> resolved;
  resolved.reserve(jobs.size());
  for (const JobSpec& spec : jobs) {
    auto one = resolve(core, spec);
    if (!one.ok()) return one.status();
    resolved.push_back(std::move(*one));
  }
  // Lanes are the only thing that can still be refused; make sure they fit before the first row is written.
  if (core.lanes.size() + jobs.size() >= core.lanes_max) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const auto lane =
          core.lane_for(core.queue_for(resolved[i].ns_row, jobs[i].ns, jobs[i].queue), jobs[i].type, plain_needs(jobs[i]));
      if (!lane.ok()) return lane.status();
    }
  }
  std::vector<Enqueued> out;
  out.reserve(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (i < after.size() && !after[i].empty()) {
      for (const std::uint32_t place : after[i]) jobs[i].after.push_back(out[place].id);
      auto linked = resolve(core, jobs[i]);
      if (!linked.ok()) return linked.status();
      resolved[i] = std::move(*linked);
    }
    auto one = enqueue_one(core, jobs[i], resolved[i]);
    if (!one.ok()) return one.status();
    out.push_back(*one);
  }
  return out;
}

}  // namespace muster::store::sqlite
