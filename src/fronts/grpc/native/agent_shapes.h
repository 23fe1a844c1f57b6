// Between the messages of muster.v1 about runs of agents and the registry's values.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "command/agent_runs.h"
#include "fronts/grpc/call.h"
#include "model/agent_run.h"
#include "muster_v1.pb.h"

namespace muster::rpc::native {

namespace pb = ::muster::v1;

// Texts of any length are told where one run is asked for, and at its end.
enum class RunDetail : std::uint8_t { all, listed };
void put_agent_run(const AgentRun& run, RunDetail detail, pb::AgentRun* out);
void put_iteration(const Iteration& iteration, pb::AgentIteration* out);
void put_execution(const ToolExecution& execution, pb::AgentToolExecution* out);

// invalid_argument, with the field, where a word or an id is none.
Result<command::AgentRunStartRequest> start_of(const Call& call, const pb::StartAgentRunRequest& request);
Result<command::AgentRunListRequest> listing_of(const pb::ListAgentRunsRequest& request);
Result<command::AgentRunDecideRequest> decision_of(const pb::ApproveAgentRunRequest& request);
Result<command::AgentRunDecideRequest> decision_of(const pb::DenyAgentRunRequest& request);

}  // namespace muster::rpc::native
