// job.release: the worker hands the job back.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kJobRelease{
    .name = "job.release",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .audited = false,
    .summary = "Hand a running job back without spending an attempt.",
};

using JobReleaseRequest = store::Release;
using JobReleaseReply = store::Settled;

void handle(Context& context, JobReleaseRequest request, Reply<JobReleaseReply> reply);

}  // namespace muster::command
