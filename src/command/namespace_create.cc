#include "command/namespace_create.h"

namespace muster::command {

void handle(Context& context, NamespaceCreateRequest request, Reply<NamespaceCreateReply> reply) {
  if (Status allowed = authorize_namespace(context.caller, request.name); !allowed.ok()) return reply(allowed);
  NamespaceInfo info;
  info.name = std::move(request.name);
  info.description = std::move(request.description);
  context.engine.queues().create_namespace(std::move(info), std::move(reply));
}

}  // namespace muster::command
