// schedule.resume: a paused schedule fires again.
#pragma once

#include <optional>
#include <string>

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kScheduleResume{
    .name = "schedule.resume",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Let a paused schedule fire again, from now or with what it missed.",
};

struct ScheduleResumeRequest {
  NamespaceName ns{kDefaultNamespace};
  ScheduleId id;
  std::optional<std::string> note;
  bool catch_up = false;  // make up for what was missed meanwhile, within catchup_max
};
using ScheduleResumeReply = Schedule;

void handle(Context& context, ScheduleResumeRequest request, Reply<ScheduleResumeReply> reply);

}  // namespace muster::command
