// What was spent by everybody whose limits count for a run: its session, its agent and its namespace, and the runs above and
// below it, since a run answers for what it has others do. Asynchronous, without state; replies come on a store thread or at
// once.
#pragma once

#include <cstddef>
#include <vector>

#include "agents/base.h"
#include "agents/run_rules.h"

namespace muster::agents {

inline constexpr std::size_t kFamilyRunsMax = 10'000;  // runs below one that are counted; those beyond are not

// Reads nothing that no limit asks for.
void read_spending(const BasePtr& base, const store::AgentRunView& view, std::vector<AgentRun> above,
                   Reply<FamilySpending> reply);

}  // namespace muster::agents
