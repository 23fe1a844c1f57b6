// job.complete: the worker finished the job it holds.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kJobComplete{
    .name = "job.complete",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .audited = false,
    .summary = "Finish a running job with a result.",
};

using JobCompleteRequest = store::Completion;
using JobCompleteReply = store::Settled;

void handle(Context& context, JobCompleteRequest request, Reply<JobCompleteReply> reply);

}  // namespace muster::command
