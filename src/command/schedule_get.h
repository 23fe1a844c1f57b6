// schedule.get: one schedule with its template and its counts.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kScheduleGet{
    .name = "schedule.get",
    .since = "0.3",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .audited = false,
    .summary = "Show one schedule.",
};

struct ScheduleGetRequest {
  NamespaceName ns{kDefaultNamespace};
  ScheduleId id;
};
using ScheduleGetReply = Schedule;

void handle(Context& context, ScheduleGetRequest request, Reply<ScheduleGetReply> reply);

}  // namespace muster::command
