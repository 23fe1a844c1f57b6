// Agents and their tools, as operators keep them.
//
// What these commands mean is agents/service.h, behind AgentService: a server without agents answers `unavailable`.
#pragma once

#include <string>

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"
#include "model/agent.h"
#include "store/agents.h"

namespace muster::command {

// agent.create: a model, its prompt and its tools, under a name.
inline constexpr Spec kAgentCreate{
    .name = "agent.create",
    .since = "0.6",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Create an agent: a model with a system prompt, tools and other agents it may call.",
};
struct AgentCreateRequest {
  AgentSpec agent;
};
template <>
struct Record<AgentCreateRequest> : Command<kAgentCreate, Agent> {};
// invalid_argument: a field, with its range. not_found: a delegate. already_exists: the name with these metadata.
void handle(Context& context, AgentCreateRequest request, Reply<Agent> reply);

// agent.get: by id or by name.
inline constexpr Spec kAgentGet{
    .name = "agent.get",
    .since = "0.6",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Show one agent.",
};
struct AgentGetRequest {
  NamespaceName ns{kDefaultNamespace};
  std::string agent;  // id, or a name that only one agent has
};
template <>
struct Record<AgentGetRequest> : Command<kAgentGet, Agent> {};
void handle(Context& context, AgentGetRequest request, Reply<Agent> reply);

inline constexpr Spec kAgentList{
    .name = "agent.list",
    .since = "0.6",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "List agents by name.",
};
using AgentListRequest = store::AgentQuery;
template <>
struct Record<AgentListRequest> : Command<kAgentList, store::AgentPage> {};
void handle(Context& context, AgentListRequest request, Reply<store::AgentPage> reply);

// agent.update: replaces the whole description. Runs that are under way see it at their next call of the model.
inline constexpr Spec kAgentUpdate{
    .name = "agent.update",
    .since = "0.6",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Replace an agent's description.",
};
struct AgentUpdateRequest {
  NamespaceName ns{kDefaultNamespace};
  AgentId id;
  AgentSpec agent;
  std::uint64_t revision = 0;  // 0: whatever is there
};
template <>
struct Record<AgentUpdateRequest> : Command<kAgentUpdate, Agent> {};
void handle(Context& context, AgentUpdateRequest request, Reply<Agent> reply);

inline constexpr Spec kAgentDelete{
    .name = "agent.delete",
    .since = "0.6",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Delete an agent that has no runs.",
};
struct AgentDeleteRequest {
  NamespaceName ns{kDefaultNamespace};
  AgentId id;
};
template <>
struct Record<AgentDeleteRequest> : Command<kAgentDelete, Agent> {};
void handle(Context& context, AgentDeleteRequest request, Reply<Agent> reply);

// tool.define: what a model is told about a tool, and how its executions are carried out.
inline constexpr Spec kToolDefine{
    .name = "tool.define",
    .since = "0.6",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Define or replace a tool that agents may call: description, input schema, limits, approval.",
};
struct ToolDefineRequest {
  ToolSpec tool;
};
template <>
struct Record<ToolDefineRequest> : Command<kToolDefine, Tool> {};
// invalid_argument: a field, or a schema that is none.
void handle(Context& context, ToolDefineRequest request, Reply<Tool> reply);

inline constexpr Spec kToolGet{
    .name = "tool.get",
    .since = "0.6",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Show one tool.",
};
struct ToolGetRequest {
  NamespaceName ns{kDefaultNamespace};
  ToolName tool;
};
template <>
struct Record<ToolGetRequest> : Command<kToolGet, Tool> {};
void handle(Context& context, ToolGetRequest request, Reply<Tool> reply);

inline constexpr Spec kToolList{
    .name = "tool.list",
    .since = "0.6",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "List tools by name.",
};
using ToolListRequest = store::ToolQuery;
template <>
struct Record<ToolListRequest> : Command<kToolList, store::ToolPage> {};
void handle(Context& context, ToolListRequest request, Reply<store::ToolPage> reply);

inline constexpr Spec kToolDelete{
    .name = "tool.delete",
    .since = "0.6",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Delete a tool; agents that name it are no longer offered it.",
};
struct ToolDeleteRequest {
  NamespaceName ns{kDefaultNamespace};
  ToolName tool;
};
template <>
struct Record<ToolDeleteRequest> : Command<kToolDelete, Tool> {};
void handle(Context& context, ToolDeleteRequest request, Reply<Tool> reply);

// tool.run: without a model, to try a tool. The answer names the job.
inline constexpr Spec kToolRun{
    .name = "tool.run",
    .since = "0.6",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Run a tool once with an input, without a model.",
};
struct ToolRunRequest {
  NamespaceName ns{kDefaultNamespace};
  ToolName tool;
  std::string input = "{}";  // JSON
};
template <>
struct Record<ToolRunRequest> : Command<kToolRun, store::Enqueued> {};
// invalid_argument: what the tool's schema has against the input.
void handle(Context& context, ToolRunRequest request, Reply<store::Enqueued> reply);

}  // namespace muster::command
