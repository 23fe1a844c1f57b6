// job.heartbeat: the worker renews the lease of one job. worker.heartbeat renews all of a worker's at once.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kJobHeartbeat{
    .name = "job.heartbeat",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .audited = false,
    .summary = "Renew the lease of a running job and learn whether it is to be cancelled.",
};

using JobHeartbeatRequest = store::Renewal;
using JobHeartbeatReply = store::Renewed;

void handle(Context& context, JobHeartbeatRequest request, Reply<JobHeartbeatReply> reply);

}  // namespace muster::command
