// What an answer of the model makes of a run: an end, or calls of tools. Pure.
#pragma once

#include <vector>

#include "agents/claude/api.h"
#include "agents/prices.h"
#include "agents/run_writes.h"
#include "agents/tool_calls.h"

namespace muster::agents {

struct AnswerFacts {
  const store::AgentRunView& view;
  const claude::Answer& answer;
  const ToolSet& tools;
  const std::vector<AgentId>& lineage;
  const Prices& prices;
};

// Answer, calls and their jobs are one write. Any tool_use means tools, whatever the stop reason; without one the run is
// completed. REQUIRES: the run is where an answer may come, and its iteration is open.
store::AgentRunWrite on_answer(const AnswerFacts& facts, const Moment& moment, const Ids& ids);

}  // namespace muster::agents
