// schedule.backfill: the fires of a time that is over, each made once.
#pragma once

#include <vector>

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kScheduleBackfill{
    .name = "schedule.backfill",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Enqueue the fires of a range of time, each once however often it is asked for.",
};

using ScheduleBackfillRequest = engine::ScheduleRange;
using ScheduleBackfillReply = std::vector<store::Enqueued>;

// exhausted: more than limits::kBackfillMax fires.
void handle(Context& context, ScheduleBackfillRequest request, Reply<ScheduleBackfillReply> reply);

}  // namespace muster::command
