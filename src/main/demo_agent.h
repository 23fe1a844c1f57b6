// The agent of `muster dev`: one run with two tools, of which the second waits for a person. Its model is a cassette
// (agents/claude/cassette.h), so it needs neither a key nor a network.
#pragma once

#include <memory>
#include <string>

#include "agents/claude/api.h"
#include "sdk/cpp/agents/agents.h"

namespace muster {

// The model that knows the demo's question, and says so to every other.
std::shared_ptr<claude::Api> demo_model();

// The agent's tools, for the demo's worker.
sdk::agents::Toolbox demo_tools();
// Describes tools and agent to the server and asks the question, unless a run of an earlier start still waits. The run's id.
sdk::Result<std::string> start_demo_run(sdk::Client& client, const sdk::agents::Toolbox& tools);

}  // namespace muster
