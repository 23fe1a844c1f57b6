// run.history: every attempt at every step of a run, oldest first.
#pragma once

#include <cstddef>
#include <string>

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kRunHistory{
    .name = "run.history",
    .since = "0.3",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .audited = false,
    .summary = "List the step attempts of a workflow run, oldest first.",
};

struct RunHistoryRequest {
  JobId run;
  std::string step;  // only this step's attempts
  std::size_t limit = limits::kPageDefault;
  std::string cursor;
};
using RunHistoryReply = store::StepPage;

void handle(Context& context, RunHistoryRequest request, Reply<RunHistoryReply> reply);

}  // namespace muster::command
