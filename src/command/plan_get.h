// plan.get: one plan with its text.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kPlanGet{
    .name = "plan.get",
    .since = "0.2",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .audited = false,
    .summary = "Show one plan.",
};

struct PlanGetRequest {
  NamespaceName ns{kDefaultNamespace};
  PlanId plan;
};
using PlanGetReply = Plan;

void handle(Context& context, PlanGetRequest request, Reply<PlanGetReply> reply);

}  // namespace muster::command
