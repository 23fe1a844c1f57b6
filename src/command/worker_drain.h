// worker.drain: an operator takes a worker out of service. A worker that drains by itself says so in its heartbeat.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kWorkerDrain{
    .name = "worker.drain",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Give a worker no more work; at the deadline its jobs are handed back.",
};

using WorkerDrainRequest = store::Drain;
using WorkerDrainReply = Worker;

void handle(Context& context, WorkerDrainRequest request, Reply<WorkerDrainReply> reply);

}  // namespace muster::command
