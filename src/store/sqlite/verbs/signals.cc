// Signals, and waking runs that wait.
#include "store/refusals.h"
#include "store/runs/rules.h"
#include "store/sqlite/step_row.h"
#include "store/sqlite/verbs/steps.h"
#include "store/sqlite/verbs/verbs.h"

namespace muster::store::sqlite {
namespace {

// The state of a job that is not live; not_found when there is none.
Result<Settled> finished_as(Core& core, const JobId& id, JobKey key) {
  Statement& st = core.sql.job_settled;
  Rows rows(st.bind(1, key));
  if (!rows.next()) return refusal::no_job(id);
  return Settled{id, static_cast<JobState>(st.integer(0)), static_cast<std::uint32_t>(st.integer(3)), std::nullopt};
}

}  // namespace

Result<Signalled> signal_run(Core& core, const Signal& signal) {
  const auto key = core.ids.decode(signal.run);
  HotJob* const job = key ? core.find(*key) : nullptr;
  if (job == nullptr) {
    const auto finished = finished_as(core, signal.run, key.value_or(0));
    if (!finished.ok()) return finished.status();
    return refusal::run_ended(signal.run, finished->state);
  }
  if ((job->flags & kIsRun) == 0) return refusal::not_a_run(signal.run);

  const std::vector<Step> waiting = read_steps(core, core.sql.step_waiting.bind(1, *key));
  if (const auto taken = runs::take_signal(waiting, signal, core.now)) {
    update_step(core.sql.step_update, *core.step_ids.decode(taken->id), *taken, core.ids);
    core.group.wrote = true;
    core.wake(*key, *job);
    return Signalled{signal.run, true};
  }
  std::int64_t kept = 0, last = 0;
  {
    Rows rows(core.sql.signal_count.bind(1, *key));
    if (rows.next()) {
      kept = core.sql.signal_count.integer(0);
      last = core.sql.signal_count.integer(1);
    }
  }
  if (kept >= static_cast<std::int64_t>(limits::kSignalsPerRunMax))
    return refusal::too_many_signals(signal.run, static_cast<std::size_t>(kept));
  Statement& st = core.sql.signal_insert;
  st.bind(1, *key).bind(2, last + 1).bind_text(3, signal.name).bind(4, static_cast<std::int64_t>(signal.data.encoding));
  st.bind_blob(5, signal.data.data).run();
  core.group.wrote = true;
  return Signalled{signal.run, false};
}

Result<Settled> wake_run(Core& core, const JobId& run) {
  const auto key = core.ids.decode(run);
  HotJob* const job = key ? core.find(*key) : nullptr;
  if (job == nullptr) return finished_as(core, run, key.value_or(0));
  core.wake(*key, *job);
  Settled out{run, job->state, job->attempt, std::nullopt};
  if (!job->blocked()) out.run_at = job->run_at();
  return out;
}

}  // namespace muster::store::sqlite
