#include "command/namespace_list.h"

#include "command/scope.h"

namespace muster::command {

void handle(Context& context, NamespaceListRequest, Reply<NamespaceListReply> reply) {
  auto own = only_own(
      context.caller, [](NamespaceListReply & all) -> auto& { return all; }, std::move(reply));
  context.engine.queues().list_namespaces(std::move(own));
}

}  // namespace muster::command
