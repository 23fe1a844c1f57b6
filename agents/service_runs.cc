// Runs: start, look, cancel, fork.
#include <fmt/format.h>

#include <algorithm>

#include "agents/endings.h"
#include "agents/jobs.h"
#include "agents/run_reads.h"
#include "agents/service.h"
#include "agents/tool_outcomes.h"
#include "agents/validate.h"
#include "command/jobs.h"
#include "command/runs.h"
#include "command/single.h"
#include "model/validate.h"

namespace muster::agents {

void find_run(const BasePtr& base, const NamespaceName& ns, JobId run, Reply<AgentRun> reply) {
  base->agents.get_agent_runs({run},
                              command::unwrap<AgentRun>([ns, run, reply = std::move(reply)](Result<AgentRun> found) mutable {
                                if (found.ok() && found->ns != ns)
                                  return reply(Status::not_found(fmt::format("run {} does not exist", run.text())));
                                reply(std::move(found));
                              }));
}

namespace {

using StartReply = Reply<store::AgentRunStarted>;

// A run that is to be started, once its agent and its session are known.
struct RunStart {
  BasePtr base;
  std::function<void(const NamespaceName&)> on_work;
  AgentRun run;
  std::string idempotency_key{};
  std::string correlation{};
  std::optional<store::SessionCreate> session{};  // that it begins; else run.session is there
};

JobSpec job_of(const RunStart& start) {
  JobSpec job = run_job(start.run);
  job.idempotency_key = start.idempotency_key;
  job.correlation = start.correlation;
  return job;
}

// A session that was begun for a run goes when the run does not begin in it.
StartReply keeping_session(const RunStart& start, StartReply reply) {
  if (!start.session) return reply;
  return [base = start.base, ns = start.run.ns, id = start.run.session,
          reply = std::move(reply)](Result<store::AgentRunStarted> started) mutable {
    const bool unused = started.ok() ? started->existed : started.code() != Code::outcome_unknown;
    if (unused) base->agents.delete_session(ns, id, [base](Result<AgentSession>) {});
    reply(std::move(started));
  };
}

void start_run(const RunStart& start, StartReply reply) {
  AgentRun run = start.run;
  run.created_by = start.base->settings.node;
  start.on_work(run.ns);
  start.base->agents.start_agent_run({.run = std::move(run), .job = job_of(start)}, keeping_session(start, std::move(reply)));
}

void begin_session(RunStart start, StartReply reply) {
  if (!start.session) return start_run(start, std::move(reply));
  const BasePtr base = start.base;
  store::SessionCreate create = *start.session;
  base->agents.create_session(std::move(create),
                              [start = std::move(start), reply = std::move(reply)](Result<AgentSession> session) mutable {
                                if (!session.ok()) return reply(session.status());
                                start.run.session = session->id;
                                start_run(start, std::move(reply));
                              });
}

store::SessionCreate new_session(const Base& base, const NamespaceName& ns) {
  AgentSession session;
  session.id = AgentSessionId{base.ids()};
  session.ns = ns;
  return {.session = std::move(session)};
}

// A repeat of a start that began a session must not begin another one.
void unless_started(const RunStart& start, StartReply reply, UniqueFunction<void(StartReply)> otherwise) {
  if (start.idempotency_key.empty() || !start.session) return otherwise(std::move(reply));
  start.base->door.run(
      command::itself(), command::JobFindRequest{.ns = start.run.ns, .keys = {start.idempotency_key}},
      Reply<command::JobFindReply>([base = start.base, ns = start.run.ns, reply = std::move(reply),
                                    otherwise = std::move(otherwise)](Result<command::JobFindReply> found) mutable {
        if (!found.ok()) return reply(found.status());
        if (!found->front().ok()) return otherwise(std::move(reply));
        find_run(base, ns, *found->front(), [reply = std::move(reply)](Result<AgentRun> run) mutable {
          if (!run.ok()) return reply(run.status());
          reply(store::AgentRunStarted{.run = *std::move(run), .existed = true});
        });
      }));
}

using GetReply = Reply<command::AgentRunGetReply>;

// Executions whose jobs run show it, though nobody has written it down.
void show_jobs(const BasePtr& base, command::AgentRunGetReply answer, GetReply reply) {
  std::vector<command::JobGetRequest> asked;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < answer.executions.size(); ++i)
    if (const ToolExecution& one = answer.executions[i]; one.job && !is_final(one.state)) {
      asked.push_back({*one.job});
      places.push_back(i);
    }
  if (asked.empty()) return reply(std::move(answer));
  base->door.run_all(command::itself(), std::move(asked),
                     Reply<store::Each<Job>>([places = std::move(places), answer = std::move(answer),
                                              reply = std::move(reply)](Result<store::Each<Job>> jobs) mutable {
                       for (std::size_t i = 0; jobs.ok() && i < places.size(); ++i)
                         if (const Result<Job>& job = (*jobs)[i]; job.ok()) {
                           ToolExecution& execution = answer.executions[places[i]];
                           execution = shown_with(std::move(execution), *job);
                         }
                       reply(std::move(answer));
                     }));
}

void show_run(const BasePtr& base, AgentRun run, GetReply reply) {
  const JobId id = run.id;
  base->agents.list_iterations(
      {.run = id}, [base, run = std::move(run), reply = std::move(reply)](Result<store::IterationList> list) mutable {
        if (!list.ok()) return reply(list.status());
        const store::ExecutionQuery query{.ns = run.ns, .run = run.id, .tool = {}, .limit = limits::kPageMax, .cursor = {}};
        command::AgentRunGetReply answer{.run = std::move(run), .iterations = std::move(list->iterations), .executions = {}};
        base->agents.list_executions(
            query, [base, answer = std::move(answer), reply = std::move(reply)](Result<store::ExecutionPage> page) mutable {
              if (!page.ok()) return reply(page.status());
              answer.executions = std::move(page->executions);
              show_jobs(base, std::move(answer), std::move(reply));
            });
      });
}

// Its job has ended, or nobody waits. Who ended the job without the run, as job.cancel does, writes the run's end behind it.
void show_end(const BasePtr& base, const command::AgentRunGetRequest& request, Ticks until, GetReply reply) {
  find_run(base, request.ns, request.run, [base, request, until, reply = std::move(reply)](Result<AgentRun> run) mutable {
    if (!run.ok()) return reply(run.status());
    if (is_final(run->state) || base->clock.elapsed() >= until) return show_run(base, *std::move(run), std::move(reply));
    base->agenda->after(kEndLookEvery, [base, request, until, reply = std::move(reply)]() mutable {
      show_end(base, request, until, std::move(reply));
    });
  });
}

// The number of the last message before the run's own first one. conflict: that one is in the archive, and what stands there
// now says as much about the run as about what was before it.
Result<std::uint64_t> before_run(const std::vector<AgentMessage>& messages, const AgentRun& run) {
  std::uint64_t last = 0;
  for (const AgentMessage& message : messages) {
    if (message.run == run.id) return last;
    last = message.number;
  }
  if (run.iteration == 0) return last;
  return Status::conflict(fmt::format(
      "the prompt of run {} was compacted away; restore the session, or say through which message the fork goes", run.id.text()));
}

struct Fork {
  RunStart start;
  command::AgentRunForkRequest request;
  AgentRun of;
};

void fork_session(Fork fork, std::uint64_t through, StartReply reply) {
  const BasePtr base = fork.start.base;
  const NamespaceName ns = fork.of.ns;
  find_session(base, ns, fork.of.session,
               [fork = std::move(fork), through, reply = std::move(reply)](Result<AgentSession> session) mutable {
                 if (!session.ok()) return reply(session.status());
                 store::SessionCreate create = new_session(*fork.start.base, fork.of.ns);
                 create.session.metadata = session->metadata;
                 create.session.variables = session->variables;
                 if (through > 0) create.fork = store::SessionFork{.session = session->id, .through = through};
                 fork.start.session = std::move(create);
                 begin_session(std::move(fork.start), std::move(reply));
               });
}

void fork_run(Fork fork, StartReply reply) {
  if (fork.request.through > 0) {
    const std::uint64_t through = fork.request.through;
    return fork_session(std::move(fork), through, std::move(reply));
  }
  // A run that was called as a tool is shown nothing but its own messages.
  if (fork.of.depth > 0) return fork_session(std::move(fork), 0, std::move(reply));
  const BasePtr base = fork.start.base;
  read_messages(base, {.session = fork.of.session}, kSessionBytesMax,
                [fork = std::move(fork), reply = std::move(reply)](Result<std::vector<AgentMessage>> messages) mutable {
                  if (!messages.ok()) return reply(messages.status());
                  const auto through = before_run(*messages, fork.of);
                  if (!through.ok()) return reply(through.status());
                  fork_session(std::move(fork), *through, std::move(reply));
                });
}

}  // namespace

void Service::run(const command::Caller&, command::AgentRunStartRequest request, StartReply reply) {
  if (Status status = needs_model(*base_); !status.ok()) return reply(status);
  if (Status status = check_prompt(request.prompt); !status.ok()) return reply(status);
  if (Status status = prepare_object("variables", request.variables); !status.ok()) return reply(status);
  RunStart start{.base = base_, .on_work = on_work_, .run = {}};
  start.run.ns = request.ns;
  start.run.mode = request.mode;
  start.run.prompt = std::move(request.prompt);
  start.run.variables = std::move(request.variables);
  start.run.budget = request.budget;
  start.idempotency_key = std::move(request.idempotency_key);
  start.correlation = std::move(request.correlation);
  if (Status status = validate(job_of(start)); !status.ok()) return reply(status);
  if (request.session)
    start.run.session = *request.session;
  else
    start.session = new_session(*base_, request.ns);
  find_agent(base_, request.ns, request.agent, [start = std::move(start), reply = std::move(reply)](Result<Agent> agent) mutable {
    if (!agent.ok()) return reply(agent.status());
    start.run.agent = agent->id;
    const RunStart known = start;
    unless_started(known, std::move(reply),
                   [start = std::move(start)](StartReply then) mutable { begin_session(std::move(start), std::move(then)); });
  });
}

void Service::run(const command::Caller&, command::AgentRunGetRequest request, GetReply reply) {
  if (Status status = validate_duration("wait", request.wait, {.least = Duration(0), .most = limits::kClaimWaitMax});
      !status.ok())
    return reply(status);
  find_run(base_, request.ns, request.run, [base = base_, request, reply = std::move(reply)](Result<AgentRun> run) mutable {
    if (!run.ok()) return reply(run.status());
    if (is_final(run->state) || request.wait == Duration(0)) return show_run(base, *std::move(run), std::move(reply));
    const Ticks until = base->clock.elapsed() + request.wait;
    base->door.run(command::itself(), command::RunResultRequest{.run = request.run, .wait = request.wait},
                   Reply<command::RunResultReply>([base, request, until, reply = std::move(reply)](Result<Job> job) mutable {
                     if (!job.ok()) return reply(job.status());
                     show_end(base, request, until, std::move(reply));
                   }));
  });
}

void Service::run(const command::Caller&, command::AgentRunListRequest request, Reply<store::AgentRunPage> reply) {
  if (Status status = check_limit(request.limit); !status.ok()) return reply(status);
  base_->agents.list_agent_runs(std::move(request), std::move(reply));
}

void Service::run(const command::Caller&, command::AgentRunCancelRequest request, Reply<AgentRun> reply) {
  if (Status status = validate_text("reason", request.reason, {.bytes_max = limits::kErrorBytesMax, .one_line = false});
      !status.ok())
    return reply(status);
  find_run(base_, request.ns, request.run,
           [base = base_, reason = request.reason, reply = std::move(reply)](Result<AgentRun> run) mutable {
             if (!run.ok()) return reply(run.status());
             cancel_run(base, run->id, reason, std::move(reply));
           });
}

void Service::run(const command::Caller&, command::AgentRunForkRequest request, StartReply reply) {
  if (Status status = needs_model(*base_); !status.ok()) return reply(status);
  if (!request.prompt.empty())
    if (Status status = check_prompt(request.prompt); !status.ok()) return reply(status);
  find_run(base_, request.ns, request.run,
           [base = base_, on_work = on_work_, request, reply = std::move(reply)](Result<AgentRun> of) mutable {
             if (!of.ok()) return reply(of.status());
             Fork fork{.start = {.base = base, .on_work = std::move(on_work), .run = {}},
                       .request = std::move(request),
                       .of = *std::move(of)};
             AgentRun& run = fork.start.run;
             run.ns = fork.of.ns;
             run.agent = fork.of.agent;
             run.mode = fork.of.mode;
             run.variables = fork.of.variables;
             run.budget = fork.of.budget;
             run.prompt = fork.request.prompt.empty() ? fork.of.prompt : fork.request.prompt;
             if (!fork.request.agent) return fork_run(std::move(fork), std::move(reply));
             const std::string agent = *fork.request.agent;
             const NamespaceName ns = run.ns;
             find_agent(base, ns, agent, [fork = std::move(fork), reply = std::move(reply)](Result<Agent> found) mutable {
               if (!found.ok()) return reply(found.status());
               fork.start.run.agent = found->id;
               fork_run(std::move(fork), std::move(reply));
             });
           });
}

void Service::run(const command::Caller&, command::ToolExecutionListRequest request, Reply<store::ExecutionPage> reply) {
  if (Status status = check_limit(request.limit); !status.ok()) return reply(status);
  base_->agents.list_executions(std::move(request), std::move(reply));
}

void Service::run(const command::Caller&, command::ToolExecutionOutputRequest request,
                  Reply<command::ToolExecutionOutputReply> reply) {
  base_->agents.list_executions(
      {.ns = request.ns, .id = request.execution, .tool = {}, .limit = 1, .cursor = {}},
      [base = base_, id = request.execution, reply = std::move(reply)](Result<store::ExecutionPage> page) mutable {
        if (!page.ok()) return reply(page.status());
        if (page->executions.empty()) return reply(Status::not_found(fmt::format("tool execution {} does not exist", id.text())));
        const ToolExecution& execution = page->executions.front();
        if (!execution.whole_output)
          return reply(command::ToolExecutionOutputReply{.output = execution.output.value_or(std::string())});
        base->agents.get_blob(*execution.whole_output, [reply = std::move(reply)](Result<store::Blob> blob) mutable {
          if (!blob.ok()) return reply(blob.status());
          reply(command::ToolExecutionOutputReply{.output = std::move(blob->data)});
        });
      });
}

}  // namespace muster::agents
