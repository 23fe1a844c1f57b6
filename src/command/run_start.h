// run.start: a client starts a durable workflow.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kRunStart{
    .name = "run.start",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = false,
    .audited = false,
    .summary = "Start a workflow run; an unfinished one with the same external id is returned instead.",
};

struct RunStartRequest {
  JobSpec job;  // with its RunSpec
};
using RunStartReply = store::Enqueued;

void handle(Context& context, RunStartRequest request, Reply<RunStartReply> reply);

}  // namespace muster::command
