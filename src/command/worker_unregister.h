// worker.unregister: a worker says goodbye.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kWorkerUnregister{
    .name = "worker.unregister",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .audited = false,
    .summary = "Take a worker offline; its running jobs are handed back without cost.",
};

using WorkerUnregisterRequest = store::Unregister;
using WorkerUnregisterReply = Worker;

void handle(Context& context, WorkerUnregisterRequest request, Reply<WorkerUnregisterReply> reply);

}  // namespace muster::command
