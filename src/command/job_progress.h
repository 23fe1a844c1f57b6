// job.progress: the worker tells how far it is; the lease is renewed too.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kJobProgress{
    .name = "job.progress",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .audited = false,
    .summary = "Report progress and a partial result of a running job, and renew its lease.",
};

using JobProgressRequest = store::ProgressUpdate;
using JobProgressReply = store::Renewed;

void handle(Context& context, JobProgressRequest request, Reply<JobProgressReply> reply);

}  // namespace muster::command
