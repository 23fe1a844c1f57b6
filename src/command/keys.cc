#include "command/keys.h"

#include <utility>

#include "store/key_effects.h"

namespace muster::command {

// The role was judged by what the wire says the batch does; here is what it does.
void handle(Context& context, KeysReadRequest request, Reply<KeysReply> reply) {
  if (store::writes(request.batch)) return reply(Status::permission_denied("keys.read changes no key; keys.write does"));
  context.engine.keys().run(std::move(request.batch), std::move(reply));
}

void handle(Context& context, KeysWriteRequest request, Reply<KeysReply> reply) {
  if (store::clears(request.batch)) return reply(Status::permission_denied("keys.write clears nothing; keys.clear does"));
  context.engine.keys().run(std::move(request.batch), std::move(reply));
}

std::string target_of(const KeysClearRequest& request) { return request.batch.ns.text(); }

void handle(Context& context, KeysClearRequest request, Reply<KeysReply> reply) {
  context.engine.keys().run(std::move(request.batch), std::move(reply));
}

engine::KeyTicket handle(Context& context, KeysAwaitRequest request, Reply<store::KeyAnswer> reply) {
  return context.engine.keys().await(std::move(request.command), request.wait, std::move(reply));
}

}  // namespace muster::command
