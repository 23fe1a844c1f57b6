#include "fronts/grpc/native/agent_shapes.h"

#include <fmt/format.h>

#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/dialect/values.h"
#include "fronts/grpc/native/shapes.h"

namespace muster::rpc::native {
namespace {

constexpr PageRule kAgentRunPages{.usual = 100, .most = 500};  // a row has an error's text, and clients take 4 MiB

// Every message that tells what was spent has these four.
template <class Message>
void put_usage(const TokenUsage& usage, Message* out) {
  out->set_input_tokens(usage.input);
  out->set_output_tokens(usage.output);
  out->set_cache_creation_input_tokens(usage.cache_creation);
  out->set_cache_read_input_tokens(usage.cache_read);
}

AgentBudget budget_of(const pb::AgentBudget& message) {
  return {.tokens_per_run = message.tokens_per_run(),
          .tokens_per_session = message.tokens_per_session(),
          .tokens_per_day = message.tokens_per_day(),
          .microdollars_per_run = message.microdollars_per_run(),
          .microdollars_per_session = message.microdollars_per_session(),
          .microdollars_per_day = message.microdollars_per_day()};
}

// The empty text names nothing.
template <class Tag>
Status read_id(std::string_view field, const std::string& text, std::optional<UuidOf<Tag>>& out) {
  if (text.empty()) return {};
  const auto uuid = require_uuid(field, text);
  if (uuid.ok()) out = UuidOf<Tag>{*uuid};
  return uuid.status();
}

constexpr std::string_view kRunModes = "streaming, batch";
constexpr std::string_view kRunStates =
    "pending, batch_submitting, batch_pending, batch_processing, streaming, pending_tools, awaiting_input, completed, cancelled, "
    "failed";

Status not_one_of(std::string_view field, const std::string& word, std::string_view accepted) {
  return Status::invalid_argument(fmt::format("{}: \"{}\" is not one of {}", field, word.substr(0, kEchoedBytesMax), accepted));
}

Status read_mode(const std::string& word, std::optional<RunMode>& out) {
  if (!word.empty() && !(out = parse_run_mode(word))) return not_one_of("run_mode", word, kRunModes);
  return {};
}

Status read_state(const std::string& word, std::optional<AgentRunState>& out) {
  if (!word.empty() && !(out = parse_agent_run_state(word))) return not_one_of("state", word, kRunStates);
  return {};
}

template <class Message>
Result<command::AgentRunDecideRequest> decided(const Message& message) {
  command::AgentRunDecideRequest out;
  out.ns = namespace_of(message.namespace_());
  const auto run = require_run("run_id", message.run_id());
  if (!run.ok()) return run.status();
  out.run = *run;
  if (Status status = read_id("tool_execution_id", message.tool_execution_id(), out.execution); !status.ok()) return status;
  out.reason = message.reason();
  return out;
}

}  // namespace

void put_agent_run(const AgentRun& run, RunDetail detail, pb::AgentRun* out) {
  out->set_id(run.id.text());
  out->set_namespace_(decode_name(run.ns.text()));
  out->set_session_id(run.session.text());
  out->set_agent_id(run.agent.text());
  out->set_run_mode(std::string(to_string(run.mode)));
  out->set_state(std::string(to_string(run.state)));
  if (run.previous_state) out->set_previous_state(std::string(to_string(*run.previous_state)));
  if (detail == RunDetail::all) {
    out->set_prompt(run.prompt);
    if (run.response_text) out->set_response_text(*run.response_text);
    out->set_variables(run.variables);
  }
  out->set_current_iteration(static_cast<std::int32_t>(run.iteration));
  out->set_stop_reason(run.stop_reason);
  put_usage(run.usage, out);
  out->set_microdollars(run.microdollars);
  out->set_iteration_count(static_cast<std::int32_t>(run.iterations));
  out->set_tool_iterations(static_cast<std::int32_t>(run.tool_iterations));
  out->set_error_type(run.error_type);
  out->set_error_message(run.error_message);
  if (run.parent) out->set_parent_run_id(run.parent->text());
  if (run.parent_execution) out->set_parent_tool_execution_id(run.parent_execution->text());
  out->set_depth(static_cast<std::int32_t>(run.depth));
  out->set_claimed_by_instance_id(run.claimed_by.text());
  out->set_rescue_attempts(static_cast<std::int32_t>(run.rescues));
  put_instant(run.created_at, out->mutable_created_at());
  if (run.started_at) put_instant(*run.started_at, out->mutable_started_at());
  if (run.finalized_at) put_instant(*run.finalized_at, out->mutable_finalized_at());
  out->set_revision(run.revision);
}

void put_iteration(const Iteration& iteration, pb::AgentIteration* out) {
  out->set_id(iteration.id.text());
  out->set_iteration_number(static_cast<std::int32_t>(iteration.number));
  out->set_is_streaming(iteration.streaming);
  out->set_trigger_type(std::string(to_string(iteration.trigger)));
  out->set_batch_id(iteration.batch_id);
  out->set_attempts(static_cast<std::int32_t>(iteration.attempts));
  out->set_stop_reason(iteration.stop_reason);
  out->set_has_tool_use(iteration.has_tool_use);
  out->set_tool_execution_count(static_cast<std::int32_t>(iteration.executions));
  put_usage(iteration.usage, out);
  out->set_microdollars(iteration.microdollars);
  out->set_error_type(iteration.error_type);
  out->set_error_message(iteration.error_message);
  put_instant(iteration.created_at, out->mutable_created_at());
  if (iteration.completed_at) put_instant(*iteration.completed_at, out->mutable_completed_at());
}

void put_execution(const ToolExecution& execution, pb::AgentToolExecution* out) {
  out->set_id(execution.id.text());
  out->set_iteration_id(execution.iteration.text());
  out->set_place(static_cast<std::int32_t>(execution.place));
  out->set_state(std::string(to_string(execution.state)));
  out->set_tool_use_id(execution.tool_use_id);
  out->set_tool_name(execution.tool.text());
  out->set_tool_input(execution.input);
  if (execution.agent) out->set_agent_id(execution.agent->text());
  if (execution.child_run) out->set_child_run_id(execution.child_run->text());
  if (execution.job) out->set_job_id(execution.job->text());
  if (execution.output) out->set_tool_output(*execution.output);
  out->set_is_truncated(execution.whole_output.has_value());
  out->set_is_error(execution.is_error);
  out->set_error_message(execution.error_message);
  out->set_approval(std::string(to_string(execution.approval)));
  out->set_decided_by(execution.decided_by);
  out->set_decision_reason(execution.decision_reason);
  if (execution.decided_at) put_instant(*execution.decided_at, out->mutable_decided_at());
  out->set_attempt_count(static_cast<std::int32_t>(execution.attempts));
  out->set_max_attempts(static_cast<std::int32_t>(execution.attempts_max));
  out->set_snooze_count(static_cast<std::int32_t>(execution.snoozes));
  out->set_last_error(execution.last_error);
  put_instant(execution.created_at, out->mutable_created_at());
  if (execution.started_at) put_instant(*execution.started_at, out->mutable_started_at());
  if (execution.completed_at) put_instant(*execution.completed_at, out->mutable_completed_at());
}

Result<command::AgentRunStartRequest> start_of(const Call& call, const pb::StartAgentRunRequest& request) {
  command::AgentRunStartRequest out;
  out.ns = namespace_of(request.namespace_());
  if (request.agent().empty()) return Status::invalid_argument("agent is empty; it is needed");
  out.agent = request.agent();
  if (Status status = read_id("session_id", request.session_id(), out.session); !status.ok()) return status;
  std::optional<RunMode> mode;
  if (Status status = read_mode(request.run_mode(), mode); !status.ok()) return status;
  out.mode = mode.value_or(out.mode);
  out.prompt = request.prompt();
  if (!request.variables().empty()) out.variables = request.variables();
  out.budget = budget_of(request.budget());
  out.idempotency_key = request.idempotency_key();
  out.correlation = call.correlation;
  return out;
}

Result<command::AgentRunListRequest> listing_of(const pb::ListAgentRunsRequest& request) {
  command::AgentRunListRequest out;
  out.ns = namespace_of(request.namespace_());
  if (Status status = read_id("session_id", request.session_id(), out.session); !status.ok()) return status;
  if (Status status = read_id("agent_id", request.agent_id(), out.agent); !status.ok()) return status;
  if (!request.parent_run_id().empty()) {
    const auto parent = require_uuid("parent_run_id", request.parent_run_id());
    if (!parent.ok()) return parent.status();
    out.parent = JobId{*parent};
  }
  if (Status status = read_state(request.state(), out.state); !status.ok()) return status;
  if (Status status = read_mode(request.run_mode(), out.mode); !status.ok()) return status;
  out.unfinished = request.unfinished();
  out.limit = page_size(request.page_size(), kAgentRunPages);
  auto cursor = cursor_of(request.page_token());
  if (!cursor.ok()) return cursor.status();
  out.cursor = *std::move(cursor);
  return out;
}

Result<command::AgentRunDecideRequest> decision_of(const pb::ApproveAgentRunRequest& request) {
  auto out = decided(request);
  if (!out.ok()) return out;
  out->approve = true;
  if (request.has_tool_input()) out->input = request.tool_input();
  return out;
}

Result<command::AgentRunDecideRequest> decision_of(const pb::DenyAgentRunRequest& request) { return decided(request); }

}  // namespace muster::rpc::native
