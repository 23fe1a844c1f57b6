// Writing runs of agents: a run with its job, and a decision about a run with everything that belongs to it.
#include <algorithm>
#include <set>

#include "store/codec/agent_rules.h"
#include "store/postgres/verbs/agents.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

struct HeldRun {
  AgentRun run;
  JobKey key = 0;
  NamespaceKey ns = 0;
};

Result<HeldRun> hold_run(Tx& tx, const JobId& id) {
  const auto key = tx.ids().decode(id);
  if (!key) return refusal::no_agent_run(id);
  const Rows rows = tx.ask("agent_run_lock"_sql, Params().int8(*key));
  if (rows.size() == 0) return refusal::no_agent_run(id);
  return HeldRun{run_at(tx, rows, 0), *key, static_cast<NamespaceKey>(rows.integer(0, kRunColumns))};
}

// A root run waits for those of its session whose jobs live; whatever becomes of them, it goes on.
Status wait_for_turn(Tx& tx, const AgentSessionId& session, JobSpec& job) {
  const Rows before = tx.ask("agent_runs_before"_sql, Params().text(session.text()));
  std::vector<std::int64_t> keys;
  for (std::size_t i = 0; i < before.size(); ++i) keys.push_back(before.integer(i, 0));
  if (keys.empty()) return {};
  const Rows live = tx.ask("jobs_live"_sql, Params().int8s(keys));
  for (std::size_t i = 0; i < live.size(); ++i) job.after.push_back(tx.ids().encode(live.integer(i, 0)));
  if (job.after.size() > limits::kDependenciesMax) return refusal::too_many_runs(session);
  if (live.size() > 0) job.on_dependency_failure = OnDependencyFailure::run;
  return {};
}

// Runs that begin in this transaction, and the jobs that carry them out.
class Starts {
 public:
  explicit Starts(Tx& tx) : tx_(tx) {}

  // Checks what the run names and prepares its job. The session is held from now on.
  Result<JobSpec> prepare(const AgentRunStart& start) {
    if (Status status = check_start(start); !status.ok()) return status;
    const auto ns = tx_.namespace_key(start.run.ns);
    if (!ns.ok()) return ns.status();
    if (tx_.ask("agent_share"_sql, Params().int4(*ns).text(start.run.agent.text())).size() == 0)
      return refusal::no_agent(start.run.agent);
    const auto session = hold_session(tx_, start.run.session);
    if (!session.ok()) return session.status();
    if (session->ns != *ns) return refusal::no_session(start.run.session);
    if (start.run.parent && !get_agent_runs(tx_, {*start.run.parent}).front().ok())
      return refusal::no_agent_run(*start.run.parent);
    JobSpec job = start.job;
    job.ns = start.run.ns;
    if (start.run.depth == 0)
      if (Status status = wait_for_turn(tx_, start.run.session, job); !status.ok()) return status;
    return job;
  }

  // The run as it is from now on. REQUIRES: prepare() said yes.
  const AgentRun& add(const AgentRun& given, const JobId& id) {
    AgentRun& run = made_.emplace_back(given);
    run.id = id;
    run.created_at = tx_.now();
    run.revision = 1;
    return run;
  }

  void write() {
    if (made_.empty()) return;
    RowsOut out(kRunLetters);
    for (const AgentRun& run : made_) add_run(out, run, *tx_.namespace_key(run.ns), tx_.ids());
    tx_.write("agent_runs_put"_sql, out.params());
  }

 private:
  Tx& tx_;
  std::vector<AgentRun> made_;
};

// One AgentRunWrite. Every refusal undoes all of it.
class Writing {
 public:
  Writing(Tx& tx, const AgentRunWrite& write, HeldRun held) : tx_(tx), write_(write), held_(std::move(held)), starts_(tx) {}

  Result<AgentRunWritten> run() {
    if (Status status = check_names(); !status.ok()) return status;
    if (Status status = hold_others(); !status.ok()) return status;
    if (Status status = enqueue_jobs(); !status.ok()) return status;
    if (write_.iteration) put_iteration();
    if (Status status = put_messages(); !status.ok()) return status;
    if (Status status = put_blobs(); !status.ok()) return status;
    put_executions();
    starts_.write();
    move_run();
    count_spending();
    return std::move(answer_);
  }

 private:
  // The iteration's number and id are free or its own, and executions belong to iterations of this run.
  Status check_names() {
    std::vector<ToolExecutionId> ids;
    std::set<IterationId> wanted;
    for (const ExecutionWrite& one : write_.executions) {
      ids.push_back(one.execution.id);
      if (!write_.iteration || one.execution.iteration != write_.iteration->id) wanted.insert(one.execution.iteration);
    }
    if (!write_.iteration && ids.empty()) return {};
    const Iteration iteration = write_.iteration.value_or(Iteration());
    Params places;
    places.int8(held_.key).int4(iteration.number).text(iteration.id.text());
    tx_.write("agent_iteration_places"_sql, std::move(places));
    tx_.write("agent_iterations_known"_sql, std::move(Params().int8(held_.key).array(texts_of(wanted))));
    tx_.write("agent_executions_elsewhere"_sql, std::move(Params().int8(held_.key).array(texts_of(ids))));
    const std::vector<Rows> answers = tx_.ask_all();
    if (tx_.failed() || answers.size() < 3) return Status::unavailable("the database is away");
    const Rows& taken = answers[answers.size() - 3];
    const Rows& known = answers[answers.size() - 2];
    const Rows& elsewhere = answers.back();
    if (write_.iteration && !taken.null(0, 0) && taken.view(0, 0) != iteration.id.text())
      return refusal::iteration_taken(write_.run.id, iteration.number);
    if (write_.iteration && !taken.null(0, 1) && taken.integer(0, 1) != held_.key)
      return refusal::of_another_run("iteration", iteration.id.text());
    for (std::size_t i = 0; i < known.size(); ++i)
      if (const auto id = IterationId::parse(known.view(i, 0))) wanted.erase(*id);
    if (!wanted.empty()) return refusal::no_iteration(*wanted.begin());
    if (elsewhere.size() > 0) return refusal::of_another_run("execution", elsewhere.view(0, 0));
    return {};
  }

  // In the order that everybody keeps: the caller, whose execution ends with this run, and the session.
  Status hold_others() {
    if (is_final(write_.run.state) && held_.run.parent)
      tx_.ask("agent_run_lock"_sql, Params().int8(tx_.ids().decode(*held_.run.parent)));
    if (write_.messages.empty()) return {};
    auto session = hold_session(tx_, held_.run.session);
    if (!session.ok()) return session.status();
    session_ = std::move(*session);
    return {};
  }

  // All jobs at once, then each goes to the execution that asked for it.
  Status enqueue_jobs() {
    std::vector<JobSpec> jobs;
    for (const ExecutionWrite& one : write_.executions) {
      answer_.executions.push_back(one.execution);
      answer_.executions.back().run = held_.run.id;
      if (one.job) {
        jobs.push_back(*one.job);
        jobs.back().ns = held_.run.ns;
      } else if (one.child) {
        auto job = starts_.prepare(*one.child);
        if (!job.ok()) return job.status();
        jobs.push_back(std::move(*job));
      }
    }
    if (jobs.empty()) return {};
    const auto enqueued = enqueue(tx_, jobs);
    if (!enqueued.ok()) return enqueued.status();
    auto next = enqueued->begin();
    for (std::size_t i = 0; i < write_.executions.size(); ++i) {
      const ExecutionWrite& one = write_.executions[i];
      if (one.job) answer_.executions[i].job = (next++)->id;
      if (!one.child) continue;
      const Enqueued& job = *next++;
      answer_.executions[i].child_run = job.id;
      if (job.existed) {
        if (!get_agent_runs(tx_, {job.id}).front().ok()) return refusal::no_agents_job(job.id);
      } else {
        starts_.add(one.child->run, job.id);
      }
    }
    return {};
  }

  void put_iteration() {
    Iteration iteration = *write_.iteration;
    iteration.run = held_.run.id;
    RowsOut out(kIterationLetters);
    add_iteration(out, iteration, tx_.ids());
    tx_.write("agent_iterations_put"_sql, out.params());
  }

  Status put_messages() {
    if (write_.messages.empty()) return {};
    RowsOut out(kMessageLetters);
    for (const AgentMessage& one : write_.messages) {
      MessageRow row{one, std::nullopt};
      row.message.session = held_.run.session;
      row.message.run = held_.run.id;
      row.message.run_depth = held_.run.depth;
      row.message.number = ++session_.last_message;
      row.message.created_at = tx_.now();
      answer_.messages.push_back(row.message.number);
      add_message(out, row, tx_.ids());
    }
    const Rows rows = tx_.ask("agent_messages_put"_sql, out.params());
    std::set<std::uint64_t> placed;
    for (std::size_t i = 0; i < rows.size(); ++i) placed.insert(static_cast<std::uint64_t>(rows.integer(i, 0)));
    for (std::size_t i = 0; i < write_.messages.size(); ++i)
      if (!placed.contains(answer_.messages[i])) return refusal::message_exists(write_.messages[i].id);
    replace_session(tx_, session_);
    return {};
  }

  Status put_blobs() {
    if (write_.blobs.empty()) return {};
    RowsOut out(kBlobLetters);
    for (const Blob& blob : write_.blobs) add_blob(out, blob, held_.run.session);
    const Rows rows = tx_.ask("agent_blobs_put"_sql, out.params());
    std::set<std::string, std::less<>> put;
    for (std::size_t i = 0; i < rows.size(); ++i) put.insert(rows.text(i, 0));
    for (const Blob& blob : write_.blobs)
      if (!put.contains(blob.id.text())) return refusal::blob_exists(blob.id);
    return {};
  }

  void put_executions() {
    if (answer_.executions.empty()) return;
    RowsOut out(kExecutionLetters);
    for (const ToolExecution& one : answer_.executions) add_execution(out, one, tx_.ids());
    tx_.write("agent_executions_put"_sql, out.params());
  }

  // What it began with stays.
  void move_run() {
    AgentRun after = write_.run;
    const AgentRun& before = held_.run;
    after.id = before.id;
    after.ns = before.ns;
    after.session = before.session;
    after.agent = before.agent;
    after.mode = before.mode;
    after.parent = before.parent;
    after.parent_execution = before.parent_execution;
    after.depth = before.depth;
    after.prompt = before.prompt;
    after.created_by = before.created_by;
    after.variables = before.variables;
    after.budget = before.budget;
    after.created_at = before.created_at;
    after.revision = before.revision + 1;
    RowsOut out(kMovedRunLetters);
    add_moved_run(out, after, tx_.ids());
    tx_.write("agent_run_replace"_sql, out.params());
    answer_.run = std::move(after);
  }

  // Last, and then at once the commit: all runs of a namespace meet here.
  void count_spending() {
    if (write_.spent == Spending()) return;
    const std::int64_t today = day_of(tx_.now());
    RowsOut out(kSpendingLetters);
    add_spending(out, {held_.ns, SpendingScope::session, held_.run.session.text(), 0, write_.spent}, tx_.ids());
    std::set<AgentId> agents(write_.spent_for.begin(), write_.spent_for.end());
    agents.insert(held_.run.agent);
    for (const AgentId& agent : agents)
      add_spending(out, {held_.ns, SpendingScope::agent, agent.text(), today, write_.spent}, tx_.ids());
    add_spending(out, {held_.ns, SpendingScope::ns, {}, today, write_.spent}, tx_.ids());
    tx_.write("agent_spending_put"_sql, out.params());
  }

  Tx& tx_;
  const AgentRunWrite& write_;
  const HeldRun held_;
  HeldSession session_;  // held, when there are messages for it
  Starts starts_;
  AgentRunWritten answer_;
};

}  // namespace

Result<AgentRunStarted> start_agent_run(Tx& tx, const AgentRunStart& start) {
  Starts starts(tx);
  auto job = starts.prepare(start);
  if (!job.ok()) return job.status();
  const auto enqueued = enqueue(tx, {std::move(*job)});
  if (!enqueued.ok()) return undo(tx, enqueued.status());
  const Enqueued& made = enqueued->front();
  if (made.existed) {
    auto run = get_agent_runs(tx, {made.id}).front();
    if (!run.ok()) return undo(tx, refusal::no_agents_job(made.id));
    return AgentRunStarted{std::move(*run), true};
  }
  AgentRunStarted started{starts.add(start.run, made.id), false};
  starts.write();
  auto session = hold_session(tx, start.run.session);
  if (!session.ok()) return undo(tx, session.status());
  replace_session(tx, *session);
  return started;
}

Result<AgentRunWritten> write_agent_run(Tx& tx, const AgentRunWrite& write) {
  auto held = hold_run(tx, write.run.id);
  if (!held.ok()) return held.status();
  if (is_final(held->run.state) && !only_pays(held->run, write)) return refusal::agent_run_final(held->run.id, held->run.state);
  if (held->run.revision != write.run.revision)
    return refusal::moved_on("run", held->run.id.text(), held->run.revision, write.run.revision);
  if (Status status = check_write(write); !status.ok()) return status;
  auto written = Writing(tx, write, std::move(*held)).run();
  if (!written.ok()) tx.undone = true;
  return written;
}

}  // namespace muster::store::postgres
