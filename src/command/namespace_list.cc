#include "command/namespace_list.h"

namespace muster::command {

void handle(Context& context, NamespaceListRequest, Reply<NamespaceListReply> reply) {
  context.engine.queues().list_namespaces(std::move(reply));
}

}  // namespace muster::command
