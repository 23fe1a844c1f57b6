// Retention: finished jobs go by age, and the oldest of them by count. Live jobs are never touched.
//
// Keys grow with time, so the pass walks the rows from the lowest key and stops at the first one created after every cut-off;
// nothing behind it can be old enough. Rows it had to leave are passed over by going on from there at the next pass.
//
// Lanes go when no job names them any more. Jobs have no index by lane, which every enqueue would pay for; instead all jobs are
// walked once for as many lanes made and jobs removed.
#include "base/check.h"
#include "store/codec/spec_text.h"
#include "store/sqlite/verbs/actions.h"
#include "store/sqlite/verbs/verbs.h"

namespace muster::store::sqlite {
namespace {

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
  core.group.wrote = true;
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
    core.group.wrote = true;
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
