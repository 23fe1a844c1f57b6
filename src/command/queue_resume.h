// queue.resume: claim from a paused queue again.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kQueueResume{
    .name = "queue.resume",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Claim from a paused queue again.",
};

struct QueueResumeRequest {
  NamespaceName ns{kDefaultNamespace};
  QueueName queue;
};
using QueueResumeReply = QueueStats;

void handle(Context& context, QueueResumeRequest request, Reply<QueueResumeReply> reply);

}  // namespace muster::command
