// The jobs that carry agents out: a run, a tool execution, the poll of a batch. Pure; the store enqueues them.
#pragma once

#include <string>
#include <vector>

#include "base/json_reader.h"
#include "model/agent.h"
#include "model/agent_run.h"
#include "model/job.h"

namespace muster::agents {

inline constexpr const char* kAgentQueue = "agents";
inline constexpr const char* kRunType = "agent.run";
inline constexpr const char* kBatchType = "agent.batch";
inline constexpr const char* kRuntimeCapability = "agent:runtime";

// On the jobs of tools, so that whoever carries one out can ask about the run.
inline constexpr const char* kLabelRun = "agent.run";
inline constexpr const char* kLabelSession = "agent.session";
inline constexpr const char* kLabelExecution = "agent.execution";
inline constexpr const char* kLabelVariable = "var.";  // before a variable's name; those that fit into a label

// A worker ends a tool execution for good with one of these error kinds; every other error is retried.
inline constexpr const char* kToolCancel = "cancel";
inline constexpr const char* kToolDiscard = "discard";

// For agent_run.start and for delegates. `run` needs no id.
JobSpec run_job(const AgentRun& run);
JobSpec tool_job(const AgentRun& run, const std::string& session_variables, const Tool& tool, const ToolExecution& execution);
// For tool.run, without a model.
JobSpec tool_trial(const Tool& tool, std::string input);

// Which runs share a batch, as the job that polls it carries them.
struct BatchMember {
  JobId run;
  IterationId iteration;
};
struct BatchTask {
  std::string batch_id;
  std::vector<BatchMember> members;
};
// One job polls a batch. `adopts` names the only member whose earlier poll job is gone.
JobSpec batch_job(const NamespaceName& ns, const BatchTask& task, Duration first_poll, const std::string& adopts = {});
std::optional<BatchTask> read_batch_task(const Content& payload);

// The session's variables and above them the run's.
json::Tree variables_of(const std::string& session, const std::string& run);

}  // namespace muster::agents
