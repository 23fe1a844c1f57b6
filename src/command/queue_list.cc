#include "command/queue_list.h"

#include "command/scope.h"

namespace muster::command {

void handle(Context& context, QueueListRequest request, Reply<QueueListReply> reply) {
  auto own = only_own(
      context.caller, [](QueueListReply & queues) -> auto& { return queues; }, std::move(reply));
  context.engine.queues().list(std::move(request.ns), std::move(own));
}

}  // namespace muster::command
