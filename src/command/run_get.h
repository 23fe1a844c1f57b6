// run.get: one run with its input, its result and its facts as a run.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kRunGet{
    .name = "run.get",
    .since = "0.3",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .audited = false,
    .summary = "Show one workflow run.",
};

struct RunGetRequest {
  JobId run;
};
using RunGetReply = Job;

void handle(Context& context, RunGetRequest request, Reply<RunGetReply> reply);

}  // namespace muster::command
