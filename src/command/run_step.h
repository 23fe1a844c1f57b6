// run.step: the worker that holds a run tells of its steps, several calls at once and in order.
#pragma once

#include <vector>

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kRunStep{
    .name = "run.step",
    .since = "0.3",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .audited = false,
    .summary = "Begin, complete or fail steps of the run that the worker holds, or park it.",
};

struct RunStepRequest {
  JobId run;
  std::vector<store::StepCall> calls;  // all about this run
};
using RunStepReply = store::Each<store::StepAnswer>;

void handle(Context& context, RunStepRequest request, Reply<RunStepReply> reply);

}  // namespace muster::command
