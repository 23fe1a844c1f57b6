#include "command/namespace_delete.h"

namespace muster::command {

void handle(Context& context, NamespaceDeleteRequest request, Reply<NamespaceDeleteReply> reply) {
  context.engine.queues().delete_namespace(std::move(request.name), std::move(reply));
}

}  // namespace muster::command
