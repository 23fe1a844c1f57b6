// How a tool execution travels as a job. The payload is the plain input, so that any worker of any wire takes it as it is; what
// only a program of `muster worker` needs (which arguments, how long) stands in labels, and the RESP front makes a task of it.
//
//   agent.tool = get_weather, agent.argument.00 = --city, agent.argument.01 = {{input.city}}, agent.timeout_secs = 300
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/agent.h"
#include "model/job.h"
#include "model/limits.h"

namespace muster::command {

inline constexpr std::string_view kLabelTool = "agent.tool";
inline constexpr std::string_view kLabelToolArgument = "agent.argument.";  // and its place, two digits
inline constexpr std::string_view kLabelToolTimeout = "agent.timeout_secs";
inline constexpr std::size_t kToolArgumentsMax = 24;  // each is a label, and others want some, too

// invalid_argument: more arguments than kToolArgumentsMax, or one that no label holds.
Status validate_tool_arguments(const ToolSpec& tool);

// Labels of a job that executes the tool. REQUIRES: validate_tool_arguments().
Labels tool_labels(const ToolSpec& tool);

// What a program is told; nullopt: the labels are of no tool execution of this type.
struct ToolProgram {
  std::string tool;
  std::vector<std::string> arguments;  // with {{input.x}}
  std::optional<std::uint32_t> timeout_secs{};
};
std::optional<ToolProgram> tool_program(std::string_view job_type, const Labels& labels);

// What a tool has said, out of the result that its worker left: a text as it is, the standard output of a program without its
// last line's end, bytes as they are (which need not be UTF-8), any other JSON as its text. No result: empty.
std::string tool_output(const std::optional<Content>& result);

}  // namespace muster::command
