#include "command/workers.h"

#include "command/scope.h"
#include "command/single.h"

namespace muster::command {

void handle(Context& context, WorkerRegisterRequest request, Reply<WorkerRegisterReply> reply) {
  if (request.id.empty()) request.id = context.caller.worker;
  if (const Status allowed = authorize_worker(context.caller, request.id); !allowed.ok()) return reply(allowed);
  context.engine.workers().register_workers(just(std::move(request)), unwrap(std::move(reply)));
}

void handle(Context& context, WorkerHeartbeatRequest request, Reply<WorkerHeartbeatReply> reply) {
  if (const Status allowed = authorize_worker(context.caller, request.worker); !allowed.ok()) return reply(allowed);
  context.engine.workers().heartbeat(just(std::move(request)), unwrap(std::move(reply)));
}

void handle(Context& context, WorkerGetRequest request, Reply<WorkerGetReply> reply) {
  context.engine.workers().get(std::move(request.ns), {std::move(request.worker)}, unwrap(std::move(reply)));
}

void handle(Context& context, WorkerListRequest request, Reply<WorkerListReply> reply) {
  auto own = only_own(
      context.caller, [](WorkerListReply & page) -> auto& { return page.workers; }, std::move(reply));
  context.engine.workers().list(std::move(request), std::move(own));
}

void handle(Context& context, WorkerDrainRequest request, Reply<WorkerDrainReply> reply) {
  context.engine.workers().drain(just(std::move(request)), unwrap(std::move(reply)));
}

void handle(Context& context, WorkerUnregisterRequest request, Reply<WorkerUnregisterReply> reply) {
  if (const Status allowed = authorize_worker(context.caller, request.worker); !allowed.ok()) return reply(allowed);
  context.engine.workers().unregister(just(std::move(request)), unwrap(std::move(reply)));
}

}  // namespace muster::command
