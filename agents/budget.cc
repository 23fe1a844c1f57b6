#include "agents/budget.h"

#include <fmt/format.h>

#include <vector>

namespace muster::agents {
namespace {

struct Limit {
  const char* whose;
  const char* unit;
  std::uint64_t most;
  std::uint64_t spent;
};

std::uint64_t either(std::uint64_t over, std::uint64_t under) { return over != 0 ? over : under; }

}  // namespace

AgentBudget merged(const AgentBudget& run, const AgentBudget& agent) {
  return {.tokens_per_run = either(run.tokens_per_run, agent.tokens_per_run),
          .tokens_per_session = either(run.tokens_per_session, agent.tokens_per_session),
          .tokens_per_day = either(run.tokens_per_day, agent.tokens_per_day),
          .microdollars_per_run = either(run.microdollars_per_run, agent.microdollars_per_run),
          .microdollars_per_session = either(run.microdollars_per_session, agent.microdollars_per_session),
          .microdollars_per_day = either(run.microdollars_per_day, agent.microdollars_per_day)};
}

bool limits_anything(const AgentBudget& budget) { return budget != AgentBudget{}; }
bool limits_runs(const AgentBudget& budget) { return budget.tokens_per_run != 0 || budget.microdollars_per_run != 0; }

std::optional<std::string> budget_reason(const BudgetFacts& facts) {
  const AgentBudget own = merged(facts.run.budget, facts.agent);
  std::vector<Limit> checks{
      Limit{"run", "tokens", own.tokens_per_run, facts.run.usage.total() + facts.below.usage.total()},
      Limit{"run", "microdollars", own.microdollars_per_run, facts.run.microdollars + facts.below.microdollars},
      Limit{"session", "tokens", own.tokens_per_session, facts.spent.session.usage.total()},
      Limit{"session", "microdollars", own.microdollars_per_session, facts.spent.session.microdollars},
      Limit{"agent today", "tokens", own.tokens_per_day, facts.spent.agent_today.usage.total()},
      Limit{"agent today", "microdollars", own.microdollars_per_day, facts.spent.agent_today.microdollars},
      Limit{"namespace today", "tokens", facts.ns.tokens_per_day, facts.spent.namespace_today.usage.total()},
      Limit{"namespace today", "microdollars", facts.ns.microdollars_per_day, facts.spent.namespace_today.microdollars},
  };
  for (const RunSpending& one : facts.above) {
    checks.push_back({"run that called it", "tokens", one.limits.tokens_per_run, one.spent.usage.total()});
    checks.push_back({"run that called it", "microdollars", one.limits.microdollars_per_run, one.spent.microdollars});
  }
  for (const Limit& check : checks)
    if (check.most != 0 && check.spent >= check.most)
      return fmt::format("the {} has spent {} of {} {}", check.whose, check.spent, check.most, check.unit);
  return std::nullopt;
}

}  // namespace muster::agents
