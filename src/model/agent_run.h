// A run of an agent: a prompt, the calls of the model that it takes, and the tools that those ask for.
//
// A run is a job (its id is the job's): lease, rescue, cancel, deadline and `why` are the engine's. What the job does not say is
// here: the conversation it belongs to, which call it is at, what its tools are doing. Moves of the state are one table, kMoves.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "model/agent.h"
#include "model/ids.h"

namespace muster {

using IterationId = UuidOf<struct IterationTag>;
using ToolExecutionId = UuidOf<struct ToolExecutionTag>;

enum class RunMode : std::uint8_t { batch, streaming };

// AgentPG's words, in its order.
enum class AgentRunState : std::uint8_t {
  pending,
  batch_submitting,
  batch_pending,
  batch_processing,
  streaming,
  pending_tools,
  awaiting_input,
  completed,
  cancelled,
  failed,
};

enum class AgentRunEvent : std::uint8_t {
  submitting,      // its request is put into a batch
  submitted,       // the batch was accepted
  processing,      // the batch is being worked on
  streaming,       // its request is being answered
  tools_called,    // the answer asks for tools
  approval_asked,  // and one of them waits for a person
  approved,        // every one of them has been decided
  tools_done,      // every tool has ended
  answered,        // the answer asks for nothing
  paused,          // the model has not finished its turn and is asked to go on
  retried,         // the call is made again
  cancelled,
  failed,
};

struct AgentRunMove {
  AgentRunState from;
  AgentRunEvent on;
  AgentRunState to;
};

inline constexpr std::array kAgentRunMoves{
    AgentRunMove{AgentRunState::pending, AgentRunEvent::submitting, AgentRunState::batch_submitting},
    AgentRunMove{AgentRunState::pending, AgentRunEvent::streaming, AgentRunState::streaming},
    AgentRunMove{AgentRunState::batch_submitting, AgentRunEvent::submitted, AgentRunState::batch_pending},
    AgentRunMove{AgentRunState::batch_submitting, AgentRunEvent::retried, AgentRunState::pending},
    AgentRunMove{AgentRunState::batch_pending, AgentRunEvent::processing, AgentRunState::batch_processing},
    AgentRunMove{AgentRunState::batch_pending, AgentRunEvent::answered, AgentRunState::completed},
    AgentRunMove{AgentRunState::batch_pending, AgentRunEvent::tools_called, AgentRunState::pending_tools},
    AgentRunMove{AgentRunState::batch_pending, AgentRunEvent::approval_asked, AgentRunState::awaiting_input},
    AgentRunMove{AgentRunState::batch_pending, AgentRunEvent::paused, AgentRunState::pending},
    AgentRunMove{AgentRunState::batch_pending, AgentRunEvent::retried, AgentRunState::pending},
    AgentRunMove{AgentRunState::batch_processing, AgentRunEvent::answered, AgentRunState::completed},
    AgentRunMove{AgentRunState::batch_processing, AgentRunEvent::tools_called, AgentRunState::pending_tools},
    AgentRunMove{AgentRunState::batch_processing, AgentRunEvent::approval_asked, AgentRunState::awaiting_input},
    AgentRunMove{AgentRunState::batch_processing, AgentRunEvent::paused, AgentRunState::pending},
    AgentRunMove{AgentRunState::batch_processing, AgentRunEvent::retried, AgentRunState::pending},
    AgentRunMove{AgentRunState::streaming, AgentRunEvent::answered, AgentRunState::completed},
    AgentRunMove{AgentRunState::streaming, AgentRunEvent::tools_called, AgentRunState::pending_tools},
    AgentRunMove{AgentRunState::streaming, AgentRunEvent::approval_asked, AgentRunState::awaiting_input},
    AgentRunMove{AgentRunState::streaming, AgentRunEvent::paused, AgentRunState::pending},
    AgentRunMove{AgentRunState::streaming, AgentRunEvent::retried, AgentRunState::pending},
    AgentRunMove{AgentRunState::pending_tools, AgentRunEvent::tools_done, AgentRunState::pending},
    AgentRunMove{AgentRunState::awaiting_input, AgentRunEvent::approved, AgentRunState::pending_tools},
};

constexpr bool is_final(AgentRunState state) {
  return state == AgentRunState::completed || state == AgentRunState::cancelled || state == AgentRunState::failed;
}

// Empty: it may not happen now. Whatever is not final may be cancelled and may fail.
constexpr std::optional<AgentRunState> next(AgentRunState from, AgentRunEvent on) {
  if (!is_final(from) && on == AgentRunEvent::cancelled) return AgentRunState::cancelled;
  if (!is_final(from) && on == AgentRunEvent::failed) return AgentRunState::failed;
  for (const AgentRunMove& move : kAgentRunMoves)
    if (move.from == from && move.on == on) return move.to;
  return std::nullopt;
}

// What AgentPG calls the reasons why a run failed, and ours beside them.
inline constexpr std::string_view kRunProcessingError = "processing_error";
inline constexpr std::string_view kRunStreamingError = "streaming_error";
inline constexpr std::string_view kRunBatchError = "batch_error";
inline constexpr std::string_view kRunRescueFailed = "rescue_failed";
inline constexpr std::string_view kRunBudgetSpent = "budget_exceeded";
inline constexpr std::string_view kRunIterationsSpent = "max_iterations";

struct AgentRun {
  JobId id;
  NamespaceName ns{kDefaultNamespace};
  AgentSessionId session;
  AgentId agent;
  RunMode mode = RunMode::batch;
  std::optional<JobId> parent;  // the run that called this one as a tool
  std::optional<ToolExecutionId> parent_execution;
  std::uint32_t depth = 0;
  AgentRunState state = AgentRunState::pending;
  std::optional<AgentRunState> previous_state;
  std::string prompt;
  std::uint32_t iteration = 0;  // the current one's number; 0: none yet
  std::optional<IterationId> iteration_id;
  std::optional<std::string> response_text;
  std::string stop_reason;
  TokenUsage usage;
  std::uint64_t microdollars = 0;
  std::uint32_t iterations = 0;       // answers that were dealt with
  std::uint32_t tool_iterations = 0;  // of these, those that called tools
  std::string error_type;
  std::string error_message;
  std::string created_by;  // node
  WorkerId claimed_by;     // the instance that works on it, or did last
  std::optional<Instant> claimed_at;
  std::string variables = "{}";  // JSON object; tools see them, and the runs of delegates
  AgentBudget budget;            // of this run; zero where the agent's counts
  std::uint32_t rescues = 0;
  std::optional<Instant> last_rescue_at;
  Instant created_at{};
  std::optional<Instant> started_at;
  std::optional<Instant> finalized_at;
  std::uint64_t revision = 0;  // grows with every write
  friend bool operator==(const AgentRun&, const AgentRun&) = default;
};

enum class BatchStatus : std::uint8_t { in_progress, canceling, ended };
enum class IterationTrigger : std::uint8_t { user_prompt, tool_results, continuation };

// One call of the model. Its answer is remembered, so that it is paid for once.
struct Iteration {
  IterationId id;
  JobId run;
  std::uint32_t number = 1;
  bool streaming = false;
  IterationTrigger trigger = IterationTrigger::user_prompt;
  std::string batch_id;            // of the model's API; empty: none
  std::optional<JobId> batch_job;  // that polls it
  std::optional<BatchStatus> batch_status;
  std::optional<Instant> batch_submitted_at;
  std::optional<Instant> batch_completed_at;
  std::optional<Instant> batch_expires_at;
  std::uint32_t batch_polls = 0;
  std::optional<Instant> batch_polled_at;
  std::optional<Instant> streaming_started_at;
  std::optional<Instant> streaming_completed_at;
  std::uint32_t attempts = 0;  // calls that were made, those that broke included
  std::string partial_text;    // what a stream had said when it broke
  std::string stop_reason;
  std::optional<MessageId> response;
  bool has_tool_use = false;
  std::uint32_t executions = 0;
  TokenUsage usage;
  std::uint64_t microdollars = 0;
  std::string error_type;
  std::string error_message;
  Instant created_at{};
  std::optional<Instant> started_at;
  std::optional<Instant> completed_at;
  friend bool operator==(const Iteration&, const Iteration&) = default;
};

enum class ToolExecutionState : std::uint8_t { pending, running, completed, failed, skipped };

constexpr bool is_final(ToolExecutionState state) {
  return state == ToolExecutionState::completed || state == ToolExecutionState::failed || state == ToolExecutionState::skipped;
}

enum class ApprovalState : std::uint8_t { not_needed, asked, approved, denied };

struct ToolExecution {
  ToolExecutionId id;
  JobId run;
  IterationId iteration;
  std::uint32_t place = 0;  // among the calls of its answer
  ToolExecutionState state = ToolExecutionState::pending;
  std::string tool_use_id;  // the model's
  ToolName tool;
  std::string input;                  // JSON
  std::optional<AgentId> agent;       // set: the tool is this agent
  std::optional<JobId> child_run;     // and this run is its answer
  std::optional<JobId> job;           // that a worker takes; empty while nobody may run it yet, and for agents
  std::optional<std::string> output;  // what the model is shown
  std::optional<Uuid> whole_output;   // a blob: `output` is its beginning
  bool is_error = false;
  std::string error_message;
  ApprovalState approval = ApprovalState::not_needed;
  std::string decided_by;
  std::string decision_reason;
  std::optional<Instant> decided_at;
  WorkerId claimed_by;
  std::optional<Instant> claimed_at;
  std::uint32_t attempts = 0;
  std::uint32_t attempts_max = 2;
  std::uint32_t snoozes = 0;
  std::string last_error;
  std::optional<Instant> scheduled_at;
  Instant created_at{};
  std::optional<Instant> started_at;
  std::optional<Instant> completed_at;
  friend bool operator==(const ToolExecution&, const ToolExecution&) = default;
};

std::string_view to_string(RunMode mode);
std::optional<RunMode> parse_run_mode(std::string_view name);
std::string_view to_string(AgentRunState state);
std::optional<AgentRunState> parse_agent_run_state(std::string_view name);
std::string_view to_string(BatchStatus status);
std::optional<BatchStatus> parse_batch_status(std::string_view name);
std::string_view to_string(IterationTrigger trigger);
std::optional<IterationTrigger> parse_iteration_trigger(std::string_view name);
std::string_view to_string(ToolExecutionState state);
std::optional<ToolExecutionState> parse_tool_execution_state(std::string_view name);
std::string_view to_string(ApprovalState state);
std::optional<ApprovalState> parse_approval_state(std::string_view name);

}  // namespace muster
