// Runs of agents: what starts them, the calls of the model and of tools that they are made of, what people decide about them.
//
// Fields are named as on the wire, as types_agent.h says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sdk/cpp/time.h"
#include "sdk/cpp/types_agent.h"

namespace muster::sdk {

struct AgentRunRequest {
  std::string ns;
  std::string agent;  // id, or a name that only one agent has
  std::string session_id, run_mode, prompt, variables;
  std::optional<AgentBudget> budget;
  std::string idempotency_key, correlation;
};

// One call of the model.
struct Iteration {
  std::string id, trigger_type, batch_id, batch_status, partial_text, stop_reason, error_type, error_message;
  std::uint32_t iteration_number = 0, attempts = 0, tool_execution_count = 0;
  bool is_streaming = false, has_tool_use = false;
  Usage usage;
  std::uint64_t microdollars = 0;
  std::optional<Instant> created_at, completed_at;
};

struct ToolExecution {
  std::string id, run_id, iteration_id, state, tool_use_id, tool_name;
  std::string tool_input;  // JSON
  std::string agent_id, child_run_id, job_id, tool_output, error_message, approval, decided_by, decision_reason, last_error;
  bool is_agent_tool = false, is_truncated = false, is_error = false;
  std::uint32_t attempt_count = 0, max_attempts = 0;
  std::optional<Instant> created_at, completed_at;
  std::string document;
};
struct ToolExecutionQuery {
  std::string ns, run_id, tool_name, state, cursor;
  bool approval_asked = false;
  std::optional<std::uint32_t> limit;
};
struct ToolExecutionPage {
  std::vector<ToolExecution> tool_executions;
  std::string next;
};

struct AgentRun {
  std::string id, ns, session_id, agent_id, run_mode, parent_run_id, state, previous_state, prompt, response_text, stop_reason,
      error_type, error_message, claimed_by_instance_id, variables;
  std::uint32_t depth = 0, current_iteration = 0, iteration_count = 0, tool_iterations = 0, rescue_attempts = 0;
  Usage usage;
  std::uint64_t microdollars = 0;
  std::optional<Instant> created_at, started_at, finalized_at;
  bool existed = false;                        // in the answer to a start: a key found it
  std::vector<Iteration> iterations;           // when one run is asked for
  std::vector<ToolExecution> tool_executions;  // when one run is asked for
  std::string document;

  bool finished() const { return state == "completed" || state == "failed" || state == "cancelled"; }
};
struct AgentRunQuery {
  std::string ns, session_id, agent_id, parent_run_id, state, run_mode, cursor;
  bool unfinished = false;
  std::optional<std::uint32_t> limit;
};
struct AgentRunPage {
  std::vector<AgentRun> runs;  // newest first
  std::string next;
};

struct AgentVerdict {
  std::string ns;
  std::string execution;  // empty: every one that waits
  std::string reason;
  std::string input;  // JSON instead of what the model gave; empty: as it is
};
struct AgentRunDecided {
  AgentRun run;
  std::vector<ToolExecution> tool_executions;
  std::string document;
};
struct AgentRunFork {
  std::string ns, prompt, agent;
  std::optional<std::uint64_t> through;
};

}  // namespace muster::sdk
