#include "command/keys.h"

#include <utility>

namespace muster::command {

void handle(Context& context, KeysReadRequest request, Reply<KeysReply> reply) {
  context.engine.keys().run(std::move(request.batch), std::move(reply));
}

void handle(Context& context, KeysWriteRequest request, Reply<KeysReply> reply) {
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
