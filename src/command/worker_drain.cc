#include "command/worker_drain.h"

#include "command/single.h"

namespace muster::command {

void handle(Context& context, WorkerDrainRequest request, Reply<WorkerDrainReply> reply) {
  context.engine.workers().drain(just(std::move(request)), unwrap(std::move(reply)));
}

}  // namespace muster::command
