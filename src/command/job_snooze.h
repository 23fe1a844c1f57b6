// job.snooze: the worker asks for the job again later.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kJobSnooze{
    .name = "job.snooze",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .audited = false,
    .summary = "Put a running job off without spending an attempt.",
};

using JobSnoozeRequest = store::Snooze;
using JobSnoozeReply = store::Settled;

void handle(Context& context, JobSnoozeRequest request, Reply<JobSnoozeReply> reply);

}  // namespace muster::command
