#include "command/workers.h"

#include "command/scope.h"
#include "command/single.h"

namespace muster::command {

namespace {

// Is each of them what the caller may act as?
template <class Request>
Status authorize_all(const Caller& caller, const std::vector<Request>& requests) {
  for (const Request& request : requests)
    if (Status allowed = authorize_worker(caller, request.worker); !allowed.ok()) return allowed;
  return {};
}

}  // namespace

void handle(Context& context, std::vector<WorkerRegisterRequest> requests, Reply<store::Each<WorkerRegisterReply>> reply) {
  for (WorkerRegisterRequest& request : requests) {
    if (request.id.empty()) request.id = context.caller.worker;
    if (const Status allowed = authorize_worker(context.caller, request.id); !allowed.ok()) return reply(allowed);
  }
  context.engine.workers().register_workers(std::move(requests), std::move(reply));
}

void handle(Context& context, std::vector<WorkerHeartbeatRequest> requests, Reply<store::Each<WorkerHeartbeatReply>> reply) {
  if (const Status allowed = authorize_all(context.caller, requests); !allowed.ok()) return reply(allowed);
  context.engine.workers().heartbeat(std::move(requests), std::move(reply));
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

void handle(Context& context, WorkerRetireRequest request, Reply<Worker> reply) {
  if (const Status allowed = authorize_worker(context.caller, request.drain.worker); !allowed.ok()) return reply(allowed);
  context.engine.workers().drain(just(std::move(request.drain)), unwrap(std::move(reply)));
}

void handle(Context& context, std::vector<WorkerUnregisterRequest> requests, Reply<store::Each<WorkerUnregisterReply>> reply) {
  if (const Status allowed = authorize_all(context.caller, requests); !allowed.ok()) return reply(allowed);
  context.engine.workers().unregister(std::move(requests), std::move(reply));
}

}  // namespace muster::command
