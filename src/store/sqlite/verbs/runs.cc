// Steps of runs: the facts are read, the rules of store/runs/ judge, and what they say is written.
#include <algorithm>
#include <charconv>

#include "store/refusals.h"
#include "store/runs/rules.h"
#include "store/sqlite/rows.h"
#include "store/sqlite/verbs/verbs.h"

namespace muster::store::sqlite {
namespace {

Step step_of(Core& core, StepRow row) {
  Step step = std::move(row.step);
  step.id = core.step_ids.encode(row.key);
  step.run = core.ids.encode(row.key.run);
  if (const HotWorker* worker = core.workers.find(row.worker)) step.worker = worker->worker.spec.id;
  return step;
}

std::optional<Step> read_one(Core& core, Statement& st) {
  Rows rows(st);
  if (!rows.next()) return std::nullopt;
  return step_of(core, read_step_row(st, core.ids));
}

// What the call is about, newest first.
std::optional<Step> read_latest(Core& core, JobKey key, const std::string& name) {
  if (name.empty()) return read_one(core, core.sql.step_asleep.bind(1, key));
  return read_one(core, core.sql.step_newest.bind(1, key).bind_text(2, name));
}

std::size_t count_steps(Core& core, JobKey key) {
  Rows rows(core.sql.step_last.bind(1, key));
  return rows.next() ? static_cast<std::size_t>(core.sql.step_last.integer(0)) : 0;
}

struct KeptSignal {
  std::int64_t place = 0;
  Content data;
};

std::optional<KeptSignal> oldest_signal(Core& core, JobKey key, const std::string& name) {
  Statement& st = core.sql.signal_oldest;
  Rows rows(st.bind(1, key).bind_text(2, name));
  if (!rows.next()) return std::nullopt;
  return KeptSignal{st.integer(0), {st.text(2), static_cast<Encoding>(st.integer(1))}};
}

// The end of a child, as far as it has one.
struct ChildEnd {
  std::optional<JobState> state;
  std::optional<Content> result;
  std::optional<JobError> error;
};

ChildEnd look_at(Core& core, const JobId& child) {
  const auto key = core.ids.decode(child);
  if (!key) return {};
  if (const HotJob* live = core.find(*key)) return {live->state, std::nullopt, std::nullopt};
  auto job = read_job(core, child);
  if (!job.ok()) return {};
  return {job->state, std::move(job->result), std::move(job->error)};
}

// A job that is not live has no steps any more; the words for it are the rules'.
Result<StepAnswer> refuse_finished(Core& core, const StepCall& call, JobKey key) {
  static const RunSpec kAnyRun;
  runs::Facts facts;
  const RunRef& ref = runs::run_of(call);
  facts.run = ref.run;
  std::optional<Job> past;
  if (ref.bounds != nullptr) {
    auto read = read_job(core, ref.run);
    if (!read.ok()) return read.status();
    past = *std::move(read);
    facts.ns = &past->spec.ns;
  }
  {
    Rows rows(core.sql.job_settled.bind(1, key));
    if (!rows.next()) return refusal::no_job(facts.run);
    facts.state = static_cast<JobState>(core.sql.job_settled.integer(0));
  }
  facts.spec = &kAnyRun;
  return runs::judge(call, facts, core.now, 0).answer;
}

void renew(Core& core, Running& running) {
  running.lease_ends = std::max<Ticks>(running.lease_ends, core.listened + running.lease_ttl);
  if (HotWorker* worker = core.workers.find(running.worker)) core.heard(*worker);
}

}  // namespace

std::vector<Step> read_steps(Core& core, Statement& st) {
  std::vector<Step> out;
  Rows rows(st);
  while (rows.next()) out.push_back(step_of(core, read_step_row(st, core.ids)));
  return out;
}

std::vector<Step> parked_on(Core& core, JobKey key, const HotJob& job, std::size_t limit) {
  if ((job.flags & kIsRun) == 0 || job.state != JobState::scheduled) return {};
  return read_steps(core, core.sql.step_parked_on.bind(1, key).bind(2, job.run_at_ms).bind(3, static_cast<std::int64_t>(limit)));
}

Result<StepAnswer> run_step(Core& core, const StepCall& call) {
  const RunRef& ref = runs::run_of(call);
  const auto key = core.ids.decode(ref.run);
  HotJob* const job = key ? core.find(*key) : nullptr;
  if (job == nullptr) return refuse_finished(core, call, key.value_or(0));

  runs::Facts facts;
  facts.run = ref.run;
  facts.ns = &core.queue_of(*job).ns;
  facts.state = job->state;
  facts.fence = Fence{job->fence};
  facts.leased = job->running && job->running->lease_ends > core.listened;
  facts.cancel_requested = (job->flags & kCancelRequested) != 0;
  RunMemo* memo = job->running ? job->running->run.get() : nullptr;
  WorkerKey worker_key = 0;
  if (facts.leased) {
    if (const HotWorker* worker = core.workers.find(job->running->worker)) {
      facts.worker = worker->worker.spec.id;
      worker_key = worker->key;
    }
  }
  std::unique_ptr<RunMemo> read_memo;  // of a run that nobody holds
  if (memo == nullptr && (job->flags & kIsRun) != 0) {
    read_memo = memo_of(core.read_spec(*key).run.value_or(RunSpec()));
    memo = read_memo.get();
  }
  std::optional<Step> latest;
  std::optional<KeptSignal> signal;
  ChildEnd child;
  if (memo != nullptr) {
    if (!memo->steps) memo->steps = count_steps(core, *key);
    facts.spec = &memo->spec;
    facts.steps = *memo->steps;
    latest = read_latest(core, *key, runs::name_of(call));
    if (latest) facts.latest = &*latest;
    if (const auto* await = std::get_if<step::AwaitSignal>(&call)) signal = oldest_signal(core, *key, await->signal);
    if (signal) facts.signal = &signal->data;
    if (const auto child_id = runs::child_of(call, facts.latest)) child = look_at(core, *child_id);
    facts.child = child.state;
    if (child.result) facts.child_result = &*child.result;
    if (child.error) facts.child_error = &*child.error;
  }

  runs::Verdict verdict = runs::judge(call, facts, core.now, core.spread());
  if (!verdict.answer.ok()) return verdict.answer.status();
  StepAnswer& answer = *verdict.answer;
  for (Step& step : verdict.writes) {
    if (step.id.value.is_nil()) {
      const StepKey at{*key, static_cast<std::int64_t>(++*memo->steps)};
      insert_step(core.sql.step_insert, at, step, worker_key, core.ids);
      step.id = core.step_ids.encode(at);
    } else {
      update_step(core.sql.step_update, *core.step_ids.decode(step.id), step, core.ids);
    }
  }
  if (!verdict.writes.empty()) answer.step = std::move(verdict.writes.back());
  if (verdict.takes_signal) core.sql.signal_take.bind(1, *key).bind(2, signal->place).run();
  if (verdict.renews) renew(core, *job->running);
  if (verdict.park) {
    const bool cancelled = facts.cancel_requested;
    core.move(*key, *job, jobs::park(core.standing(*key, *job), verdict.park->until, verdict.park->event));
    if (cancelled) {
      answer.state = JobState::cancelled;
      answer.run_at.reset();
    }
  }
  return verdict.answer;
}

Result<StepPage> list_steps(Core& core, const StepQuery& query) {
  StepPage page;
  if (query.step) {
    const auto key = core.step_ids.decode(*query.step);
    std::optional<Step> found;
    if (key) found = read_one(core, core.sql.step_read.bind(1, key->run).bind(2, key->place));
    if (!found) return refusal::no_step(*query.step);
    page.steps.push_back(std::move(*found));
    return page;
  }
  // The cursor is the place of the last one.
  std::int64_t behind = 0;
  const char* const end = query.cursor.data() + query.cursor.size();
  if (!query.cursor.empty()) {
    const auto [stop, error] = std::from_chars(query.cursor.data(), end, behind);
    if (error != std::errc() || stop != end || behind < 0) return refusal::bad_cursor(query.cursor);
  }
  const auto key = query.run ? core.ids.decode(*query.run) : std::nullopt;
  Statement& st = core.sql.step_list;
  st.bind(1, key.value_or(0)).bind(2, behind).bind_text_or_null(3, query.name);
  Rows rows(st.bind(4, static_cast<std::int64_t>(query.limit) + 1));
  std::size_t bytes = 0;
  while (rows.next()) {
    StepRow row = read_step_row(st, core.ids);
    if (row.step.input) bytes += row.step.input->data.size();
    if (row.step.output) bytes += row.step.output->data.size();
    // One always fits, so a page never stands still.
    if (page.steps.size() == query.limit || (bytes > limits::kPageBytesMax && !page.steps.empty())) {
      page.next = std::to_string(behind);
      break;
    }
    behind = row.key.place;
    page.steps.push_back(step_of(core, std::move(row)));
  }
  return page;
}

namespace {

// Signals, and waking runs that wait.

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
