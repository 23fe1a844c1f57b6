// A person says yes, something else, or no to calls that wait for it.
#include <fmt/format.h>

#include <algorithm>

#include "agents/run_reads.h"
#include "agents/run_writes.h"
#include "agents/service.h"
#include "model/validate.h"

namespace muster::agents {
namespace {

struct Verdict {
  BasePtr base;
  command::AgentRunDecideRequest request;
  std::string who;
  CallFacts facts;
};

bool is_asked(const Verdict& verdict, const ToolExecution& execution) {
  return execution.approval == ApprovalState::asked && !is_final(execution.state) &&
         (!verdict.request.execution || *verdict.request.execution == execution.id);
}

Result<store::ExecutionWrite> decided(const Verdict& verdict, const store::AgentRunView& view, ToolExecution execution) {
  const Instant now = verdict.base->now();
  execution.decided_by = verdict.who;
  execution.decided_at = now;
  execution.decision_reason = verdict.request.reason;
  if (!verdict.request.approve) {
    execution.approval = ApprovalState::denied;
    const std::string& reason = verdict.request.reason;
    refuse(execution,
           reason.empty() ? "The call was denied by a person." : fmt::format("The call was denied by a person: {}", reason), now);
    execution.state = ToolExecutionState::skipped;
    return store::ExecutionWrite{.execution = std::move(execution)};
  }
  execution.approval = ApprovalState::approved;
  const Tool* const tool = find_tool(verdict.facts.tools, execution.tool.text());
  if (tool == nullptr) {
    refuse(execution, "The tool is no longer there.", now);
    return store::ExecutionWrite{.execution = std::move(execution)};
  }
  if (verdict.request.input) {
    if (Status status = check_input(tool->spec, *verdict.request.input); !status.ok()) return status.annotate("input");
    execution.input = *verdict.request.input;
  }
  return give_to_worker({.run = view.run, .session = view.session, .lineage = verdict.facts.lineage}, *tool, std::move(execution),
                        now);
}

Result<std::optional<store::AgentRunWrite>> decide(const Verdict& verdict, const store::AgentRunView& view) {
  if (is_final(view.run.state))
    return Status::conflict(fmt::format("run {} is {} already", view.run.id.text(), to_string(view.run.state)));
  store::AgentRunWrite write{.run = view.run};
  bool others = false;
  for (const ToolExecution& execution : view.executions) {
    if (!is_asked(verdict, execution)) {
      others = others || (execution.approval == ApprovalState::asked && !is_final(execution.state));
      continue;
    }
    auto one = decided(verdict, view, execution);
    if (!one.ok()) return one.status();
    write.executions.push_back(*std::move(one));
  }
  if (write.executions.empty())
    return Status::conflict(verdict.request.execution
                                ? fmt::format("tool execution {} does not wait for approval", verdict.request.execution->text())
                                : fmt::format("no call of run {} waits for approval", view.run.id.text()));
  if (verdict.request.input && write.executions.size() > 1)
    return Status::invalid_argument("an input is for one execution; name it");
  if (!others && view.run.state == AgentRunState::awaiting_input) move(write.run, AgentRunEvent::approved);
  return std::optional(std::move(write));
}

}  // namespace

void Service::run(const command::Caller& caller, command::AgentRunDecideRequest request,
                  Reply<command::AgentRunDecideReply> reply) {
  if (Status status = validate_text("reason", request.reason, {.bytes_max = limits::kErrorBytesMax, .one_line = false});
      !status.ok())
    return reply(status);
  if (request.input && !request.approve) return reply(Status::invalid_argument("an input is for a call that is approved"));
  const BasePtr base = base_;
  const auto verdict =
      std::make_shared<Verdict>(Verdict{.base = base, .request = std::move(request), .who = caller.name, .facts = {}});
  base->agents.view_agent_run(
      verdict->request.run, [base, verdict, reply = std::move(reply)](Result<store::AgentRunView> view) mutable {
        if (!view.ok()) return reply(view.status());
        if (view->run.ns != verdict->request.ns)
          return reply(Status::not_found(fmt::format("run {} does not exist", view->run.id.text())));
        read_call_facts(base, *view, [base, verdict, reply = std::move(reply)](Result<CallFacts> facts) mutable {
          if (!facts.ok()) return reply(facts.status());
          verdict->facts = *std::move(facts);
          change_run(
              base, verdict->request.run, [verdict](const store::AgentRunView& now) { return decide(*verdict, now); },
              [base, verdict, reply = std::move(reply)](Result<Changed> changed) mutable {
                if (!changed.ok()) return reply(changed.status());
                base->runs.wake_runs({verdict->request.run}, [base](Result<store::Each<store::Settled>>) {});
                reply(command::AgentRunDecideReply{.run = std::move(changed->written->run),
                                                   .executions = std::move(changed->written->executions)});
              });
        });
      });
}

}  // namespace muster::agents
