// action.submit: runs a plan over many inputs, one job for each.
#pragma once

#include "base/reply.h"
#include "command/action_spec.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kActionSubmit{
    .name = "action.submit",
    .since = "0.2",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = false,
    .audited = false,
    .summary = "Run a plan over many inputs: all the jobs or none of them.",
};

struct ActionSubmitRequest {
  PlanId plan;
  ActionOrder order;  // without an id it gets one
};
using ActionSubmitReply = store::ActionSubmitted;

// not_found: the plan. already_exists: an action of this name. The rest as make_action() says.
void handle(Context& context, ActionSubmitRequest request, Reply<ActionSubmitReply> reply);

}  // namespace muster::command
