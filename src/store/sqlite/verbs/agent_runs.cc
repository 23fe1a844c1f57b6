// Runs of agents: a run is started together with its job, and a decision about it is written whole, or not at all.
#include <set>

#include "store/codec/agent_rules.h"
#include "store/refusals.h"
#include "store/sqlite/verbs/agents.h"
#include "store/sqlite/verbs/verbs.h"

namespace muster::store::sqlite {
namespace {

std::optional<AgentRun> find_run(Core& core, JobKey key) {
  Statement& st = core.agent_sql.agent_run_find;
  Rows rows(st.bind(1, key));
  if (!rows.next()) return std::nullopt;
  return read_agent_run(st, core.ids);
}

// A run that is to be started, once everything it names was found.
struct Prepared {
  std::int64_t ns_row = 0;
  std::optional<AgentRun> existing;  // a key of its job found it: nothing is started
};

// The root runs of a session take turns. All of them are waited for, since the last may be cancelled while it waits itself; one
// whose job has ended is over, whatever its row says.
Status wait_for_turn(Core& core, AgentRunStart& start) {
  if (start.run.parent) return {};
  const std::string session = start.run.session.text();
  Statement& st = core.agent_sql.agent_run_unfinished_roots;
  Rows rows(st.bind_text(1, session));
  while (rows.next())
    if (core.find(st.integer(0)) != nullptr) start.job.after.push_back(core.ids.encode(st.integer(0)));
  if (start.job.after.size() > limits::kDependenciesMax) return refusal::too_many_runs(start.run.session);
  start.job.on_dependency_failure = OnDependencyFailure::run;
  return {};
}

Result<Prepared> prepare(Core& core, AgentRunStart& start) {
  if (Status sound = check_start(start); !sound.ok()) return sound;
  const auto ns_row = core.namespace_row(start.run.ns);
  if (!ns_row.ok()) return ns_row.status();
  start.job.ns = start.run.ns;
  Prepared out{*ns_row, std::nullopt};
  if (const JobKey existing = existing_job(core, start.job, *ns_row)) {
    out.existing = find_run(core, existing);
    if (!out.existing) return refusal::no_agents_job(core.ids.encode(existing));
    return out;
  }
  const auto agent = find_agent(core, start.run.agent);
  if (!agent || agent->spec.ns != start.run.ns) return refusal::no_agent(start.run.agent);
  const auto session = find_session(core, start.run.session);
  if (!session || session->session.ns != start.run.ns) return refusal::no_session(start.run.session);
  if (Status turn = wait_for_turn(core, start); !turn.ok()) return turn;
  return out;
}

// REQUIRES: its job is enqueued under this id.
AgentRun insert_run(Core& core, std::int64_t ns_row, AgentRun run, const JobId& id) {
  run.id = id;
  run.created_at = core.now;
  run.revision = 1;
  insert_agent_run(core.agent_sql.agent_run_insert, core.ids, ns_row, run);
  return run;
}

// What a run began with stays; the rest is as it was given.
AgentRun moved(const AgentRun& stored, AgentRun given) {
  given.id = stored.id;
  given.ns = stored.ns;
  given.session = stored.session;
  given.agent = stored.agent;
  given.mode = stored.mode;
  given.parent = stored.parent;
  given.parent_execution = stored.parent_execution;
  given.depth = stored.depth;
  given.prompt = stored.prompt;
  given.created_by = stored.created_by;
  given.variables = stored.variables;
  given.budget = stored.budget;
  given.created_at = stored.created_at;
  given.revision = stored.revision + 1;
  return given;
}

// One write, part by part: everything is checked first, then the jobs are enqueued, then the rows are written.
class Writing {
 public:
  Writing(Core& core, AgentRunWrite& write) : core_(core), sql_(core.agent_sql), write_(write) {}

  Result<AgentRunWritten> run() {
    for (const auto check : {&Writing::check_run, &Writing::check_iteration, &Writing::check_executions, &Writing::check_contents,
                             &Writing::prepare_jobs})
      if (Status sound = (this->*check)(); !sound.ok()) return sound;
    if (!jobs_.empty()) {
      auto enqueued = enqueue(core_, jobs_);
      if (!enqueued.ok()) return enqueued.status();
      enqueued_ = std::move(*enqueued);
    }
    write_rows();
    return std::move(out_);
  }

 private:
  Status check_run() {
    auto stored = find_run(core_, core_.ids.decode(write_.run.id).value_or(0));
    if (!stored) return refusal::no_agent_run(write_.run.id);
    was_final_ = is_final(stored->state);
    if (was_final_ && !only_pays(*stored, write_)) return refusal::agent_run_final(stored->id, stored->state);
    if (stored->revision != write_.run.revision)
      return refusal::moved_on("run", stored->id.text(), stored->revision, write_.run.revision);
    if (Status sound = check_write(write_); !sound.ok()) return sound;
    auto session = find_session(core_, stored->session);
    if (!session) return refusal::no_session(stored->session);
    session_ = std::move(*session);
    ns_row_ = *core_.namespace_row(stored->ns);
    out_.run = moved(*stored, write_.run);
    return {};
  }

  Status check_iteration() {
    if (!write_.iteration) return {};
    Iteration& given = *write_.iteration;
    given.run = out_.run.id;
    if (const auto found = find_iteration(given.id)) {
      if (found->run != given.run) return refusal::of_another_run("iteration", given.id.text());
      iteration_row_ = found->row;
    }
    Statement& st = sql_.agent_iteration_numbered;
    Rows rows(st.bind(1, key_of(given.run)).bind(2, std::int64_t{given.number}));
    if (rows.next() && st.view(0) != given.id.text()) return refusal::iteration_taken(given.run, given.number);
    return {};
  }

  Status check_executions() {
    for (ExecutionWrite& one : write_.executions) {
      ToolExecution& execution = one.execution;
      execution.run = out_.run.id;
      if (!write_.iteration || write_.iteration->id != execution.iteration) {
        const auto iteration = find_iteration(execution.iteration);
        if (!iteration || iteration->run != execution.run) return refusal::no_iteration(execution.iteration);
      }
      const std::string id = execution.id.text();
      Statement& st = sql_.agent_execution_find;
      Rows rows(st.bind_text(1, id));
      if (!rows.next()) {
        execution_rows_.emplace_back();
        continue;
      }
      if (st.integer(1) != key_of(execution.run)) return refusal::of_another_run("execution", id);
      execution_rows_.emplace_back(st.integer(0));
      // Snoozes are counted where they happen, and what has ended does not begin again: both may be newer than what was read.
      execution.snoozes = std::max(execution.snoozes, static_cast<std::uint32_t>(st.integer(2)));
      if (st.integer(3) != 0 && !is_final(execution.state)) ended_.insert(execution.id);
    }
    return {};
  }

  Status check_contents() {
    for (const AgentMessage& one : write_.messages) {
      const std::string id = one.id.text();
      for (Statement* st : {&sql_.agent_message_find, &sql_.agent_message_archived}) {
        Rows rows(st->bind_text(1, id));
        if (rows.next()) return refusal::message_exists(one.id);
      }
    }
    for (const Blob& one : write_.blobs) {
      const std::string id = one.id.text();
      if (has_row(sql_.agent_blob_taken.bind_text(1, id))) return refusal::blob_exists(one.id);
    }
    return {};
  }

  Status prepare_jobs() {
    for (ExecutionWrite& one : write_.executions) {
      if (one.child) {
        one.child->run.ns = out_.run.ns;
        auto prepared = prepare(core_, *one.child);
        if (!prepared.ok()) return prepared.status();
        jobs_.push_back(one.child->job);
      } else if (one.job) {
        one.job->ns = out_.run.ns;
        jobs_.push_back(std::move(*one.job));
      }
    }
    return {};
  }

  void write_rows() {
    update_agent_run(sql_.agent_run_update, core_.ids, out_.run);
    if (write_.iteration) put_iteration(sql_.agent_iteration_put, core_.ids, iteration_row_, *write_.iteration);
    write_messages();
    write_executions();
    write_result_of_child();
    for (const Blob& one : write_.blobs) insert_blob(sql_.agent_blob_insert, core_.ids, session_.session.id, one);
    write_spending();
    if (!write_.messages.empty() || (is_final(out_.run.state) && !was_final_)) touched_.insert(session_.session.id);
    for (const AgentSessionId& id : touched_) {
      auto other = id == session_.session.id ? std::optional(session_) : find_session(core_, id);
      if (other) touch_session(core_, *other);
    }
  }

  void write_messages() {
    for (AgentMessage& one : write_.messages) {
      one.session = session_.session.id;
      one.number = ++session_.last_message;
      one.run = out_.run.id;
      one.run_depth = out_.run.depth;
      one.created_at = core_.now;
      out_.messages.push_back(one.number);
      insert_message(sql_.agent_message_insert, core_.ids, {std::move(one), std::nullopt});
    }
  }

  void write_executions() {
    std::size_t next_job = 0;
    for (std::size_t i = 0; i < write_.executions.size(); ++i) {
      ExecutionWrite& one = write_.executions[i];
      if (one.child) {
        const Enqueued& job = enqueued_[next_job++];
        one.execution.child_run = job.id;
        touched_.insert(one.child->run.session);
        if (!job.existed) insert_run(core_, ns_row_, std::move(one.child->run), job.id);
      } else if (one.job) {
        one.execution.job = enqueued_[next_job++].id;
      }
      if (!ended_.contains(one.execution.id))
        put_execution(sql_.agent_execution_put, core_.ids, execution_rows_[i], ns_row_, one.execution);
      out_.executions.push_back(std::move(one.execution));
    }
  }

  // A run that was called as a tool is that tool's result, from the commit of its end on.
  void write_result_of_child() {
    const AgentRun& run = out_.run;
    if (!is_final(run.state) || !run.parent || !run.parent_execution) return;
    const bool completed = run.state == AgentRunState::completed;
    Binder bind(sql_.agent_execution_child_ended, core_.ids);
    bind(*run.parent_execution, completed ? ToolExecutionState::completed : ToolExecutionState::failed, run.response_text,
         !completed, run.error_message, run.finalized_at, *run.parent);
    bind.run();
  }

  void write_spending() {
    const Spending& spent = write_.spent;
    if (spent == Spending()) return;
    const std::int64_t day = day_of(core_.now);
    const auto add = [&](SpendingScope scope, const std::string& name, std::int64_t on) {
      add_spending(sql_.agent_spending_add, core_.ids, ns_row_, scope, name, on, spent);
    };
    add(SpendingScope::session, session_.session.id.text(), 0);
    std::set<AgentId> agents(write_.spent_for.begin(), write_.spent_for.end());
    agents.insert(out_.run.agent);
    for (const AgentId& agent : agents) add(SpendingScope::agent, agent.text(), day);
    add(SpendingScope::ns, {}, day);
  }

  struct FoundIteration {
    std::int64_t row = 0;
    JobId run;
  };
  std::optional<FoundIteration> find_iteration(const IterationId& id) {
    const std::string text = id.text();
    Statement& st = sql_.agent_iteration_find;
    Rows rows(st.bind_text(1, text));
    if (!rows.next()) return std::nullopt;
    return FoundIteration{st.integer(0), core_.ids.encode(st.integer(1))};
  }
  JobKey key_of(const JobId& id) const { return core_.ids.decode(id).value_or(0); }

  Core& core_;
  AgentStatements& sql_;
  AgentRunWrite& write_;
  SessionRow session_;
  std::int64_t ns_row_ = 0;
  bool was_final_ = false;  // the run, before
  std::optional<std::int64_t> iteration_row_;
  std::vector<std::optional<std::int64_t>> execution_rows_;
  std::vector<JobSpec> jobs_;  // of the executions that have one, in their order
  std::vector<Enqueued> enqueued_;
  std::set<ToolExecutionId> ended_;  // of the executions, by somebody else
  std::set<AgentSessionId> touched_;
  AgentRunWritten out_;
};

}  // namespace

Result<AgentRunStarted> start_agent_run(Core& core, AgentRunStart& start) {
  auto prepared = prepare(core, start);
  if (!prepared.ok()) return prepared.status();
  if (prepared->existing) return AgentRunStarted{std::move(*prepared->existing), true};
  std::vector<JobSpec> jobs{std::move(start.job)};
  const auto enqueued = enqueue(core, jobs);
  if (!enqueued.ok()) return enqueued.status();
  auto session = find_session(core, start.run.session);
  AgentRun run = insert_run(core, prepared->ns_row, std::move(start.run), enqueued->front().id);
  touch_session(core, *session);
  return AgentRunStarted{std::move(run), false};
}

Result<AgentRunWritten> write_agent_run(Core& core, AgentRunWrite& write) { return Writing(core, write).run(); }

}  // namespace muster::store::sqlite
