#include "command/agents.h"

#include <utility>

#include "command/agent_handover.h"

namespace muster::command {

void handle(Context& context, AgentCreateRequest request, Reply<Agent> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, AgentGetRequest request, Reply<Agent> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, AgentListRequest request, Reply<store::AgentPage> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, AgentUpdateRequest request, Reply<Agent> reply) {
  request.agent.ns = request.ns;  // the one that the caller was let into
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, AgentDeleteRequest request, Reply<Agent> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, ToolDefineRequest request, Reply<Tool> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, ToolGetRequest request, Reply<Tool> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, ToolListRequest request, Reply<store::ToolPage> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, ToolDeleteRequest request, Reply<Tool> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, ToolRunRequest request, Reply<store::Enqueued> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

}  // namespace muster::command
