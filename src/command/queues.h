// Queues: what waits in them, their limits, and whether they hand out work.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

// queue.list: the queues of a namespace with their depths and limits.
inline constexpr Spec kQueueList{
    .name = "queue.list",
    .since = "0.1",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "List queues with depth, age and rate.",
};

struct QueueListRequest {
  NamespaceName ns;  // empty: all namespaces
};
using QueueListReply = std::vector<QueueStats>;

template <>
struct Record<QueueListRequest> : Command<kQueueList, QueueListReply> {};

void handle(Context& context, QueueListRequest request, Reply<QueueListReply> reply);

// queue.lanes: what the live jobs of each queue need, and who serves it.
inline constexpr Spec kQueueLanes{
    .name = "queue.lanes",
    .since = "0.6",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "List lanes with what waits in them and the workers that serve them; those nobody serves first.",
};

using QueueLanesRequest = engine::LanesQuery;
using QueueLanesReply = engine::LanesListed;

template <>
struct Record<QueueLanesRequest> : Command<kQueueLanes, QueueLanesReply> {};

void handle(Context& context, QueueLanesRequest request, Reply<QueueLanesReply> reply);

// queue.limit: how many jobs of a queue may run, and how often one may start.
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

template <>
struct Record<QueueLimitRequest> : Command<kQueueLimit, QueueLimitReply> {};

void handle(Context& context, QueueLimitRequest request, Reply<QueueLimitReply> reply);

// queue.pause: stop claiming from a queue.
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

template <>
struct Record<QueuePauseRequest> : Command<kQueuePause, QueuePauseReply> {};

void handle(Context& context, QueuePauseRequest request, Reply<QueuePauseReply> reply);

// queue.resume: claim from a paused queue again.
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

template <>
struct Record<QueueResumeRequest> : Command<kQueueResume, QueueResumeReply> {};

void handle(Context& context, QueueResumeRequest request, Reply<QueueResumeReply> reply);

}  // namespace muster::command
