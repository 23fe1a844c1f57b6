#include "agents/run_rules.h"

#include <fmt/format.h>

namespace muster::agents {

bool asks_for_spending(const store::AgentRunView& view, const AgentBudget& ns) {
  return limits_anything(view.run.budget) || limits_anything(view.agent.spec.budget) || limits_anything(ns);
}

std::optional<StopReason> stop_reason(const store::AgentRunView& view, const AgentBudget& ns, const FamilySpending& spent) {
  // A call that is made again is the same iteration.
  const bool again = view.iteration && !view.iteration->response && !view.iteration->completed_at;
  if (!again && view.run.iteration >= view.agent.spec.iterations_max)
    return StopReason{kRunIterationsSpent,
                      fmt::format("the run has called the model {} times, which is the most its agent may", view.run.iteration)};
  if (auto why = budget_reason({.run = view.run,
                                .agent = view.agent.spec.budget,
                                .ns = ns,
                                .spent = spent.shared,
                                .below = spent.below,
                                .above = spent.above}))
    return StopReason{kRunBudgetSpent, *std::move(why)};
  return std::nullopt;
}

std::optional<StopReason> reason_of_dead_job(const Job& job) {
  if (job.state == JobState::cancelled) return std::nullopt;
  if (!job.error) return StopReason{kRunProcessingError, "its job ended without it"};
  if (job.error->kind == kErrorRescueFailed)
    return StopReason{kRunRescueFailed, fmt::format("it was lost {} times with the node that worked on it", job.rescues)};
  return StopReason{kRunProcessingError, job.error->message.empty() ? job.error->kind : job.error->message};
}

}  // namespace muster::agents
