#include "command/namespace_delete.h"

namespace muster::command {

void handle(Context& context, NamespaceDeleteRequest request, Reply<NamespaceDeleteReply> reply) {
  if (Status allowed = authorize_namespace(context.caller, request.name); !allowed.ok()) return reply(allowed);
  context.engine.queues().delete_namespace(std::move(request.name), std::move(reply));
}

}  // namespace muster::command
