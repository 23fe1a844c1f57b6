// Signals to runs, and waking runs that wait.
#include <algorithm>
#include <map>
#include <set>

#include "store/postgres/moves.h"
#include "store/postgres/shared_statements.h"
#include "store/postgres/step_rows.h"
#include "store/postgres/verbs/verbs.h"
#include "store/refusals.h"
#include "store/runs/rules.h"

namespace muster::store::postgres {
namespace {

const Sql kStepsWaiting{"steps_waiting"};
const Sql kSignalsCount{"signals_count"};
const Sql kSignalsPut{"signals_put"};

std::vector<JobKey> keys_of(Tx& tx, const std::vector<JobId>& ids) {
  std::set<JobKey> keys;
  for (const JobId& id : ids)
    if (const auto key = tx.ids().decode(id)) keys.insert(*key);
  return {keys.begin(), keys.end()};
}

// The finished ones among jobs that are not live, with their states.
std::map<JobKey, JobState> ended(Tx& tx, const std::vector<JobKey>& keys, const std::map<JobKey, LiveJob>& live) {
  std::map<JobKey, JobState> out;
  std::vector<JobKey> gone;
  for (const JobKey key : keys)
    if (!live.contains(key)) gone.push_back(key);
  if (gone.empty()) return out;
  const Rows rows = tx.ask(kRunsEnded, Params().int8s(gone).int8s({}));
  for (std::size_t i = 0; i < rows.size(); ++i) out[rows.integer(i, 0)] = static_cast<JobState>(rows.integer(i, 1));
  return out;
}

class Signalling {
 public:
  Signalling(Tx& tx, const std::vector<Signal>& signals) : tx_(tx), signals_(signals), moves_(tx) {}

  Each<Signalled> run() {
    std::vector<JobId> ids;
    for (const Signal& signal : signals_) ids.push_back(signal.run);
    const std::vector<JobKey> keys = keys_of(tx_, ids);
    jobs_ = lock_jobs(tx_, keys);
    ended_ = ended(tx_, keys, jobs_);
    read_runs();
    Each<Signalled> answers;
    for (const Signal& signal : signals_) answers.push_back(answer(signal));
    writes_.write(tx_);
    if (job_.size() > 0) {
      Params params;
      for (Column* column : {&job_, &place_, &flags_, &name_, &data_}) params.array(std::move(*column));
      tx_.write(kSignalsPut, std::move(params));
    }
    moves_.flush();
    return answers;
  }

 private:
  struct Run {
    std::vector<Step> waiting;
    std::size_t kept = 0;
    std::int64_t last_place = 0;
  };

  void read_runs() {
    std::vector<JobKey> live;
    for (const auto& [key, job] : jobs_)
      if ((job.flags & kRun) != 0) live.push_back(key);
    if (live.empty()) return;
    tx_.write(kStepsWaiting, Params().int8s(live).int8(static_cast<std::int64_t>(limits::kStepsPerRunMax)));
    tx_.write(kSignalsCount, Params().int8s(live));
    const std::vector<Rows> rows = tx_.ask_all();
    if (tx_.failed() || rows.size() < 2) return;
    const Rows& steps = rows[rows.size() - 2];
    for (std::size_t i = 0; i < steps.size(); ++i) runs_[step_key(steps, i).run].waiting.push_back(read_step(tx_, steps, i));
    for (std::size_t i = 0; i < rows.back().size(); ++i) {
      Run& run = runs_[rows.back().integer(i, 0)];
      run.kept = static_cast<std::size_t>(rows.back().integer(i, 1));
      run.last_place = rows.back().integer(i, 2);
    }
  }

  Result<Signalled> answer(const Signal& signal) {
    const auto key = tx_.ids().decode(signal.run);
    const auto live = key ? jobs_.find(*key) : jobs_.end();
    if (live == jobs_.end()) {
      const auto over = key ? ended_.find(*key) : ended_.end();
      if (over == ended_.end()) return refusal::no_job(signal.run);
      return refusal::run_ended(signal.run, over->second);
    }
    if ((live->second.flags & kRun) == 0) return refusal::not_a_run(signal.run);
    Run& run = runs_[*key];
    if (const auto taken = runs::take_signal(run.waiting, signal, tx_.now())) {
      take(live->second, run, *taken);
      return Signalled{signal.run, true};
    }
    if (run.kept >= limits::kSignalsPerRunMax) return refusal::too_many_signals(signal.run, run.kept);
    keep(*key, run, signal);
    return Signalled{signal.run, false};
  }

  void take(LiveJob& job, Run& run, const Step& step) {
    std::erase_if(run.waiting, [&step](const Step& one) { return one.id == step.id; });
    writes_.change(*tx_.step_ids().decode(step.id), step, std::nullopt);
    moves_.wake(job);
  }

  void keep(JobKey key, Run& run, const Signal& signal) {
    ++run.kept;
    job_.add(key);
    place_.add(++run.last_place);
    flags_.add(std::int64_t{signal.data.encoding == Encoding::bytes});
    name_.add(std::string_view(signal.name));
    data_.add(std::string_view(signal.data.data));
  }

  Tx& tx_;
  const std::vector<Signal>& signals_;
  std::map<JobKey, LiveJob> jobs_;
  std::map<JobKey, JobState> ended_;
  std::map<JobKey, Run> runs_;
  StepWrites writes_;
  Column job_{Type::int8}, place_{Type::int8}, flags_{Type::int2}, name_{Type::bytes}, data_{Type::bytes};
  Moves moves_;
};

}  // namespace

Each<Signalled> signal_runs(Tx& tx, const std::vector<Signal>& signals) { return Signalling(tx, signals).run(); }

Each<Settled> wake_runs(Tx& tx, const std::vector<JobId>& ids) {
  const std::vector<JobKey> keys = keys_of(tx, ids);
  std::map<JobKey, LiveJob> jobs = lock_jobs(tx, keys);
  const std::map<JobKey, JobState> over = ended(tx, keys, jobs);
  Moves moves(tx);
  for (auto& [key, job] : jobs) moves.wake(job);
  Each<Settled> answers;
  for (const JobId& id : ids) {
    const auto key = tx.ids().decode(id);
    if (const auto live = key ? jobs.find(*key) : jobs.end(); live != jobs.end()) {
      const LiveJob& job = live->second;
      Settled settled{id, job.state(), job.attempt, std::nullopt};
      if (!job.running && job.run_at) settled.run_at = from_ms(*job.run_at);
      answers.emplace_back(settled);
    } else if (const auto state = key ? over.find(*key) : over.end(); state != over.end()) {
      answers.emplace_back(Settled{id, state->second, 0, std::nullopt});
    } else {
      answers.emplace_back(refusal::no_job(id));
    }
  }
  moves.flush();
  return answers;
}

}  // namespace muster::store::postgres
