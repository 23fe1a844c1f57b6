// plan.submit: keeps a plan, for actions to run.
#pragma once

#include <string>

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kPlanSubmit{
    .name = "plan.submit",
    .since = "0.2",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Keep a plan; the same content again changes nothing.",
};

struct PlanSubmitRequest {
  NamespaceName ns{kDefaultNamespace};
  std::string text;      // JSON; its plan_id is the plan's name
  bool replace = false;  // another text under a known name takes its place instead of being refused
};
using PlanSubmitReply = store::PlanStored;

// invalid_argument: the message of plan::parse. already_exists: another plan under this name (plan::is_same).
void handle(Context& context, PlanSubmitRequest request, Reply<PlanSubmitReply> reply);

}  // namespace muster::command
