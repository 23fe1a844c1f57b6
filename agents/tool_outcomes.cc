#include "agents/tool_outcomes.h"

#include <fmt/format.h>

#include "agents/jobs.h"
#include "agents/run_writes.h"
#include "agents/tool_output.h"
#include "command/agent_tool_job.h"

namespace muster::agents {
namespace {

// What the worker said, in the words that a model is to read.
std::string failure_text(const Job& job) {
  const std::string why = job.error ? (job.error->message.empty() ? job.error->kind : job.error->message) : std::string();
  if (job.state == JobState::cancelled) return why.empty() ? "tool cancelled" : "tool cancelled: " + why;
  if (job.error && job.error->kind == kToolCancel) return "tool cancelled: " + why;
  if (job.error && job.error->kind == kToolDiscard) return "tool discarded: " + why;
  return why.empty() ? "the tool failed and said nothing" : why;
}

void copy_facts(ToolExecution& execution, const Job& job) {
  execution.claimed_by = job.worker;
  execution.attempts = job.attempt;
  if (job.started_at) {
    execution.started_at = job.started_at;
    execution.claimed_at = job.started_at;
  }
  execution.scheduled_at = job.run_at ? job.run_at : execution.scheduled_at;
  if (job.error) execution.last_error = error_text(job.error->message);
}

EndedExecution with_output(ToolExecution execution, ShownOutput output, const Ids& ids) {
  EndedExecution ended{.execution = std::move(execution)};
  ended.execution.output = std::move(output.text);
  if (output.whole) {
    ended.blob = store::Blob{.id = ids(), .data = std::move(*output.whole)};
    ended.execution.whole_output = ended.blob->id;
  }
  return ended;
}

EndedExecution failed(ToolExecution execution, std::string why, Instant at) {
  refuse(execution, error_text(std::move(why)), at);
  return {.execution = std::move(execution)};
}

std::optional<EndedExecution> of_job(ToolExecution execution, const Job& job, const Ids& ids, Instant now) {
  if (!is_finished(job.state)) return std::nullopt;
  const Instant at = job.finished_at.value_or(now);
  copy_facts(execution, job);
  if (job.state != JobState::completed) return failed(std::move(execution), failure_text(job), at);
  execution.state = ToolExecutionState::completed;
  execution.completed_at = at;
  return with_output(std::move(execution), shown_output(command::tool_output(job.result)), ids);
}

std::optional<EndedExecution> of_child(ToolExecution execution, const AgentRun& child, const Ids& ids, Instant now) {
  if (!is_final(child.state)) return std::nullopt;
  const Instant at = child.finalized_at.value_or(now);
  execution.attempts = 1;
  execution.claimed_by = child.claimed_by;
  if (child.state != AgentRunState::completed)
    return failed(std::move(execution), fmt::format("the agent's run was {}: {}", to_string(child.state), child.error_message),
                  at);
  execution.state = ToolExecutionState::completed;
  execution.completed_at = at;
  return with_output(std::move(execution), shown_output(child.response_text.value_or(std::string())), ids);
}

}  // namespace

std::optional<EndedExecution> ended_execution(const ToolExecution& execution, const Carrier& carrier, const Ids& ids,
                                              Instant now) {
  if (is_final(execution.state)) return std::nullopt;
  if (carrier.forgotten) return failed(execution, "what the tool answered is no longer known", now);
  if (carrier.child) return of_child(execution, *carrier.child, ids, now);
  if (carrier.job) return of_job(execution, *carrier.job, ids, now);
  return std::nullopt;
}

ToolExecution shown_with(ToolExecution execution, const Job& job) {
  if (is_final(execution.state)) return execution;
  copy_facts(execution, job);
  if (job.state == JobState::running) execution.state = ToolExecutionState::running;
  return execution;
}

}  // namespace muster::agents
