#include "model/agent.h"

#include <array>

#include "model/agent_run.h"
#include "model/enum_names.h"

namespace muster {
namespace {

constexpr std::array<std::string_view, 2> kApprovals{"never", "ask"};
constexpr std::array<std::string_view, 3> kRoles{"user", "assistant", "system"};
constexpr std::array<std::string_view, 2> kModes{"batch", "streaming"};
constexpr std::array<std::string_view, 10> kRunStates{
    "pending",       "batch_submitting", "batch_pending", "batch_processing", "streaming",
    "pending_tools", "awaiting_input",   "completed",     "cancelled",        "failed"};
constexpr std::array<std::string_view, 3> kBatchStates{"in_progress", "canceling", "ended"};
constexpr std::array<std::string_view, 3> kTriggers{"user_prompt", "tool_results", "continuation"};
constexpr std::array<std::string_view, 5> kExecutionStates{"pending", "running", "completed", "failed", "skipped"};
constexpr std::array<std::string_view, 4> kApprovalStates{"not_needed", "asked", "approved", "denied"};

}  // namespace

std::string_view to_string(ToolApproval approval) { return name_of(kApprovals, approval); }
std::optional<ToolApproval> parse_tool_approval(std::string_view name) { return named<ToolApproval>(kApprovals, name); }
std::string_view to_string(MessageRole role) { return name_of(kRoles, role); }
std::optional<MessageRole> parse_message_role(std::string_view name) { return named<MessageRole>(kRoles, name); }
std::string_view to_string(RunMode mode) { return name_of(kModes, mode); }
std::optional<RunMode> parse_run_mode(std::string_view name) { return named<RunMode>(kModes, name); }
std::string_view to_string(AgentRunState state) { return name_of(kRunStates, state); }
std::optional<AgentRunState> parse_agent_run_state(std::string_view name) { return named<AgentRunState>(kRunStates, name); }
std::string_view to_string(BatchStatus status) { return name_of(kBatchStates, status); }
std::optional<BatchStatus> parse_batch_status(std::string_view name) { return named<BatchStatus>(kBatchStates, name); }
std::string_view to_string(IterationTrigger trigger) { return name_of(kTriggers, trigger); }
std::optional<IterationTrigger> parse_iteration_trigger(std::string_view name) {
  return named<IterationTrigger>(kTriggers, name);
}
std::string_view to_string(ToolExecutionState state) { return name_of(kExecutionStates, state); }
std::optional<ToolExecutionState> parse_tool_execution_state(std::string_view name) {
  return named<ToolExecutionState>(kExecutionStates, name);
}
std::string_view to_string(ApprovalState state) { return name_of(kApprovalStates, state); }
std::optional<ApprovalState> parse_approval_state(std::string_view name) { return named<ApprovalState>(kApprovalStates, name); }

}  // namespace muster
