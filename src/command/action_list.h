// action.list: a page of actions with the counts of their jobs.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kActionList{
    .name = "action.list",
    .since = "0.2",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .audited = false,
    .summary = "List actions.",
};

using ActionListRequest = store::ActionListQuery;
using ActionListReply = store::ActionPage;

void handle(Context& context, ActionListRequest request, Reply<ActionListReply> reply);

}  // namespace muster::command
