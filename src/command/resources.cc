#include "command/resources.h"

#include <utility>

#include "command/single.h"
#include "command/target.h"
#include "engine/resources.h"

namespace muster::command {

void handle(Context& context, std::vector<ResourcePutRequest> requests, Reply<store::Each<ResourcePutReply>> reply) {
  for (ResourcePutRequest& request : requests) {
    if (request.worker.empty()) request.worker = context.caller.worker;
    if (const Status allowed = authorize_worker(context.caller, request.worker); !allowed.ok()) return reply(allowed);
  }
  context.engine.resources().put(std::move(requests), std::move(reply));
}

void handle(Context& context, ResourceGetRequest request, Reply<ResourceGetReply> reply) {
  context.engine.resources().get(std::move(request.ns), just(std::move(request.name)), unwrap(std::move(reply)));
}

void handle(Context& context, ResourceListRequest request, Reply<ResourceListReply> reply) {
  context.engine.resources().list(std::move(request), std::move(reply));
}

std::string target_of(const ResourceDeleteRequest& request) { return in_namespace(request.ns, request.name); }

void handle(Context& context, ResourceDeleteRequest request, Reply<ResourceDeleteReply> reply) {
  context.engine.resources().remove(std::move(request.ns), std::move(request.name), std::move(reply));
}

KeysWriteRequest remember_place(const AffinityPlace& place, Instant now) {
  KeysWriteRequest request;
  request.batch.ns = place.ns;
  request.batch.space = store::KeySpace::internal;
  request.batch.commands = {store::key::Set{.key = engine::affinity_place_key(place.key),
                                            .value = place.worker.text(),
                                            .expires_at = place.until.value_or(now + kAffinityKeptDefault)}};
  return request;
}

}  // namespace muster::command
