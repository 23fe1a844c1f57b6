#include "command/worker_heartbeat.h"

#include "command/single.h"

namespace muster::command {

void handle(Context& context, WorkerHeartbeatRequest request, Reply<WorkerHeartbeatReply> reply) {
  if (const Status allowed = authorize_worker(context.caller, request.worker); !allowed.ok()) return reply(allowed);
  context.engine.workers().heartbeat(just(std::move(request)), unwrap(std::move(reply)));
}

}  // namespace muster::command
