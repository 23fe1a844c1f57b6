// schedule.create: work that is to be enqueued again and again.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kScheduleCreate{
    .name = "schedule.create",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = false,
    .audited = true,
    .summary = "Create a schedule: a timing, and the job or run it enqueues.",
};

struct ScheduleCreateRequest {
  ScheduleSpec schedule;
};
using ScheduleCreateReply = Schedule;

// invalid_argument: the timing, with the field that is wrong, or the template. already_exists: the id.
void handle(Context& context, ScheduleCreateRequest request, Reply<ScheduleCreateReply> reply);

}  // namespace muster::command
