#include "command/queue_resume.h"

namespace muster::command {

void handle(Context& context, QueueResumeRequest request, Reply<QueueResumeReply> reply) {
  QueueChange change;
  change.ns = std::move(request.ns);
  change.queue = std::move(request.queue);
  change.paused = false;
  context.engine.queues().change(std::move(change), std::move(reply));
}

}  // namespace muster::command
