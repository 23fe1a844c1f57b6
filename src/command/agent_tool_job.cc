#include "command/agent_tool_job.h"

#include <fmt/format.h>

#include <charconv>

#include "base/base64.h"
#include "base/json_reader.h"

namespace muster::command {
namespace {

std::string argument_label(std::size_t place) { return fmt::format("{}{:02}", kLabelToolArgument, place); }

// A program's report has its tasks; the one task of a tool execution is the last.
const json::Tree* program_task(const json::Tree& result) {
  const json::Tree* tasks = json::array(result, "task_results");
  return tasks == nullptr || tasks->empty() ? nullptr : &tasks->back();
}

std::string standard_output(const json::Tree& task) {
  std::string out;
  if (const std::string* bytes = json::text(task, "stdout_base64"))
    out = from_base64(*bytes).value_or("");
  else if (const std::string* text = json::text(task, "stdout"))
    out = *text;
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

}  // namespace

Status validate_tool_arguments(const ToolSpec& tool) {
  if (tool.arguments.size() > kToolArgumentsMax)
    return Status::invalid_argument(
        fmt::format("the tool has {} arguments; at most {} are accepted", tool.arguments.size(), kToolArgumentsMax));
  for (std::size_t i = 0; i < tool.arguments.size(); ++i)
    if (tool.arguments[i].size() > limits::kLabelBytesMax)
      return Status::invalid_argument(fmt::format("arguments[{}] has {} bytes; at most {} are accepted", i,
                                                  tool.arguments[i].size(), limits::kLabelBytesMax));
  return {};
}

Labels tool_labels(const ToolSpec& tool) {
  Labels labels{{std::string(kLabelTool), tool.name.text()}};
  for (std::size_t i = 0; i < tool.arguments.size(); ++i) labels[argument_label(i)] = tool.arguments[i];
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(tool.timeout).count();
  if (seconds > 0) labels[std::string(kLabelToolTimeout)] = std::to_string(seconds);
  return labels;
}

std::optional<ToolProgram> tool_program(std::string_view job_type, const Labels& labels) {
  const auto name = labels.find(std::string(kLabelTool));
  if (name == labels.end() || name->second != job_type) return std::nullopt;
  ToolProgram out{.tool = name->second, .arguments = {}};
  for (std::size_t i = 0; i < kToolArgumentsMax; ++i) {
    const auto argument = labels.find(argument_label(i));
    if (argument == labels.end()) break;
    out.arguments.push_back(argument->second);
  }
  if (const auto timeout = labels.find(std::string(kLabelToolTimeout)); timeout != labels.end()) {
    std::uint32_t seconds = 0;
    const std::string& text = timeout->second;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (problem == std::errc() && end == text.data() + text.size() && seconds > 0) out.timeout_secs = seconds;
  }
  return out;
}

std::string tool_output(const std::optional<Content>& result) {
  if (!result) return {};
  if (result->encoding != Encoding::json) return result->data;
  const auto tree = json::parse(result->data);
  if (!tree) return result->data;
  if (const auto* text = tree->get_ptr<const std::string*>()) return *text;
  if (const json::Tree* task = program_task(*tree)) return standard_output(*task);
  return result->data;
}

}  // namespace muster::command
