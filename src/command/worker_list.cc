#include "command/worker_list.h"

namespace muster::command {

void handle(Context& context, WorkerListRequest request, Reply<WorkerListReply> reply) {
  context.engine.workers().list(std::move(request), std::move(reply));
}

}  // namespace muster::command
