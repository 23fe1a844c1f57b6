// When spending stops a run: before its next call of the model, with a reason that names the limit and what was spent.
#pragma once

#include <optional>
#include <string>

#include "model/agent.h"
#include "model/agent_run.h"
#include "store/agents.h"

namespace muster::agents {

struct BudgetFacts {
  const AgentRun& run;  // its own limits come before the agent's
  const AgentBudget& agent;
  const AgentBudget& ns;  // of the namespace; only its limits of a day count
  const store::SpendingView& spent;
};

// Nothing: the run may go on.
std::optional<std::string> budget_reason(const BudgetFacts& facts);
// The run's limit where it has one, else the agent's.
AgentBudget merged(const AgentBudget& run, const AgentBudget& agent);
bool limits_anything(const AgentBudget& budget);

}  // namespace muster::agents
