// schedule.pause: no fires until it is resumed.
#pragma once

#include <optional>
#include <string>

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kSchedulePause{
    .name = "schedule.pause",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Stop a schedule from firing until it is resumed.",
};

struct SchedulePauseRequest {
  NamespaceName ns{kDefaultNamespace};
  ScheduleId id;
  std::optional<std::string> note;  // why, for people
};
using SchedulePauseReply = Schedule;

void handle(Context& context, SchedulePauseRequest request, Reply<SchedulePauseReply> reply);

}  // namespace muster::command
