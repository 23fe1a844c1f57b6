// What other verbs must know of actions: jobs that start over, jobs that are forgotten, plans that are still needed.
//
// An open action counts its jobs where they are, and in its own row those that are forgotten; a settled one has all of them in
// its row. Every verb that removes or revives a finished job keeps that true through the functions here.
#pragma once

#include <optional>

#include "model/plan.h"
#include "store/sqlite/core.h"

namespace muster::store::sqlite {

// A finished job is about to start over: its action, if it has one and was settled, is open again.
void reopen_action(Core& core, JobKey job);
// A finished job's row is about to be removed.
void forget_action_job(Core& core, JobKey job);
// One with jobs that are not finished; nullopt: nobody needs the plan.
std::optional<ActionId> unfinished_action_of_plan(Core& core, std::int64_t ns_row, const PlanId& plan);
std::optional<std::int64_t> plan_row(Core& core, std::int64_t ns_row, const PlanId& id);

}  // namespace muster::store::sqlite
