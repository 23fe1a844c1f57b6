// run.retry: a finished run is started once more, as a new run from its beginning.
#pragma once

#include <string>

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kRunRetry{
    .name = "run.retry",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = false,
    .audited = true,
    .summary = "Start a finished workflow run again, as a new run with the same input.",
};

struct RunRetryRequest {
  JobId run;
  std::string external_id;  // empty: that of the finished one
};
using RunRetryReply = store::Enqueued;

// conflict: the run is not finished.
void handle(Context& context, RunRetryRequest request, Reply<RunRetryReply> reply);

}  // namespace muster::command
