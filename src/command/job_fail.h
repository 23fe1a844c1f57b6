// job.fail: the worker's attempt failed.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kJobFail{
    .name = "job.fail",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .audited = false,
    .summary = "Report that the attempt failed; the retry policy decides what follows.",
};

using JobFailRequest = store::Failure;
using JobFailReply = store::Settled;

void handle(Context& context, JobFailRequest request, Reply<JobFailReply> reply);

}  // namespace muster::command
