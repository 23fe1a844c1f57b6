#include "command/queue_list.h"

namespace muster::command {

void handle(Context& context, QueueListRequest request, Reply<QueueListReply> reply) {
  context.engine.queues().list(std::move(request.ns), std::move(reply));
}

}  // namespace muster::command
