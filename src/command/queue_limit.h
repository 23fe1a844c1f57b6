// queue.limit: how many jobs of a queue may run, and how often one may start.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kQueueLimit{
    .name = "queue.limit",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Set or remove the caps and the rate limit of a queue.",
};

// What is empty stays as it is; 0 removes a limit. `paused` is left to queue.pause and queue.resume.
struct QueueLimitRequest {
  NamespaceName ns{kDefaultNamespace};
  QueueName queue;
  std::optional<std::uint32_t> running_max;
  std::map<std::string, std::uint32_t> running_max_by_type;
  std::optional<RateLimit> rate;
};
using QueueLimitReply = QueueStats;

void handle(Context& context, QueueLimitRequest request, Reply<QueueLimitReply> reply);

}  // namespace muster::command
