// plan.list: a page of plans, oldest first.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kPlanList{
    .name = "plan.list",
    .since = "0.2",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .audited = false,
    .summary = "List plans.",
};

using PlanListRequest = store::PlanQuery;
using PlanListReply = store::PlanPage;

void handle(Context& context, PlanListRequest request, Reply<PlanListReply> reply);

}  // namespace muster::command
