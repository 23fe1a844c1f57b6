// run.cancel and run.terminate: a run that is no longer wanted ends at once, and its unfinished children with it.
#pragma once

#include <string>

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kRunCancel{
    .name = "run.cancel",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = false,
    .audited = true,
    .summary = "Cancel a workflow run at once, whoever works on it.",
};

struct RunCancelRequest {
  JobId run;
  std::string reason;
};
using RunCancelReply = store::Cancelled;

void handle(Context& context, RunCancelRequest request, Reply<RunCancelReply> reply);

inline constexpr Spec kRunTerminate{
    .name = "run.terminate",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = false,
    .audited = true,
    .summary = "End a workflow run at once as dead, with the reason as its error.",
};

struct RunTerminateRequest {
  JobId run;
  std::string reason;
};
using RunTerminateReply = store::Cancelled;

void handle(Context& context, RunTerminateRequest request, Reply<RunTerminateReply> reply);

}  // namespace muster::command
