// Runs of agents, their iterations and tool executions as JSON, both ways. The words are AgentPG's where it has some.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "command/agent_runs.h"
#include "fronts/http/json/fields.h"
#include "fronts/http/target.h"

namespace muster::http {

// `run` and `id` come from the path.
Result<command::AgentRunStartRequest> decode_agent_run_start(std::string_view body);
Result<command::AgentRunGetRequest> decode_agent_run_get(JobId run, const std::vector<QueryParameter>& query);
Result<command::AgentRunListRequest> decode_agent_run_list(const std::vector<QueryParameter>& query);
Result<command::AgentRunCancelRequest> decode_agent_run_cancel(JobId run, std::string_view body);
Result<command::AgentRunDecideRequest> decode_agent_run_approve(JobId run, std::string_view body);
Result<command::AgentRunDecideRequest> decode_agent_run_deny(JobId run, std::string_view body);
Result<command::AgentRunForkRequest> decode_agent_run_fork(JobId run, std::string_view body);
Result<command::ToolExecutionListRequest> decode_tool_execution_list(const std::vector<QueryParameter>& query);
Result<command::ToolExecutionOutputRequest> decode_tool_execution_output(std::string id,
                                                                         const std::vector<QueryParameter>& query);

// A stream of what a run says; `after` is the number of the last chunk that the reader has seen.
struct RunStreamAsked {
  NamespaceName ns{kDefaultNamespace};
  JobId run;
  std::uint64_t after = 0;
};
Result<RunStreamAsked> decode_run_stream(JobId run, const std::vector<QueryParameter>& query, const std::string& last_event_id);

const Object<AgentRun>& object_of(Of<AgentRun>);
const Object<ToolExecution>& object_of(Of<ToolExecution>);
const Object<store::AgentRunStarted>& object_of(Of<store::AgentRunStarted>);
const Object<store::AgentRunPage>& object_of(Of<store::AgentRunPage>);
const Object<command::AgentRunGetReply>& object_of(Of<command::AgentRunGetReply>);
const Object<command::AgentRunDecideReply>& object_of(Of<command::AgentRunDecideReply>);
const Object<store::ExecutionPage>& object_of(Of<store::ExecutionPage>);

}  // namespace muster::http
