// Calls about steps: those of many callers in one transaction, each judged by store/runs/rules.h over what the ones before left
// in memory, and written at the end.
//
// A run's row is locked first, so that its lease, its steps and its signals hold still until the commit; so is the child somebody
// waits for, or its end could slip in between a look and the parking.
#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <set>

#include "store/codec/spec_text.h"
#include "store/postgres/moves.h"
#include "store/postgres/node.h"
#include "store/postgres/read_rows.h"
#include "store/postgres/statements.h"
#include "store/postgres/verbs/verbs.h"
#include "store/refusals.h"
#include "store/runs/rules.h"

namespace muster::store::postgres {
namespace {

using StepName = std::pair<JobKey, std::string>;

bool may_park(const StepCall& call) {
  return !std::holds_alternative<step::Begin>(call) && !std::holds_alternative<step::Complete>(call);
}

std::vector<JobKey> listed(const std::set<JobKey>& keys) { return {keys.begin(), keys.end()}; }

// A job that calls are about, as it is now and as they leave it.
struct Run {
  LiveJob* job = nullptr;  // null: it is finished
  LaneKey lane = 0;
  JobState state = JobState::running;
  bool leased = false;
  WorkerId holder;
  std::optional<RunSpec> spec;
  std::size_t steps = 0;
};

struct KnownStep {
  Step step;
  bool fresh = false;
  bool changed = false;
};

struct Child {
  JobState state = JobState::running;
  std::optional<Content> result;
  std::optional<JobError> error;
};

struct KeptSignal {
  std::int64_t place = 0;
  Content data;
};

class StepBatch {
 public:
  StepBatch(Tx& tx, const std::vector<StepCall>& calls) : tx_(tx), calls_(calls), moves_(tx) {}

  Each<StepAnswer> run() {
    note_names();
    if (!runs_asked_.empty()) {
      hear_holders();
      read_facts();
    }
    Each<StepAnswer> answers;
    answers.reserve(calls_.size());
    for (std::size_t i = 0; i < calls_.size(); ++i) answers.push_back(answer(i));
    write();
    return answers;
  }

 private:
  void note_names() {
    for (const StepCall& call : calls_) {
      const auto key = tx_.ids().decode(runs::run_of(call).run);
      keys_.push_back(key);
      if (!key) continue;
      runs_asked_.insert(*key);
      const std::string& name = runs::name_of(call);
      name.empty() ? void(sleepers_.insert(*key)) : void(names_.insert({*key, name}));
      if (const auto* wait = std::get_if<step::AwaitSignal>(&call)) ++signals_asked_[{*key, wait->signal}];
      if (const auto* wait = std::get_if<step::AwaitChild>(&call))
        if (const auto child = tx_.ids().decode(wait->child)) children_asked_.insert(*child);
    }
  }

  // Workers come before jobs in the order of locks, so whoever is heard by these calls is noted before the runs are locked. What
  // is read for that is not held, which is fine: it decides about signs of life and nothing else.
  void hear_holders() {
    const bool parks = std::any_of(calls_.begin(), calls_.end(), may_park);
    if (parks) tx_.write("jobs_gates"_sql, Params().int8s(listed(runs_asked_)));
    tx_.write("runs_held"_sql, Params().int8s(listed(runs_asked_)));
    const std::vector<Rows> rows = tx_.ask_all();
    if (tx_.failed() || rows.empty()) return;
    if (parks) lock_gates_in(tx_, rows[rows.size() - 2]);
    std::vector<Beat> beats;
    std::set<WorkerKey> seen;
    const Rows& held = rows.back();
    for (std::size_t i = 0; i < held.size(); ++i) {
      const auto worker = static_cast<WorkerKey>(held.integer(i, 2));
      if (held.integer(i, 3) <= tx_.now_ms() || !speaks_for(held.integer(i, 0), held.integer(i, 1))) continue;
      if (!seen.insert(worker).second || tx_.node().heard_just_now(worker, tx_.now_ms())) continue;
      if (const WorkerPtr known = tx_.worker(worker))
        beats.push_back({.ns = known->worker.spec.ns, .worker = known->worker.spec.id, .session = {}, .stats = {}, .held = {}});
    }
    if (!beats.empty()) (void)heartbeat(tx_, beats);
  }

  bool speaks_for(JobKey key, std::int64_t fence) const {
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (keys_[i] != key) continue;
      const auto& named = runs::run_of(calls_[i]).fence;
      if (!named || static_cast<std::int64_t>(to_number(*named)) == fence) return true;
    }
    return false;
  }

  void read_facts() {
    std::set<JobKey> locked = runs_asked_;
    locked.insert(children_asked_.begin(), children_asked_.end());
    note_job_locks(tx_, listed(locked));
    note_facts();
    tx_.write("runs_ended"_sql, Params().int8s(listed(locked)).int8s(listed(children_asked_)));
    const std::vector<Rows> rows = tx_.ask_all();
    if (tx_.failed()) return;
    // Answers come in the order of the statements; those that were not asked are not there.
    std::size_t at = rows.size() - 1;
    take_ended(rows[at]);
    if (!signals_asked_.empty()) take_signals(rows[--at]);
    if (!sleepers_.empty()) take_steps(rows[--at]);
    if (!names_.empty()) take_steps(rows[--at]);
    const Rows& counts = rows[--at];
    jobs_ = locked_jobs(rows, at - kJobLockStatements);
    take_live();
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (const auto run = runs_.find(counts.integer(i, 0)); run != runs_.end())
        run->second.steps = static_cast<std::size_t>(counts.integer(i, 1));
    read_first_children();
  }

  // The child of a step is the one its first call named, which the later calls may have forgotten.
  void read_first_children() {
    std::set<JobKey> more;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (!keys_[i] || !std::holds_alternative<step::AwaitChild>(calls_[i])) continue;
      const auto child_id = runs::child_of(calls_[i], latest(*keys_[i], runs::name_of(calls_[i])));
      const auto child = child_id ? tx_.ids().decode(*child_id) : std::nullopt;
      if (child && children_asked_.insert(*child).second) more.insert(*child);
    }
    if (more.empty()) return;
    for (const auto& [key, job] : lock_jobs(tx_, listed(more))) children_[key] = Child{job.state(), std::nullopt, std::nullopt};
    take_ended(tx_.ask("runs_ended"_sql, Params().int8s(listed(more)).int8s(listed(more))));
  }

  void note_facts() {
    tx_.write("steps_count"_sql, Params().int8s(listed(runs_asked_)));
    if (!names_.empty()) {
      Table rows({Type::int8, Type::bytes});
      for (const auto& [key, name] : names_) rows.add(key, name);
      tx_.write("steps_latest"_sql, rows.params());
    }
    if (!sleepers_.empty()) tx_.write("steps_asleep"_sql, Params().int8s(listed(sleepers_)));
    if (signals_asked_.empty()) return;
    Table rows({Type::int8, Type::bytes, Type::int4});
    for (const auto& [of, count] : signals_asked_) rows.add(of.first, of.second, count);
    tx_.write("signals_oldest"_sql, rows.params());
  }

  void take_ended(const Rows& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const JobKey key = rows.integer(i, 0);
      const auto state = static_cast<JobState>(rows.integer(i, 1));
      const auto flags = static_cast<std::uint16_t>(rows.integer(i, 2));
      if (runs_asked_.contains(key)) {
        Run& run = runs_[key];
        run.state = state;
        run.lane = static_cast<LaneKey>(rows.integer(i, 5));
        if ((flags & kRun) != 0) run.spec.emplace();  // what is in it matters no more
      }
      if (!children_asked_.contains(key)) continue;
      Child child{state, std::nullopt, std::nullopt};
      if (!rows.null(i, 3))
        child.result = Content{rows.text(i, 3), (flags & kResultBytes) != 0 ? Encoding::bytes : Encoding::json};
      if (!rows.null(i, 4)) child.error = error_from_text(rows.view(i, 4));
      children_.insert_or_assign(key, std::move(child));
    }
  }

  void take_steps(const Rows& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const StepKey key = step_key(rows, i);
      const auto [known, fresh] = steps_.try_emplace({key.run, key.place});
      if (fresh) known->second.step = read_step(tx_, rows, i);
      std::int64_t& latest = latest_[{key.run, known->second.step.name}];
      latest = std::max(latest, key.place);
    }
  }

  void take_signals(const Rows& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      signals_[{rows.integer(i, 0), rows.text(i, 3)}].push_back(
          {rows.integer(i, 1), Content{rows.text(i, 4), rows.integer(i, 2) != 0 ? Encoding::bytes : Encoding::json}});
  }

  void take_live() {
    for (auto& [key, job] : jobs_) {
      if (children_asked_.contains(key)) children_.insert_or_assign(key, Child{job.state(), std::nullopt, std::nullopt});
      if (!runs_asked_.contains(key)) continue;
      Run& run = runs_[key];
      run.job = &job;
      run.lane = job.lane;
      run.state = job.state();
      run.leased = job.running && job.lease_until > tx_.now_ms();
      if (run.leased)
        if (const WorkerPtr worker = tx_.worker(job.worker)) run.holder = worker->worker.spec.id;
      if ((job.flags & kRun) == 0) continue;
      JobSpec spec;
      spec_from_text(job.spec, spec);
      run.spec = std::move(spec.run);
    }
  }

  // The newest step of kind sleep that runs, of those that were looked at.
  const Step* sleeping(JobKey run) const {
    for (auto it = steps_.upper_bound({run, INT64_MAX}); it != steps_.begin();) {
      --it;
      if (it->first.first != run) break;
      if (it->second.step.kind == StepKind::sleep && it->second.step.state == StepState::running) return &it->second.step;
    }
    return nullptr;
  }

  const Step* latest(JobKey run, const std::string& name) const {
    if (name.empty()) return sleeping(run);
    const auto found = latest_.find({run, name});
    return found == latest_.end() ? nullptr : &steps_.at({run, found->second}).step;
  }

  runs::Facts facts_of(const StepCall& call, JobKey key, const Run& run) const {
    runs::Facts facts;
    facts.run = runs::run_of(call).run;
    facts.state = run.state;
    facts.leased = run.leased;
    facts.worker = run.holder;
    facts.spec = run.spec ? &*run.spec : nullptr;
    facts.latest = latest(key, runs::name_of(call));
    facts.steps = run.steps;
    if (run.job != nullptr) {
      facts.fence = Fence{static_cast<std::uint64_t>(run.job->fence)};
      facts.cancel_requested = (run.job->flags & kCancelRequested) != 0;
    }
    if (const auto* wait = std::get_if<step::AwaitSignal>(&call))
      if (const auto kept = signals_.find({key, wait->signal}); kept != signals_.end() && !kept->second.empty())
        facts.signal = &kept->second.front().data;
    const auto child_id = runs::child_of(call, facts.latest);
    const auto child = child_id ? tx_.ids().decode(*child_id) : std::nullopt;
    if (const auto found = child ? children_.find(*child) : children_.end(); found != children_.end()) {
      facts.child = found->second.state;
      if (found->second.result) facts.child_result = &*found->second.result;
      if (found->second.error) facts.child_error = &*found->second.error;
    }
    return facts;
  }

  Result<StepAnswer> answer(std::size_t at) {
    const StepCall& call = calls_[at];
    const auto found = keys_[at] ? runs_.find(*keys_[at]) : runs_.end();
    if (found == runs_.end()) return refusal::no_job(runs::run_of(call).run);
    const JobKey key = found->first;
    Run& run = found->second;
    const LanePtr home = tx_.directory().lane(run.lane);
    if (home == nullptr) return refusal::no_lane(runs::run_of(call).run);
    runs::Facts facts = facts_of(call, key, run);
    facts.ns = &home->lane->ns;
    runs::Verdict verdict = runs::judge(call, facts, tx_.now(), tx_.node().spread());
    if (!verdict.answer.ok()) return verdict.answer.status();
    StepAnswer& answer = *verdict.answer;
    for (Step& step : verdict.writes) answer.step = keep(key, run, std::move(step));
    if (verdict.takes_signal) {
      auto& kept = signals_.at({key, std::get<step::AwaitSignal>(call).signal});
      taken_.emplace_back(key, kept.front().place);
      kept.pop_front();
    }
    if (verdict.park) park(key, run, *verdict.park, answer);
    return std::move(verdict.answer);
  }

  Step keep(JobKey run_key, Run& run, Step step) {
    if (step.id == StepId{}) {
      const StepKey key{run_key, static_cast<std::int64_t>(++run.steps)};
      step.id = tx_.step_ids().encode(key);
      latest_[{run_key, step.name}] = key.place;
      steps_[{key.run, key.place}] = {step, true, false};
      return step;
    }
    const auto key = tx_.step_ids().decode(step.id);
    KnownStep& known = steps_.at({key->run, key->place});
    known.changed = true;
    known.step = step;
    return step;
  }

  // A run whose end was asked for ends here instead.
  void park(JobKey key, Run& run, const runs::Park& until, StepAnswer& answer) {
    moves_.move(*run.job, jobs::park(run.job->standing(), until.until, until.event));
    const Moves::Outcome& outcome = moves_.outcome(key);
    run.state = outcome.state;
    run.leased = false;
    if (is_finished(outcome.state)) {
      answer.state = outcome.state;
      answer.run_at.reset();
    }
    if (const auto child = children_.find(key); child != children_.end()) child->second.state = outcome.state;
  }

  void write() {
    StepWrites writes;
    for (const auto& [place, known] : steps_) {
      if (!known.fresh && !known.changed) continue;
      const StepKey key{place.first, place.second};
      const auto child = known.step.child ? tx_.ids().decode(*known.step.child) : std::nullopt;
      known.fresh ? writes.put(key, known.step, child) : writes.change(key, known.step, child);
    }
    writes.write(tx_);
    if (!taken_.empty()) {
      Table rows({Type::int8, Type::int8});
      for (const auto& [key, place] : taken_) rows.add(key, place);
      tx_.write("signals_take"_sql, rows.params());
    }
    moves_.flush();
  }

  Tx& tx_;
  const std::vector<StepCall>& calls_;
  std::vector<std::optional<JobKey>> keys_;  // of the calls
  std::set<JobKey> runs_asked_;
  std::set<JobKey> children_asked_;
  std::set<JobKey> sleepers_;  // runs whose step of kind sleep is asked for without a name
  std::set<StepName> names_;
  std::map<StepName, std::int64_t> signals_asked_;  // by run and signal: how many may be taken
  std::map<JobKey, LiveJob> jobs_;
  std::map<JobKey, Run> runs_;
  std::map<JobKey, Child> children_;
  std::map<std::pair<JobKey, std::int64_t>, KnownStep> steps_;  // by run and place
  std::map<StepName, std::int64_t> latest_;                     // the place of the newest attempt
  std::map<StepName, std::deque<KeptSignal>> signals_;
  std::vector<std::pair<JobKey, std::int64_t>> taken_;
  Moves moves_;
};

}  // namespace

Each<StepAnswer> run_steps(Tx& tx, const std::vector<StepCall>& calls) { return StepBatch(tx, calls).run(); }

namespace {

// The attempts of a run at its steps, in the order in which they began.

Result<StepPage> read_one(Tx& tx, const StepId& id) {
  const auto key = tx.step_ids().decode(id);
  const Rows rows = key ? tx.ask("step_read"_sql, Params().int8(key->run).int4(key->place)) : Rows();
  if (!key || rows.size() == 0) return refusal::no_step(id);
  StepPage page;
  page.steps.push_back(read_step(tx, rows, 0));
  return page;
}

// The place of the last one that was shown.
std::optional<std::int64_t> place_in_cursor(const std::string& text) {
  std::int64_t place = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), place);
  if (error != std::errc() || end != text.data() + text.size() || place < 0 ||
      place > static_cast<std::int64_t>(limits::kStepsPerRunMax))
    return std::nullopt;
  return place;
}

}  // namespace

Result<StepPage> list_steps(Tx& tx, const StepQuery& query) {
  if (query.step) return read_one(tx, *query.step);
  std::int64_t after = 0;
  if (!query.cursor.empty()) {
    const auto place = place_in_cursor(query.cursor);
    if (!place) return refusal::bad_cursor(query.cursor);
    after = *place;
  }
  StepPage page;
  const auto key = query.run ? tx.ids().decode(*query.run) : std::nullopt;
  if (!key) return page;
  Params params;
  params.int8(*key).int4(after);
  query.name.empty() ? params.null() : params.bytes(query.name);
  const Rows rows = tx.ask("steps_page"_sql, std::move(params.int8(static_cast<std::int64_t>(query.limit) + 1)));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool heavy = i > 0 && rows.integer(i, kStepColumns) > static_cast<std::int64_t>(limits::kPageBytesMax);
    if (heavy || page.steps.size() == query.limit) {
      page.next = std::to_string(rows.integer(i - 1, 1));
      break;
    }
    page.steps.push_back(read_step(tx, rows, i));
  }
  return page;
}

namespace {

// Signals to runs, and waking runs that wait.

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
  const Rows rows = tx.ask("runs_ended"_sql, Params().int8s(gone).int8s({}));
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
    if (!kept_.empty()) tx_.write("signals_put"_sql, kept_.params());
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
    tx_.write("steps_waiting"_sql, Params().int8s(live).int8(static_cast<std::int64_t>(limits::kStepsPerRunMax)));
    tx_.write("signals_count"_sql, Params().int8s(live));
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
    kept_.add(key, ++run.last_place, signal.data.encoding == Encoding::bytes, signal.name, signal.data.data);
  }

  Tx& tx_;
  const std::vector<Signal>& signals_;
  std::map<JobKey, LiveJob> jobs_;
  std::map<JobKey, JobState> ended_;
  std::map<JobKey, Run> runs_;
  StepWrites writes_;
  Table kept_{{Type::int8, Type::int8, Type::int2, Type::bytes, Type::bytes}};
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
