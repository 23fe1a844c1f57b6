// worker.heartbeat: a worker lives; all its leases are renewed and commands go back to it.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kWorkerHeartbeat{
    .name = "worker.heartbeat",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .audited = false,
    .summary = "Keep a worker and its leases alive; the reply carries commands.",
};

using WorkerHeartbeatRequest = store::Beat;
using WorkerHeartbeatReply = store::BeatReply;

void handle(Context& context, WorkerHeartbeatRequest request, Reply<WorkerHeartbeatReply> reply);

}  // namespace muster::command
