// Runs of agents. A run is a job, so job.output reads its tokens as they come, job.get and `why` know it by the same id.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"
#include "model/agent_run.h"
#include "store/agents.h"

namespace muster::command {

inline constexpr Spec kAgentRunStart{
    .name = "agent_run.start",
    .since = "0.6",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .summary = "Start a run of an agent: a prompt in a session.",
};
struct AgentRunStartRequest {
  NamespaceName ns{kDefaultNamespace};
  std::string agent;                        // id, or a name that only one agent has
  std::optional<AgentSessionId> session{};  // empty: a new one
  RunMode mode = RunMode::streaming;
  std::string prompt;
  std::string variables = "{}";
  AgentBudget budget{};
  std::string idempotency_key{};
  std::string correlation{};
};
template <>
struct Record<AgentRunStartRequest> : Command<kAgentRunStart, store::AgentRunStarted> {};
// not_found: agent or session. invalid_argument: the prompt, the variables.
void handle(Context& context, AgentRunStartRequest request, Reply<store::AgentRunStarted> reply);

inline constexpr Spec kAgentRunGet{
    .name = "agent_run.get",
    .since = "0.6",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Show one run of an agent with its iterations and tool executions, waiting for its end if asked to.",
};
struct AgentRunGetRequest {
  NamespaceName ns{kDefaultNamespace};
  JobId run;
  Duration wait{0};  // for its end; 0: answer at once
};
struct AgentRunGetReply {
  AgentRun run;
  std::vector<Iteration> iterations;      // oldest first; the last of them, as store::IterationList has them
  std::vector<ToolExecution> executions;  // by iteration and place; the first kPageMax
};
template <>
struct Record<AgentRunGetRequest> : Command<kAgentRunGet, AgentRunGetReply> {};
void handle(Context& context, AgentRunGetRequest request, Reply<AgentRunGetReply> reply);

inline constexpr Spec kAgentRunList{
    .name = "agent_run.list",
    .since = "0.6",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "List runs of agents, newest first.",
};
using AgentRunListRequest = store::AgentRunQuery;
template <>
struct Record<AgentRunListRequest> : Command<kAgentRunList, store::AgentRunPage> {};
void handle(Context& context, AgentRunListRequest request, Reply<store::AgentRunPage> reply);

inline constexpr Spec kAgentRunCancel{
    .name = "agent_run.cancel",
    .since = "0.6",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Cancel a run at once, with its tools and the runs it called.",
};
struct AgentRunCancelRequest {
  NamespaceName ns{kDefaultNamespace};
  JobId run;
  std::string reason;
};
template <>
struct Record<AgentRunCancelRequest> : Command<kAgentRunCancel, AgentRun> {};
// conflict: it is final.
void handle(Context& context, AgentRunCancelRequest request, Reply<AgentRun> reply);

// agent_run.decide: a person says yes or no to a tool call that waits for it.
inline constexpr Spec kAgentRunDecide{
    .name = "agent_run.decide",
    .since = "0.6",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Approve, change or deny a tool call that waits for approval.",
};
struct AgentRunDecideRequest {
  NamespaceName ns{kDefaultNamespace};
  JobId run;
  std::optional<ToolExecutionId> execution{};  // empty: every one that waits
  bool approve = false;
  std::string reason{};
  std::optional<std::string> input{};  // instead of what the model gave
};
struct AgentRunDecideReply {
  AgentRun run;
  std::vector<ToolExecution> executions;  // that were decided
};
template <>
struct Record<AgentRunDecideRequest> : Command<kAgentRunDecide, AgentRunDecideReply> {};
std::string target_of(const AgentRunDecideRequest& request);
// conflict: nothing waits. invalid_argument: the tool's schema has something against the input.
void handle(Context& context, AgentRunDecideRequest request, Reply<AgentRunDecideReply> reply);

// agent_run.fork: a new run in a new session that begins like this one's, up to a message.
inline constexpr Spec kAgentRunFork{
    .name = "agent_run.fork",
    .since = "0.6",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .summary = "Start a run in a copy of the session up to one of its messages.",
};
struct AgentRunForkRequest {
  NamespaceName ns{kDefaultNamespace};
  JobId run;
  std::uint64_t through = 0;           // the last message that is copied; 0: all before this run's prompt
  std::string prompt;                  // empty: that of the run
  std::optional<std::string> agent{};  // empty: that of the run
};
template <>
struct Record<AgentRunForkRequest> : Command<kAgentRunFork, store::AgentRunStarted> {};
void handle(Context& context, AgentRunForkRequest request, Reply<store::AgentRunStarted> reply);

inline constexpr Spec kToolExecutionList{
    .name = "tool_execution.list",
    .since = "0.6",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "List tool executions; those that wait for approval, if asked to.",
};
using ToolExecutionListRequest = store::ExecutionQuery;
template <>
struct Record<ToolExecutionListRequest> : Command<kToolExecutionList, store::ExecutionPage> {};
void handle(Context& context, ToolExecutionListRequest request, Reply<store::ExecutionPage> reply);

// tool_execution.output: all of what a model was shown the beginning of.
inline constexpr Spec kToolExecutionOutput{
    .name = "tool_execution.output",
    .since = "0.6",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Read the whole output of a tool execution.",
};
struct ToolExecutionOutputRequest {
  NamespaceName ns{kDefaultNamespace};
  ToolExecutionId execution;
};
struct ToolExecutionOutputReply {
  std::string output;
};
template <>
struct Record<ToolExecutionOutputRequest> : Command<kToolExecutionOutput, ToolExecutionOutputReply> {};
void handle(Context& context, ToolExecutionOutputRequest request, Reply<ToolExecutionOutputReply> reply);

}  // namespace muster::command
