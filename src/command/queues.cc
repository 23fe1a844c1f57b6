#include "command/queues.h"

#include "command/scope.h"

namespace muster::command {

void handle(Context& context, QueueListRequest request, Reply<QueueListReply> reply) {
  auto own = only_own(
      context.caller, [](QueueListReply & queues) -> auto& { return queues; }, std::move(reply));
  context.engine.queues().list(std::move(request.ns), std::move(own));
}

void handle(Context& context, QueueLanesRequest request, Reply<QueueLanesReply> reply) {
  request.within = context.caller.namespaces;
  context.engine.queues().lanes(std::move(request), std::move(reply));
}

void handle(Context& context, QueueLimitRequest request, Reply<QueueLimitReply> reply) {
  QueueChange change;
  change.ns = std::move(request.ns);
  change.queue = std::move(request.queue);
  change.running_max = request.running_max;
  change.running_max_by_type = std::move(request.running_max_by_type);
  change.rate = request.rate;
  context.engine.queues().change(std::move(change), std::move(reply));
}

void handle(Context& context, QueuePauseRequest request, Reply<QueuePauseReply> reply) {
  QueueChange change;
  change.ns = std::move(request.ns);
  change.queue = std::move(request.queue);
  change.paused = true;
  change.pause_reason = std::move(request.reason);
  context.engine.queues().change(std::move(change), std::move(reply));
}

void handle(Context& context, QueueResumeRequest request, Reply<QueueResumeReply> reply) {
  QueueChange change;
  change.ns = std::move(request.ns);
  change.queue = std::move(request.queue);
  change.paused = false;
  context.engine.queues().change(std::move(change), std::move(reply));
}

}  // namespace muster::command
