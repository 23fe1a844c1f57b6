// schedule.trigger: one job now, whatever the timing says.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kScheduleTrigger{
    .name = "schedule.trigger",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = false,
    .audited = true,
    .summary = "Enqueue one job of a schedule now; its fires are not touched.",
};

struct ScheduleTriggerRequest {
  NamespaceName ns{kDefaultNamespace};
  ScheduleId id;
};
using ScheduleTriggerReply = store::Enqueued;

void handle(Context& context, ScheduleTriggerRequest request, Reply<ScheduleTriggerReply> reply);

}  // namespace muster::command
