// What becomes of the calls in an answer of the model: a job for a worker, a run of another agent, a question to a person, or an
// error that goes back to the model without anything having run. Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agents/context.h"
#include "model/agent_run.h"
#include "store/agents.h"

namespace muster::agents {

inline constexpr std::uint32_t kDelegateDepthMax = 8;   // runs below each other
inline constexpr std::size_t kCallsPerAnswerMax = 128;  // more are answered with an error
inline constexpr std::size_t kFaultsShownMax = 5;       // of an input, to the model

// New ids. A test counts.
using Ids = std::function<Uuid()>;

struct CallingRun {
  const AgentRun& run;
  const AgentSession& session;
  const std::vector<AgentId>& lineage;  // agents of the run and of those above it
};

// A call as the model made it.
struct ToolUse {
  std::string id;
  std::string name;
  std::string input;  // JSON
};

// The calls of an answer, in its order. Ids that the model used twice are made different in `blocks`, as the API wants them.
std::vector<ToolUse> tool_uses(json::Tree& blocks);

// `execution` has id, run, iteration, place; the rest is written here.
store::ExecutionWrite judge_call(const CallingRun& caller, const ToolSet& set, const ToolUse& use, ToolExecution execution,
                                 Instant now);

// Makes the job of an execution that may run: it was judged before, or a person has decided. An input that no job can carry makes
// it fail.
store::ExecutionWrite give_to_worker(const CallingRun& caller, const Tool& tool, ToolExecution execution, Instant now);

// ok, or what the tool's schema has against the input.
Status check_input(const ToolSpec& tool, const std::string& input);

// Ended here and now, with a text that the model is shown.
void refuse(ToolExecution& execution, std::string why, Instant now);

}  // namespace muster::agents
