// What is written about a run, move by move: each function makes the one write that belongs to one thing that happened. Pure; who
// carries it out is runtime.h and service.h, and the store refuses it when the run has changed since it was read.
#pragma once

#include <string>
#include <vector>

#include "agents/tool_calls.h"
#include "model/agent_run.h"
#include "store/agents.h"

namespace muster::agents {

inline constexpr std::uint32_t kCallAttemptsMax = 3;  // calls of one iteration whose answers were lost or refused by a busy API

// When it happens, and on which instance.
struct Moment {
  Instant now{};
  WorkerId worker{};
};

// The call of the model that is next, or again when the last one was broken: the first brings the prompt into the conversation.
// REQUIRES: pending, or streaming or batch_submitting, whose call was lost with whoever made it.
store::AgentRunWrite begin_call(const store::AgentRunView& view, const Moment& moment, const Ids& ids);

// The batch was accepted. `job` polls it.
store::AgentRunWrite batch_accepted(const store::AgentRunView& view, const std::string& batch_id, JobId job,
                                    std::optional<Instant> expires_at, const Moment& moment);
// A poll of the batch says that it is being worked on.
store::AgentRunWrite batch_in_progress(const store::AgentRunView& view, const Moment& moment);

// The call was made in vain and is made again: the run is pending. `partial` is what a stream had said.
store::AgentRunWrite call_broken(const store::AgentRunView& view, std::string_view error_type, const std::string& why,
                                 std::string partial, const Moment& moment);
bool may_call_again(const Iteration& iteration);

// Every execution has ended: their results are one message, in the model's order, and the run goes on.
// REQUIRES: pending_tools; all of `executions` are final.
store::AgentRunWrite tools_done(const store::AgentRunView& view, std::vector<store::ExecutionWrite> executions,
                                std::vector<store::Blob> blobs, const Moment& moment, const Ids& ids);
// Some of them have.
store::AgentRunWrite tools_told(const store::AgentRunView& view, std::vector<store::ExecutionWrite> executions,
                                std::vector<store::Blob> blobs);

// The end, with what was open about the run closed.
store::AgentRunWrite run_failed(const store::AgentRunView& view, std::string_view error_type, const std::string& why,
                                Instant now);
store::AgentRunWrite run_cancelled(const store::AgentRunView& view, const std::string& why, Instant now);

// Moves the state and remembers the one before. REQUIRES: kAgentRunMoves has the move.
void move(AgentRun& run, AgentRunEvent on);
// Of valid UTF-8 and short enough for an error of a job.
std::string error_text(std::string text);

}  // namespace muster::agents
