#include "agents/outcome.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_reader.h"

namespace muster::agents {
namespace {

void count(AgentRun& run, Iteration& iteration, const claude::Answer& answer, std::uint64_t microdollars) {
  iteration.usage = answer.usage;
  iteration.microdollars = microdollars;
  run.usage += answer.usage;
  run.microdollars += microdollars;
  ++run.iterations;
}

void complete(Iteration& iteration, const claude::Answer& answer, MessageId response, Instant now) {
  iteration.response = response;
  iteration.stop_reason = answer.stop_reason;
  iteration.completed_at = now;
  iteration.error_type.clear();
  iteration.error_message.clear();
  if (iteration.streaming) {
    iteration.streaming_completed_at = now;
  } else {
    iteration.batch_status = BatchStatus::ended;
    iteration.batch_completed_at = now;
  }
}

// It is paid for, and too long to be a message.
store::AgentRunWrite too_long(const AnswerFacts& facts, std::uint64_t cost, Instant now) {
  store::AgentRunWrite write = run_failed(
      facts.view, kRunProcessingError,
      fmt::format("the answer has {} bytes; at most {} are kept", facts.answer.blocks.size(), limits::kMessageBytesMax), now);
  count(write.run, *write.iteration, facts.answer, cost);
  write.spent = {.usage = facts.answer.usage, .microdollars = cost};
  write.spent_for = facts.lineage;
  return write;
}

}  // namespace

store::AgentRunWrite on_answer(const AnswerFacts& facts, const Moment& moment, const Ids& ids) {
  const std::uint64_t cost = facts.prices.microdollars(
      facts.answer.model.empty() ? facts.view.agent.spec.model : facts.answer.model, facts.answer.usage);
  if (facts.answer.blocks.size() > limits::kMessageBytesMax) return too_long(facts, cost, moment.now);
  store::AgentRunWrite write{.run = facts.view.run, .iteration = facts.view.iteration};
  AgentRun& run = write.run;
  Iteration& iteration = *write.iteration;
  count(run, iteration, facts.answer, cost);
  write.spent = {.usage = facts.answer.usage, .microdollars = cost};
  write.spent_for = facts.lineage;

  json::Tree blocks = json::parse(facts.answer.blocks).value_or(json::Tree::array());
  const json::Tree as_came = blocks;
  const std::vector<ToolUse> uses = tool_uses(blocks);
  AgentMessage message;
  message.id = MessageId{ids()};
  message.session = run.session;
  message.run = run.id;
  message.run_depth = run.depth;
  message.role = MessageRole::assistant;
  // The very text that came, unless ids of calls had to be told apart: signatures and numbers go back as they are.
  message.blocks = blocks == as_came && blocks.is_array() ? facts.answer.blocks : json::dump(blocks);
  message.usage = facts.answer.usage;
  message.created_at = moment.now;
  complete(iteration, facts.answer, message.id, moment.now);
  write.messages.push_back(std::move(message));
  run.stop_reason = facts.answer.stop_reason;

  if (uses.empty()) {
    const bool pauses = facts.answer.stop_reason == kPauseTurn;
    move(run, pauses ? AgentRunEvent::paused : AgentRunEvent::answered);
    run.response_text = run.response_text.value_or(std::string()) + text_of(blocks);  // a turn that paused is one text
    if (!pauses) run.finalized_at = moment.now;
    return write;
  }
  run.response_text.reset();
  iteration.has_tool_use = true;
  iteration.executions = static_cast<std::uint32_t>(uses.size());
  ++run.tool_iterations;
  const CallingRun caller{.run = facts.view.run, .session = facts.view.session, .lineage = facts.lineage};
  for (std::size_t i = 0; i < uses.size(); ++i) {
    ToolExecution execution;
    execution.id = ToolExecutionId{ids()};
    execution.run = run.id;
    execution.iteration = iteration.id;
    execution.place = static_cast<std::uint32_t>(i);
    write.executions.push_back(judge_call(caller, facts.tools, uses[i], std::move(execution), moment.now));
  }
  const bool asked = std::any_of(write.executions.begin(), write.executions.end(),
                                 [](const store::ExecutionWrite& one) { return one.execution.approval == ApprovalState::asked; });
  move(run, asked ? AgentRunEvent::approval_asked : AgentRunEvent::tools_called);
  return write;
}

}  // namespace muster::agents
