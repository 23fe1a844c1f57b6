#include "agents/run_writes.h"

#include <fmt/format.h>

#include <algorithm>

#include "agents/tool_output.h"
#include "base/check.h"

namespace muster::agents {
namespace {

using json::Tree;
using store::AgentRunView;
using store::AgentRunWrite;

// JSON may write a byte as six, and all results of an answer are one message.
constexpr std::size_t kResultsBytesMax = limits::kMessageBytesMax / 8;

AgentMessage message_of(const AgentRun& run, MessageRole role, std::string blocks, const Ids& ids, Instant now) {
  AgentMessage message;
  message.id = MessageId{ids()};
  message.session = run.session;
  message.run = run.id;
  message.run_depth = run.depth;
  message.role = role;
  message.blocks = std::move(blocks);
  message.created_at = now;
  return message;
}

void claimed(AgentRun& run, const Moment& moment) {
  run.claimed_by = moment.worker;
  run.claimed_at = moment.now;
  if (!run.started_at) run.started_at = moment.now;
}

bool is_open(const std::optional<Iteration>& iteration) { return iteration && !iteration->response && !iteration->completed_at; }

Iteration next_iteration(const AgentRunView& view, const Ids& ids, Instant now) {
  Iteration next;
  next.id = IterationId{ids()};
  next.run = view.run.id;
  next.number = view.run.iteration + 1;
  const bool after_tools = view.iteration && view.iteration->has_tool_use;
  next.trigger = next.number == 1 ? IterationTrigger::user_prompt
                 : after_tools    ? IterationTrigger::tool_results
                                  : IterationTrigger::continuation;
  next.created_at = now;
  return next;
}

// Whatever it was doing is over. What a model would be shown about its open calls is said, should the conversation go on.
void close(AgentRunWrite& write, const AgentRunView& view, std::string_view error_type, const std::string& why, Instant now) {
  write.run.finalized_at = now;
  write.run.error_type = error_type;
  write.run.error_message = error_text(why);
  if (is_open(view.iteration)) {
    write.iteration = view.iteration;
    write.iteration->completed_at = now;
    write.iteration->error_type = error_type;
    write.iteration->error_message = error_text(why);
  }
  for (ToolExecution execution : view.executions) {
    if (is_final(execution.state)) continue;
    refuse(execution, "The run was ended before the call was.", now);
    execution.state = ToolExecutionState::skipped;
    write.executions.push_back({.execution = std::move(execution)});
  }
}

Tree result_block(const ToolExecution& execution, std::size_t bytes_max) {
  std::string content = execution.output.value_or(std::string());
  if (content.empty() && execution.is_error) content = execution.error_message;
  Tree block{
      {"type", "tool_result"}, {"tool_use_id", execution.tool_use_id}, {"content", shortened(std::move(content), bytes_max)}};
  if (execution.is_error) block["is_error"] = true;
  return block;
}

}  // namespace

void move(AgentRun& run, AgentRunEvent on) {
  const auto to = next(run.state, on);
  check(to.has_value(), fmt::format("a run that is {} cannot make move {}", to_string(run.state), static_cast<int>(on)));
  run.previous_state = run.state;
  run.state = *to;
}

std::string error_text(std::string text) {
  repair_utf8(text);
  std::erase(text, '\0');
  return shortened(std::move(text), limits::kErrorBytesMax - 128);
}

AgentRunWrite begin_call(const AgentRunView& view, const Moment& moment, const Ids& ids) {
  AgentRunWrite write{.run = view.run};
  AgentRun& run = write.run;
  const bool streaming = run.mode == RunMode::streaming;
  if (run.state == AgentRunState::pending) {
    move(run, streaming ? AgentRunEvent::streaming : AgentRunEvent::submitting);
  } else {
    ++run.rescues;
    run.last_rescue_at = moment.now;
  }
  claimed(run, moment);
  if (run.iteration == 0 && !run.prompt.empty())
    write.messages.push_back(message_of(run, MessageRole::user, text_blocks(run.prompt), ids, moment.now));
  Iteration iteration = is_open(view.iteration) ? *view.iteration : next_iteration(view, ids, moment.now);
  iteration.streaming = streaming;
  iteration.started_at = moment.now;
  if (streaming) iteration.streaming_started_at = moment.now;
  ++iteration.attempts;
  iteration.batch_id.clear();
  iteration.batch_job.reset();
  iteration.batch_status.reset();
  run.iteration = iteration.number;
  run.iteration_id = iteration.id;
  write.iteration = std::move(iteration);
  return write;
}

AgentRunWrite batch_accepted(const AgentRunView& view, const std::string& batch_id, JobId job, std::optional<Instant> expires_at,
                             const Moment& moment) {
  AgentRunWrite write{.run = view.run, .iteration = view.iteration};
  move(write.run, AgentRunEvent::submitted);
  claimed(write.run, moment);
  write.iteration->batch_id = batch_id;
  write.iteration->batch_job = job;
  write.iteration->batch_status = BatchStatus::in_progress;
  write.iteration->batch_submitted_at = moment.now;
  write.iteration->batch_expires_at = expires_at;
  return write;
}

AgentRunWrite batch_in_progress(const AgentRunView& view, const Moment& moment) {
  AgentRunWrite write{.run = view.run, .iteration = view.iteration};
  move(write.run, AgentRunEvent::processing);
  claimed(write.run, moment);
  ++write.iteration->batch_polls;
  write.iteration->batch_polled_at = moment.now;
  return write;
}

AgentRunWrite call_broken(const AgentRunView& view, std::string_view error_type, const std::string& why, std::string partial,
                          const Moment& moment) {
  AgentRunWrite write{.run = view.run, .iteration = view.iteration};
  move(write.run, AgentRunEvent::retried);
  claimed(write.run, moment);
  write.iteration->error_type = error_type;
  write.iteration->error_message = error_text(why);
  if (!partial.empty()) write.iteration->partial_text = std::move(partial);
  return write;
}

bool may_call_again(const Iteration& iteration) { return iteration.attempts < kCallAttemptsMax; }

AgentRunWrite tools_told(const AgentRunView& view, std::vector<store::ExecutionWrite> executions,
                         std::vector<store::Blob> blobs) {
  return {.run = view.run, .executions = std::move(executions), .blobs = std::move(blobs)};
}

AgentRunWrite tools_done(const AgentRunView& view, std::vector<store::ExecutionWrite> executions, std::vector<store::Blob> blobs,
                         const Moment& moment, const Ids& ids) {
  AgentRunWrite write{.run = view.run};
  move(write.run, AgentRunEvent::tools_done);
  std::vector<const ToolExecution*> ended;
  for (const ToolExecution& old : view.executions) {
    const auto newer = std::find_if(executions.begin(), executions.end(),
                                    [&old](const store::ExecutionWrite& one) { return one.execution.id == old.id; });
    ended.push_back(newer == executions.end() ? &old : &newer->execution);
  }
  std::sort(ended.begin(), ended.end(), [](const auto* a, const auto* b) { return a->place < b->place; });
  Tree blocks = Tree::array();
  for (const ToolExecution* execution : ended)
    blocks.push_back(result_block(*execution, std::min(limits::kToolOutputMax * 2, kResultsBytesMax / ended.size())));
  write.messages.push_back(message_of(write.run, MessageRole::user, json::dump(blocks), ids, moment.now));
  write.executions = std::move(executions);
  write.blobs = std::move(blobs);
  return write;
}

AgentRunWrite run_failed(const AgentRunView& view, std::string_view error_type, const std::string& why, Instant now) {
  AgentRunWrite write{.run = view.run};
  move(write.run, AgentRunEvent::failed);
  close(write, view, error_type, why, now);
  return write;
}

AgentRunWrite run_cancelled(const AgentRunView& view, const std::string& why, Instant now) {
  AgentRunWrite write{.run = view.run};
  move(write.run, AgentRunEvent::cancelled);
  close(write, view, kErrorCancelled, why, now);
  return write;
}

}  // namespace muster::agents
