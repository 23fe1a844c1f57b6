// queue.pause: stop claiming from a queue.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kQueuePause{
    .name = "queue.pause",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Stop claiming from a queue; jobs already running finish.",
};

struct QueuePauseRequest {
  NamespaceName ns{kDefaultNamespace};
  QueueName queue;
  std::string reason;
};
using QueuePauseReply = QueueStats;

void handle(Context& context, QueuePauseRequest request, Reply<QueuePauseReply> reply);

}  // namespace muster::command
