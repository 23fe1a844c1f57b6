// When spending stops a run: before its next call of the model, with a reason that names the limit and what was spent.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/agent.h"
#include "model/agent_run.h"
#include "store/agents.h"

namespace muster::agents {

// A run that has limits of its own, and what it has spent with all runs below it.
struct RunSpending {
  AgentBudget limits;
  store::Spending spent;
};

struct BudgetFacts {
  const AgentRun& run;  // its own limits come before the agent's
  const AgentBudget& agent;
  const AgentBudget& ns;  // of the namespace; only its limits of a day count
  const store::SpendingView& spent;
  const store::Spending& below;           // what runs that it called have spent
  const std::vector<RunSpending>& above;  // runs that wait for it, as far as they have limits
};

// Nothing: the run may go on.
std::optional<std::string> budget_reason(const BudgetFacts& facts);
// The run's limit where it has one, else the agent's.
AgentBudget merged(const AgentBudget& run, const AgentBudget& agent);
bool limits_anything(const AgentBudget& budget);
bool limits_runs(const AgentBudget& budget);

}  // namespace muster::agents
