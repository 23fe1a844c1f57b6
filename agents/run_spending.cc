#include "agents/run_spending.h"

#include <deque>
#include <utility>

namespace muster::agents {
namespace {

store::Spending& operator+=(store::Spending& sum, const AgentRun& run) {
  sum.usage += run.usage;
  sum.microdollars += run.microdollars;
  return sum;
}

// Runs whose children are still to be counted, page by page.
struct Count {
  std::deque<JobId> open;
  std::string cursor;  // in the children of the last of `open`
  std::size_t runs = 0;
  store::Spending sum{};
};

void count_below(const BasePtr& base, Count count, Reply<store::Spending> reply) {
  if (count.open.empty() || count.runs >= kFamilyRunsMax) return reply(count.sum);
  store::AgentRunQuery query;
  query.parent = count.open.back();
  query.limit = limits::kPageMax;
  query.cursor = std::exchange(count.cursor, {});
  base->agents.list_agent_runs(
      std::move(query), [base, count = std::move(count), reply = std::move(reply)](Result<store::AgentRunPage> page) mutable {
        if (!page.ok()) return reply(page.status());
        const JobId parent = count.open.back();
        count.open.pop_back();
        count.cursor = page->next;
        count.runs += page->runs.size();
        for (const AgentRun& run : page->runs) {
          count.sum += run;
          count.open.push_front(run.id);  // before the one whose pages are being read
        }
        if (!count.cursor.empty()) count.open.push_back(parent);
        count_below(base, std::move(count), std::move(reply));
      });
}

struct Reading {
  BasePtr base;
  JobId run;
  bool own_limits = false;  // the run has limits of its own
  std::vector<AgentRun> above;
  FamilySpending out{};
};

// Those above, the nearest first; the agent's limits count where the run has none.
void read_above(Reading reading, std::size_t next, Reply<FamilySpending> reply) {
  if (next == reading.above.size()) return reply(std::move(reading.out));
  const BasePtr base = reading.base;
  const AgentRun run = reading.above[next];
  base->agents.get_agents(
      run.ns, {run.agent},
      [base, run, reading = std::move(reading), next, reply = std::move(reply)](Result<store::Each<Agent>> agents) mutable {
        if (!agents.ok()) return reply(agents.status());
        const Result<Agent>& agent = agents->front();
        const AgentBudget budget = merged(run.budget, agent.ok() ? agent->spec.budget : AgentBudget());
        if (!limits_runs(budget)) return read_above(std::move(reading), next + 1, std::move(reply));
        count_below(
            base, {.open = {run.id}, .cursor = {}},
            [run, budget, reading = std::move(reading), next, reply = std::move(reply)](Result<store::Spending> below) mutable {
              if (!below.ok()) return reply(below.status());
              *below += run;
              reading.out.above.push_back({.limits = budget, .spent = *below});
              read_above(std::move(reading), next + 1, std::move(reply));
            });
      });
}

void read_below(Reading reading, Reply<FamilySpending> reply) {
  if (!reading.own_limits) return read_above(std::move(reading), 0, std::move(reply));
  const BasePtr base = reading.base;
  const JobId run = reading.run;
  count_below(base, {.open = {run}, .cursor = {}},
              [reading = std::move(reading), reply = std::move(reply)](Result<store::Spending> below) mutable {
                if (!below.ok()) return reply(below.status());
                reading.out.below = *below;
                read_above(std::move(reading), 0, std::move(reply));
              });
}

}  // namespace

void read_spending(const BasePtr& base, const store::AgentRunView& view, std::vector<AgentRun> above,
                   Reply<FamilySpending> reply) {
  const AgentBudget budget = merged(view.run.budget, view.agent.spec.budget);
  Reading reading{.base = base,
                  .run = view.run.id,
                  .own_limits = limits_runs(budget) && !view.agent.spec.delegates.empty(),
                  .above = std::move(above)};
  if (!asks_for_spending(view, base->settings.budget_of(view.run.ns))) return read_below(std::move(reading), std::move(reply));
  const store::SpendingQuery query{.ns = view.run.ns, .session = view.run.session, .agent = view.run.agent, .day = base->now()};
  base->agents.get_spending(query,
                            [reading = std::move(reading), reply = std::move(reply)](Result<store::SpendingView> spent) mutable {
                              if (!spent.ok()) return reply(spent.status());
                              reading.out.shared = *spent;
                              read_below(std::move(reading), std::move(reply));
                            });
}

}  // namespace muster::agents
