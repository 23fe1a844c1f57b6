// run.result: waits for a run to finish.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kRunResult{
    .name = "run.result",
    .since = "0.3",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .audited = false,
    .summary = "Wait for a workflow run to finish and show how it ended.",
};

struct RunResultRequest {
  JobId run;
  Duration wait{0};  // 0: answer at once
};
using RunResultReply = Job;

// The run as it is when it has finished or the wait is over. The ticket ends the wait (engine::Runs::cancel_wait).
engine::RunTicket handle(Context& context, RunResultRequest request, Reply<RunResultReply> reply);

}  // namespace muster::command
