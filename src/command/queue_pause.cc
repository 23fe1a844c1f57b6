#include "command/queue_pause.h"

namespace muster::command {

void handle(Context& context, QueuePauseRequest request, Reply<QueuePauseReply> reply) {
  QueueChange change;
  change.ns = std::move(request.ns);
  change.queue = std::move(request.queue);
  change.paused = true;
  change.pause_reason = std::move(request.reason);
  context.engine.queues().change(std::move(change), std::move(reply));
}

}  // namespace muster::command
