// schedule.update: changes what is given and leaves the rest.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kScheduleUpdate{
    .name = "schedule.update",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Change a schedule; what is not given stays.",
};

using ScheduleUpdateRequest = engine::ScheduleChange;
using ScheduleUpdateReply = Schedule;

void handle(Context& context, ScheduleUpdateRequest request, Reply<ScheduleUpdateReply> reply);

}  // namespace muster::command
