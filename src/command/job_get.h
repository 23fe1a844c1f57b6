// job.get: one job with its payload, result and attempts.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kJobGet{
    .name = "job.get",
    .since = "0.1",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .audited = false,
    .summary = "Show one job.",
};

struct JobGetRequest {
  JobId job;
};
using JobGetReply = Job;

void handle(Context& context, JobGetRequest request, Reply<JobGetReply> reply);

}  // namespace muster::command
