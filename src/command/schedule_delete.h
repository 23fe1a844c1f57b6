// schedule.delete: no further fires; the jobs it started stay.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kScheduleDelete{
    .name = "schedule.delete",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Delete a schedule; the jobs it started stay.",
};

struct ScheduleDeleteRequest {
  NamespaceName ns{kDefaultNamespace};
  ScheduleId id;
};
using ScheduleDeleteReply = Schedule;

void handle(Context& context, ScheduleDeleteRequest request, Reply<ScheduleDeleteReply> reply);

}  // namespace muster::command
