// plan.delete: forgets a plan that no unfinished job needs.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kPlanDelete{
    .name = "plan.delete",
    .since = "0.2",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = false,
    .audited = true,
    .summary = "Delete a plan that no unfinished job needs.",
};

struct PlanDeleteRequest {
  NamespaceName ns{kDefaultNamespace};
  PlanId plan;
};
using PlanDeleteReply = Plan;  // as it was

void handle(Context& context, PlanDeleteRequest request, Reply<PlanDeleteReply> reply);

}  // namespace muster::command
