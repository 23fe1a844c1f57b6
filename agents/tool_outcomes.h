// How tool executions ended, read from what carried them out: a job, or a run of another agent. Pure.
#pragma once

#include <optional>
#include <vector>

#include "agents/tool_calls.h"
#include "model/agent_run.h"
#include "model/job.h"
#include "store/agents.h"

namespace muster::agents {

// What is known of one execution's carrier. Both empty: it has none, or it is forgotten.
struct Carrier {
  std::optional<Job> job{};
  std::optional<AgentRun> child{};
  bool forgotten = false;  // the job or the run is no longer there
};

// Nothing: it is still under way. An output that is too long for the model comes as a blob besides.
struct EndedExecution {
  ToolExecution execution;
  std::optional<store::Blob> blob{};
};
std::optional<EndedExecution> ended_execution(const ToolExecution& execution, const Carrier& carrier, const Ids& ids,
                                              Instant now);

// What a reader is shown of an execution whose end nobody has looked at yet: running and by whom.
ToolExecution shown_with(ToolExecution execution, const Job& job);

}  // namespace muster::agents
