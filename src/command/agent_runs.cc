#include "command/agent_runs.h"

#include <fmt/format.h>

#include <utility>

#include "command/agent_handover.h"
#include "command/target.h"

namespace muster::command {
namespace {

// Here and not further in: megabytes are refused before anybody copies them.
Status check_prompt(const std::string& prompt) {
  if (prompt.size() <= limits::kPromptMax) return {};
  return Status::invalid_argument(
      fmt::format("the prompt has {} bytes; at most {} are accepted", prompt.size(), limits::kPromptMax));
}

}  // namespace

void handle(Context& context, AgentRunStartRequest request, Reply<store::AgentRunStarted> reply) {
  if (Status status = check_prompt(request.prompt); !status.ok()) return reply(status);
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, AgentRunGetRequest request, Reply<AgentRunGetReply> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, AgentRunListRequest request, Reply<store::AgentRunPage> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, AgentRunCancelRequest request, Reply<AgentRun> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

// Who said yes or no to what is asked about later, so the verdict stands beside the run.
std::string target_of(const AgentRunDecideRequest& request) {
  std::string target = request.run.text() + (request.approve ? " approve" : " deny");
  if (request.execution) target += " " + request.execution->text();
  return target;
}

void handle(Context& context, AgentRunDecideRequest request, Reply<AgentRunDecideReply> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, AgentRunForkRequest request, Reply<store::AgentRunStarted> reply) {
  if (Status status = check_prompt(request.prompt); !status.ok()) return reply(status);
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, ToolExecutionListRequest request, Reply<store::ExecutionPage> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, ToolExecutionOutputRequest request, Reply<ToolExecutionOutputReply> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

}  // namespace muster::command
