#include "command/worker_get.h"

#include "command/single.h"

namespace muster::command {

void handle(Context& context, WorkerGetRequest request, Reply<WorkerGetReply> reply) {
  context.engine.workers().get(std::move(request.ns), {std::move(request.worker)}, unwrap(std::move(reply)));
}

}  // namespace muster::command
