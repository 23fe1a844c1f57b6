// worker.get: one worker.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kWorkerGet{
    .name = "worker.get",
    .since = "0.1",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .audited = false,
    .summary = "Show one worker.",
};

struct WorkerGetRequest {
  NamespaceName ns{kDefaultNamespace};
  WorkerId worker;
};
using WorkerGetReply = Worker;

void handle(Context& context, WorkerGetRequest request, Reply<WorkerGetReply> reply);

}  // namespace muster::command
