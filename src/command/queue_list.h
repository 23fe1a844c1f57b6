// queue.list: the queues of a namespace with their depths and limits.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kQueueList{
    .name = "queue.list",
    .since = "0.1",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .audited = false,
    .summary = "List queues with depth, age and rate.",
};

struct QueueListRequest {
  NamespaceName ns;  // empty: all namespaces
};
using QueueListReply = std::vector<QueueStats>;

void handle(Context& context, QueueListRequest request, Reply<QueueListReply> reply);

}  // namespace muster::command
