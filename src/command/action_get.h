// action.get: one action, how its jobs stand, and a page of their ids.
#pragma once

#include <string_view>

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kActionGet{
    .name = "action.get",
    .since = "0.2",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .audited = false,
    .summary = "Show one action and how its jobs stand.",
};

using ActionGetRequest = store::ActionQuery;
using ActionGetReply = store::ActionView;

// In one word: "pending" while no job has begun, "running", and in the end "completed", or "failed" when any job is not.
std::string_view state_of(const ActionCounts& counts);

void handle(Context& context, ActionGetRequest request, Reply<ActionGetReply> reply);

}  // namespace muster::command
