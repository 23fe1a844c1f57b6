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
  request.origin = DrainOrigin::asked;
  context.engine.workers().drain(just(std::move(request)), unwrap(std::move(reply)));
}

void handle(Context& context, WorkerResumeRequest request, Reply<WorkerResumeReply> reply) {
  request.origin = DrainOrigin::asked;
  context.engine.workers().resume(just(std::move(request)), unwrap(std::move(reply)));
}

void handle(Context& context, WorkerRetireRequest request, Reply<Worker> reply) {
  if (const Status allowed = authorize_worker(context.caller, request.drain.worker); !allowed.ok()) return reply(allowed);
  request.drain.origin = DrainOrigin::itself;
  context.engine.workers().drain(just(std::move(request.drain)), unwrap(std::move(reply)));
}

void handle(Context& context, std::vector<WorkerUnregisterRequest> requests, Reply<store::Each<WorkerUnregisterReply>> reply) {
  if (const Status allowed = authorize_all(context.caller, requests); !allowed.ok()) return reply(allowed);
  context.engine.workers().unregister(std::move(requests), std::move(reply));
}

void handle(Context& context, WorkerSendRequest request, Reply<WorkerSendReply> reply) {
  context.engine.mail().send({.ns = std::move(request.ns),
                              .worker = std::move(request.worker),
                              .type = std::move(request.type),
                              .payload = std::move(request.payload)},
                             std::move(reply));
}

KeysWriteRequest collect_worker_mail(const NamespaceName& ns, const WorkerId& worker) {
  KeysWriteRequest request;
  request.batch.ns = ns;
  request.batch.space = store::KeySpace::internal;
  request.batch.commands = {
      store::key::Pop{.keys = {engine::mail_key(worker)}, .end = store::ListEnd::right, .count = kMailCollectedMax}};
  return request;
}

std::vector<WorkerMailFrame> read_worker_mail(const KeysReply& answers) {
  std::vector<WorkerMailFrame> out;
  if (answers.empty()) return out;
  for (const store::KeyAnswer& element : answers.front().list)
    if (auto mail = engine::read_mail(element.text)) out.push_back(*std::move(mail));
  return out;
}

KeysWriteRequest put_back_worker_mail(const NamespaceName& ns, const WorkerId& worker,
                                      const std::vector<WorkerMailFrame>& frames) {
  KeysWriteRequest request;
  request.batch.ns = ns;
  request.batch.space = store::KeySpace::internal;
  const std::string key = engine::mail_key(worker);
  std::vector<std::string> values;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) values.push_back(engine::mail_text(*frame));
  request.batch.commands = {store::key::Push{.key = key, .end = store::ListEnd::right, .values = std::move(values)},
                            store::key::Expire{.key = key, .at = Instant(engine::kMailKeptDefault), .relative = true}};
  return request;
}

}  // namespace muster::command
