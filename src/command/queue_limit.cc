#include "command/queue_limit.h"

namespace muster::command {

void handle(Context& context, QueueLimitRequest request, Reply<QueueLimitReply> reply) {
  QueueChange change;
  change.ns = std::move(request.ns);
  change.queue = std::move(request.queue);
  change.running_max = request.running_max;
  change.running_max_by_type = std::move(request.running_max_by_type);
  change.rate = request.rate;
  context.engine.queues().change(std::move(change), std::move(reply));
}

}  // namespace muster::command
