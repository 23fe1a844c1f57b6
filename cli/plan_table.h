// Plans and actions as people read them. Shared by the plan and action commands.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/table.h"
#include "sdk/cpp/types.h"

namespace muster::cli {

Table plans_table(std::span<const sdk::Plan> plans, sdk::Instant now);
// What runs, task by task. Empty when the plan came without its text.
Table tasks_table(const sdk::Plan& plan);
Table actions_table(std::span<const sdk::Action> actions, sdk::Instant now);
// The jobs of one action: state, worker, attempts, time.
Table action_jobs_table(const std::vector<sdk::Job>& jobs, sdk::Instant now);

// `3/10 done, 2 running, 1 failed`
std::string counts_text(const sdk::ActionCounts& counts);

}  // namespace muster::cli
