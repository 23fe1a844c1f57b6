#include "worker/tool_nodes.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/json_reader.h"
#include "plan/plan.h"
#include "worker/output_chunks.h"
#include "worker/process/cancel.h"
#include "worker/report.h"

namespace muster::worker {
namespace {

using sdk::ws::Outcome;
using sdk::ws::OutputChannel;

constexpr const char* kFailed = "E.RUNNER.FAILURE";
constexpr const char* kTimedOut = "E.TIMEOUT";

Status wrong(std::string_view name, std::string_view accepted) {
  return Status::invalid_argument(fmt::format("parameter '{}' must be {}", name, accepted));
}

// Said as it comes. What finds no room is left out: the result has the output as well.
void tell(sdk::ws::Task& task, std::optional<sdk::ws::Chunk> chunk) {
  if (!chunk) return;
  sdk::ws::Feedback feedback;
  feedback.chunks.push_back(*std::move(chunk));
  static_cast<void>(task.feedback(feedback));
}

// As the report of a plan with this one task has it.
sdk::ws::Json result_of(TaskResult task, const std::string& error, Instant now) {
  JobOutcome outcome;
  outcome.completed = error.empty();
  outcome.error = error;
  outcome.tasks.push_back(std::move(task));
  const auto update = json::parse_object(make_report(Job{}, outcome, "", now).update);
  const json::Tree* results = update ? json::array(*update, "task_results") : nullptr;
  if (results == nullptr || results->empty()) return json::Tree::object();
  json::Tree result = results->front();
  result.erase("task_number");
  return result;
}

}  // namespace

Result<Executor::ToolCall> read_tool_call(const std::string& tool, const sdk::ws::Json& parameters) {
  Executor::ToolCall call;
  call.tool = tool;
  for (const auto& [name, value] : parameters.items())
    if (name != "args" && name != "stdin" && name != "timeout_secs" && !name.starts_with("__"))
      return Status::invalid_argument(fmt::format("parameter '{}' is none of args, stdin, timeout_secs", name.substr(0, 64)));
  if (json::member(parameters, "args") != nullptr) {
    auto args = json::get<std::vector<std::string>>(parameters, "args");
    if (!args || args->size() > plan::kArgumentsMax)
      return wrong("args", fmt::format("an array of at most {} strings", plan::kArgumentsMax));
    call.args = *std::move(args);
  }
  if (json::member(parameters, "stdin") != nullptr) {
    const std::string* input = json::text(parameters, "stdin");
    if (input == nullptr) return wrong("stdin", "a string");
    call.input = *input;
  }
  if (json::member(parameters, "timeout_secs") != nullptr) {
    const auto seconds = json::natural(parameters, "timeout_secs");
    if (!seconds || *seconds < 1 || *seconds > plan::kTaskSecondsMax)
      return wrong("timeout_secs", fmt::format("an integer from 1 to {}", plan::kTaskSecondsMax));
    call.timeout_secs = static_cast<std::uint32_t>(*seconds);
  }
  return call;
}

Outcome run_tool(const Executor& executor, const std::string& tool, sdk::ws::Task& task, const Clock& clock) {
  const auto call = read_tool_call(tool, task.parameters());
  if (!call.ok()) return Outcome::failed(kFailed, call.status().message());
  Cancel cancel;
  task.on_cancel([&cancel] { cancel.cancel(); });
  OutputChunks out(OutputChannel::standard_output);
  OutputChunks err(OutputChannel::standard_error);
  Executor::ToolEnd end =
      executor.call(*call, cancel, [&](bool is_error, std::string_view bytes) { tell(task, (is_error ? err : out).add(bytes)); });
  tell(task, out.finish());
  tell(task, err.finish());
  if (!end.task) return Outcome::failed(kFailed, end.error);
  const bool timed_out = end.task->run.timed_out;
  sdk::ws::Json result = result_of(*std::move(end.task), end.error, clock.now());
  if (end.error.empty()) return Outcome::succeeded(std::move(result));
  return Outcome::failed(timed_out ? kTimedOut : kFailed, end.error, std::move(result));
}

void register_tools(sdk::ws::Worker& worker, const Executor& executor, const Clock& clock) {
  for (const std::vector<std::string>& names : {executor.tools().tools(), executor.tools().units()})
    for (const std::string& tool : names)
      worker.register_node(std::string(kToolNodePrefix) + tool,
                           [&executor, &clock, tool](sdk::ws::Task& task) { return run_tool(executor, tool, task, clock); });
}

}  // namespace muster::worker
