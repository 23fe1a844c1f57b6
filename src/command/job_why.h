// job.why: the reason a job is not running.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kJobWhy{
    .name = "job.why",
    .since = "0.1",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .audited = false,
    .summary = "Explain why a job is not running.",
};

struct JobWhyRequest {
  JobId job;
};
using JobWhyReply = engine::Why;

void handle(Context& context, JobWhyRequest request, Reply<JobWhyReply> reply);

}  // namespace muster::command
