#include "command/worker_register.h"

#include "command/single.h"

namespace muster::command {

void handle(Context& context, WorkerRegisterRequest request, Reply<WorkerRegisterReply> reply) {
  if (request.id.empty()) request.id = context.caller.worker;
  if (const Status allowed = authorize_worker(context.caller, request.id); !allowed.ok()) return reply(allowed);
  context.engine.workers().register_workers(just(std::move(request)), unwrap(std::move(reply)));
}

}  // namespace muster::command
