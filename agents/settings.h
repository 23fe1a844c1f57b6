// What an operator can set about agents, read by server/ and handed to the runtime and the service.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "agents/compaction.h"
#include "agents/prices.h"
#include "base/clock.h"
#include "model/agent.h"
#include "model/limits.h"

namespace muster::agents {

inline constexpr Duration kRuntimeBeat{15'000};
inline constexpr Duration kRuntimeDeadAfter{60'000};
inline constexpr std::size_t kInHandMax = 10'000;  // runs and polls of this node: a beat names them all
static_assert(kInHandMax <= limits::kSettleBatchMax);

struct Settings {
  std::string node;  // of this server; its workers are agents-<node>

  std::size_t streams_max = 1'000;       // answers that are streamed at a time; further runs wait
  std::size_t batch_runs_max = 10'000;   // runs of a namespace that are held while a batch is put together
  std::size_t batch_count_max = 10'000;  // requests of one batch
  std::size_t batch_bytes_max = 128 * 1024 * 1024;
  Duration batch_window{1'000};      // how long a batch waits for more runs
  Duration poll_interval{30'000};    // of a batch
  Duration tool_look_every{30'000};  // a parked run looks for itself
  Duration approval_look_every{10 * 60'000};
  Duration reconcile_every{30'000};  // runs whose jobs ended without them are looked for
  Duration discover_every{15'000};   // namespaces that have work are looked for
  Duration retry_delay{2'000};       // of a call that the API could not answer; doubled each time

  Prices prices;
  CompactionSettings compaction;
  std::map<std::string, AgentBudget> budgets;  // by namespace; "*" for those not named

  std::size_t in_hand_max() const { return std::min(streams_max + batch_runs_max, kInHandMax); }
  AgentBudget budget_of(const NamespaceName& ns) const {
    const auto own = budgets.find(ns.text());
    if (own != budgets.end()) return own->second;
    const auto all = budgets.find("*");
    return all == budgets.end() ? AgentBudget{} : all->second;
  }
};

}  // namespace muster::agents
