// One pass over due things each. A timer entry is only a hint: the job itself says whether its time has come.
//
// Leases, time-outs, silence and drains are judged by listened time; what the caller named as an instant by the wall clock.
#include <algorithm>

#include "base/check.h"
#include "store/codec/spec_text.h"
#include "store/sqlite/due_times.h"
#include "store/sqlite/verbs/verbs.h"

namespace muster::store::sqlite {
namespace {

std::optional<Instant> wall(const Core&, std::optional<Instant> at) { return at; }
std::optional<Instant> wall(const Core& core, std::optional<Ticks> at) {
  return at ? std::optional(core.wall(*at)) : std::nullopt;
}

// Walks the entries of `timers` that are due at `now`; `due_at` tells when a job is really due (nullopt: not any more), `act`
// moves it.
template <class Time, class DueAt, class Act>
SweepReport pass(Core& core, TimersOf<Time>& timers, Time now, std::size_t limit, DueAt due_at, Act act) {
  SweepReport report;
  while (report.moved < limit) {
    const auto key = timers.pop(now);
    if (!key) break;
    HotJob* job = core.find(*key);
    if (job == nullptr) continue;
    const std::optional<Time> at = due_at(*job);
    if (!at) continue;
    if (*at > now) {
      timers.add(*at, *key);
      continue;
    }
    act(*key, *job);
    ++report.moved;
  }
  const std::optional<Time> next = timers.next();
  report.next_due = wall(core, next);
  report.more = next && *next <= now;
  return report;
}

std::vector<WorkerKey> workers_where(Core& core, std::size_t limit, auto condition) {
  std::vector<WorkerKey> out;
  for (const auto& [name, key] : core.workers.ordered()) {
    if (out.size() > limit) break;
    if (condition(*core.workers.find(key))) out.push_back(key);
  }
  return out;
}

template <class When>
std::optional<Instant> earliest(Core& core, When when) {
  std::optional<Ticks> out;
  for (const auto& [name, key] : core.workers.ordered())
    if (const std::optional<Ticks> at = when(*core.workers.find(key))) out = std::min(out.value_or(*at), *at);
  return wall(core, out);
}

}  // namespace

SweepReport promote_due(Core& core, std::size_t limit) {
  SweepReport report;
  report.moved = core.promote_due(limit);
  const std::optional<Instant> next = core.due.next();
  report.more = next && *next <= core.now;
  report.next_due = core.next_due();
  return report;
}

SweepReport expire_leases(Core& core, std::size_t limit) {
  return pass(core, core.leases, core.listened, limit, lease_end, [&core](JobKey key, HotJob& job) {
    const HotWorker* worker = core.workers.find(job.running->worker);
    core.lose(key, job, jobs::lease_expired(worker != nullptr ? worker->worker.spec.id.text() : std::string()));
  });
}

SweepReport time_out_jobs(Core& core, std::size_t limit) {
  return pass(core, core.timeouts, core.listened, limit, time_out, [&core](JobKey key, HotJob& job) {
    core.fail_attempt(key, job, {.lease = {}, .error = jobs::timed_out(core.now - job.running->started_at)});
  });
}

SweepReport expire_waiting(Core& core, std::size_t limit) {
  return pass(
      core, core.expiries, core.now, limit,
      [&core](const HotJob& job) -> std::optional<Instant> {
        if (!job.wishes || !job.wishes->expires_at) return std::nullopt;
        const Wishes& wishes = *job.wishes;
        if (job.state != JobState::running) return wishes.expires_at;
        // While it runs only its deadline ends it; if it comes back to waiting before that, it expires then.
        const Instant again = std::max(*wishes.expires_at, core.now + Duration(1'000));
        return wishes.deadline ? std::min(*wishes.deadline, again) : again;
      },
      [&core](JobKey key, HotJob& job) {
        core.move(key, job, jobs::expire(core.standing(key, job), job.wishes->deadline, core.now));
      });
}

SweepReport end_preferences(Core& core, std::size_t limit) {
  return pass(core, core.preferences, core.now, limit, preference_end,
              [&core](JobKey key, HotJob& job) { core.place(key, job); });
}

SweepReport bury_silent_workers(Core& core, std::size_t limit) {
  const auto silent =
      workers_where(core, limit, [&core](const HotWorker& worker) { return worker.live() && worker.dead_at() <= core.listened; });
  SweepReport report;
  for (const WorkerKey key : silent) {
    if (report.moved == limit) {
      report.more = true;
      break;
    }
    HotWorker& worker = *core.workers.find(key);
    const JobError error =
        jobs::worker_silent(worker.worker.spec.id, std::chrono::floor<Duration>(core.listened - worker.heard_at));
    const bool all = leases_end_with_silence(worker.worker.spec.dialect);
    for (const JobKey key_of_job : worker.leases_in_order())
      if (HotJob& job = *core.find(key_of_job); all || job.running->lease_ends <= core.listened)
        core.lose(key_of_job, job, error);
    core.take_offline(worker, "silent");
    ++report.moved;
  }
  report.next_due =
      earliest(core, [](const HotWorker& worker) { return worker.live() ? std::optional(worker.dead_at()) : std::nullopt; });
  return report;
}

SweepReport end_drains(Core& core, std::size_t limit) {
  const auto deadline = [](const HotWorker& worker) {
    return worker.worker.state == WorkerState::draining ? worker.drain_ends : std::nullopt;
  };
  const auto over =
      workers_where(core, limit, [&](const HotWorker& worker) { return deadline(worker) && *deadline(worker) <= core.listened; });
  SweepReport report;
  for (const WorkerKey key : over) {
    if (report.moved == limit) {
      report.more = true;
      break;
    }
    HotWorker& worker = *core.workers.find(key);
    for (const JobKey job : worker.leases_in_order()) core.hand_back(job, *core.find(job));
    core.take_offline(worker, "drained");
    ++report.moved;
  }
  report.next_due = earliest(core, deadline);
  return report;
}

SweepReport prune_workers(Core& core, Duration offline_kept, std::size_t limit) {
  const auto old = workers_where(core, limit, [&](const HotWorker& worker) {
    return !worker.live() && worker.worker.offline_at && *worker.worker.offline_at + offline_kept <= core.now;
  });
  SweepReport report;
  for (const WorkerKey key : old) {
    if (report.moved == limit) {
      report.more = true;
      break;
    }
    core.sql.worker_delete.bind(1, key).run();
    core.workers.erase(key);
    ++report.moved;
  }
  return report;
}

namespace {

// Retention: finished jobs go by age, and the oldest of them by count. Live jobs are never touched.
//
// Keys grow with time, so the pass walks the rows from the lowest key and stops at the first one created after every cut-off;
// nothing behind it can be old enough. Rows it had to leave are passed over by going on from there at the next pass.
//
// Lanes go when no job names them any more. Jobs have no index by lane, which every enqueue would pay for; instead all jobs are
// walked once for as many lanes made and jobs removed.

constexpr std::size_t kScanPerMove = 10;        // rows looked at for one that may go
constexpr JobKey kWatermarkStepsMax = 200'000;  // keys the watermark moves in one pass
constexpr std::size_t kLaneRowsMin = 2'048;     // so few are not worth a walk over all jobs

struct Candidate {
  JobKey key = 0;
  std::int64_t lane_row = 0;
  JobState state{};
  std::uint16_t flags = 0;
  Instant finished_at{};
  std::string spec;
};

void remove(Core& core, const Candidate& row) {
  JobSpec spec;
  spec_from_text(row.spec, spec);
  if (!spec.idempotency_key.empty())
    if (const auto named = core.read_lane(row.lane_row))
      core.sql.idempotency_delete.bind(1, named->ns_row).bind_text(2, spec.idempotency_key).bind(3, row.key).run();
  if (spec.labels.contains(kLabelAction)) forget_action_job(core, row.key);
  if ((row.flags & (kPayloadApart | kResultApart)) != 0) core.sql.content_delete.bind(1, row.key).run();
  if ((row.flags & kHasProgress) != 0) core.sql.progress_delete.bind(1, row.key).run();
  if ((row.flags & kIsRun) != 0) {
    core.sql.step_delete.bind(1, row.key).run();
    core.sql.signal_delete.bind(1, row.key).run();
  }
  core.sql.attempt_delete.bind(1, row.key).run();
  core.sql.job_delete.bind(1, row.key).run();
  --core.finished;
  ++core.lane_pruning.changes;
  if (row.key < core.oldest_live) --core.finished_below;
}

// Lets the restart scan begin later: everything below the oldest live job is finished.
void move_watermark(Core& core) {
  JobKey to = core.oldest_live;
  const JobKey stop = core.oldest_live + kWatermarkStepsMax;
  while (to < stop && to < core.next_job_key() && core.find(to) == nullptr) ++to;
  if (to == core.oldest_live) return;
  Rows rows(core.sql.job_count_range.bind(1, core.oldest_live).bind(2, to));
  if (rows.next()) core.finished_below += core.sql.job_count_range.integer(0);
  core.oldest_live = to;
  core.put_meta("oldest_live", core.oldest_live);
  core.put_meta("finished_below", core.finished_below);
}

// Notes the lanes of the next jobs. A job that comes meanwhile comes behind `from`.
void note_lanes(Core& core, std::size_t rows_max) {
  LanePruning& pruning = core.lane_pruning;
  Statement& st = core.sql.job_lanes;
  std::size_t looked = 0;
  Rows rows(st.bind(1, pruning.from).bind(2, static_cast<std::int64_t>(rows_max)));
  for (; rows.next(); ++looked) {
    pruning.from = st.integer(0) + 1;
    pruning.named.insert(st.integer(1));
  }
  if (looked == rows_max) return;
  pruning.phase = LanePruning::Phase::removing;
  pruning.from = 0;
}

// Removes those of the next lanes that nobody named.
void remove_unnamed_lanes(Core& core, std::size_t rows_max) {
  LanePruning& pruning = core.lane_pruning;
  std::vector<std::int64_t> lanes;
  {
    Statement& st = core.sql.lane_ids;
    Rows rows(st.bind(1, pruning.from).bind(2, pruning.below).bind(3, static_cast<std::int64_t>(rows_max)));
    while (rows.next()) lanes.push_back(st.integer(0));
  }
  for (const std::int64_t lane : lanes) {
    pruning.from = lane + 1;
    // In memory means that a job was added since, or may be.
    if (pruning.named.contains(lane) || core.lanes.find_row(lane) != nullptr) continue;
    core.sql.lane_delete.bind(1, lane).run();
    --core.lane_rows;
  }
  if (lanes.size() == rows_max) return;
  pruning.phase = LanePruning::Phase::resting;
  pruning.named.clear();
}

bool is_worth_pruning(const Core& core) {
  return core.lane_rows > kLaneRowsMin && core.lane_pruning.changes > core.jobs.size() + core.finished;
}

// True: there is more to do.
bool prune_lanes(Core& core, std::size_t limit) {
  LanePruning& pruning = core.lane_pruning;
  switch (pruning.phase) {
    case LanePruning::Phase::resting:
      if (!is_worth_pruning(core)) return false;
      pruning = {.phase = LanePruning::Phase::noting, .from = 0, .below = core.next_lane, .named = {}, .changes = 0};
      return true;
    case LanePruning::Phase::noting: note_lanes(core, limit * kScanPerMove); return true;
    case LanePruning::Phase::removing: remove_unnamed_lanes(core, limit); return true;
  }
  unreachable();
}

}  // namespace

SweepReport prune_finished(Core& core, const Retention& retention, std::size_t limit) {
  move_watermark(core);
  const std::uint64_t too_many = core.finished > retention.finished_count_max ? core.finished - retention.finished_count_max : 0;
  const Instant newest_cut = core.now - std::min(retention.completed_kept, retention.dead_kept);
  std::vector<Candidate> doomed;
  std::size_t looked = 0;
  bool reached_end = true;
  {
    Statement& st = core.sql.job_prune_scan;
    Rows rows(st.bind(1, core.prune_from).bind(2, static_cast<std::int64_t>(limit * kScanPerMove)));
    while (rows.next()) {
      ++looked;
      const JobKey key = st.integer(0);
      const bool by_count = doomed.size() < too_many;
      if (doomed.size() == limit || (!by_count && from_ms(st.integer(4)) > newest_cut)) {
        reached_end = doomed.size() < limit;
        core.prune_from = key;
        break;
      }
      core.prune_from = key + 1;
      const auto state = static_cast<JobState>(st.integer(2));
      if (!is_finished(state)) continue;
      const Instant finished_at = from_ms(st.integer(5));
      const Duration kept = state == JobState::dead ? retention.dead_kept : retention.completed_kept;
      if (by_count || finished_at + kept <= core.now)
        doomed.push_back({key, st.integer(1), state, static_cast<std::uint16_t>(st.integer(3)), finished_at, st.text(8)});
    }
  }
  if (looked == limit * kScanPerMove) reached_end = false;
  for (const Candidate& row : doomed) remove(core, row);
  if (reached_end) core.prune_from = 0;
  const bool more_lanes = prune_lanes(core, limit);
  return {doomed.size(), !reached_end || more_lanes, std::nullopt};
}

}  // namespace muster::store::sqlite
