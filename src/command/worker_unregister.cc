#include "command/worker_unregister.h"

#include "command/single.h"

namespace muster::command {

void handle(Context& context, WorkerUnregisterRequest request, Reply<WorkerUnregisterReply> reply) {
  if (const Status allowed = authorize_worker(context.caller, request.worker); !allowed.ok()) return reply(allowed);
  context.engine.workers().unregister(just(std::move(request)), unwrap(std::move(reply)));
}

}  // namespace muster::command
