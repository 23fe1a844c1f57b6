// Tools as nodes of a WebSocket worker: `tool.<name>` runs one tool, its output goes out as feedback while it runs, its end is
// the result. Made by `muster worker --via ws`; docs/worker.md describes parameters and results.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "sdk/cpp/ws/worker.h"
#include "worker/executor.h"

namespace muster::worker {

inline constexpr std::string_view kToolNodePrefix = "tool.";

// invalid_argument: which parameter, and what it may be. {"args":["-n","3"],"stdin":"…","timeout_secs":10}, each optional.
Result<Executor::ToolCall> read_tool_call(const std::string& tool, const sdk::ws::Json& parameters);

// One node type for each tool that the executor announces. executor and clock outlive the worker.
void register_tools(sdk::ws::Worker& worker, const Executor& executor, const Clock& clock);

// What becomes of one task.
sdk::ws::Outcome run_tool(const Executor& executor, const std::string& tool, sdk::ws::Task& task, const Clock& clock);

}  // namespace muster::worker
