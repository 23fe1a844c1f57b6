// schedule.list: a page of schedules, the newest first.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kScheduleList{
    .name = "schedule.list",
    .since = "0.3",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .audited = false,
    .summary = "List schedules.",
};

using ScheduleListRequest = store::ScheduleQuery;
using ScheduleListReply = store::SchedulePage;

void handle(Context& context, ScheduleListRequest request, Reply<ScheduleListReply> reply);

}  // namespace muster::command
