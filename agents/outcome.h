// What an answer of the model makes of a run: an end, calls of tools, or another call of the model. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "agents/claude/api.h"
#include "agents/prices.h"
#include "agents/run_writes.h"
#include "agents/tool_calls.h"

namespace muster::agents {

// Stop reason of a turn that tools of the API's own make long.
inline constexpr std::string_view kPauseTurn = "pause_turn";

struct AnswerFacts {
  const store::AgentRunView& view;
  const claude::Answer& answer;
  const ToolSet& tools;
  const std::vector<AgentId>& lineage;  // of the run and of those above it, for whom its spending counts as well
  const Prices& prices;
};

// Answer, calls and their jobs are one write. Any tool_use means tools, whatever the stop reason. Without one the run is
// completed, unless the model has only paused its turn (kPauseTurn): then it is shown what it has said and goes on. REQUIRES: the
// run is where an answer may come, and its iteration is open. An answer of more than kMessageBytesMax bytes fails the run.
store::AgentRunWrite on_answer(const AnswerFacts& facts, const Moment& moment, const Ids& ids);

}  // namespace muster::agents
