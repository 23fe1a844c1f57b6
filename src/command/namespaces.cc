#include "command/namespaces.h"

#include "command/scope.h"

namespace muster::command {

void handle(Context& context, NamespaceCreateRequest request, Reply<NamespaceCreateReply> reply) {
  if (Status allowed = authorize_namespace(context.caller, request.name); !allowed.ok()) return reply(allowed);
  NamespaceInfo info;
  info.name = std::move(request.name);
  info.description = std::move(request.description);
  info.display_name = std::move(request.display_name);
  context.engine.queues().create_namespace(std::move(info), std::move(reply));
}

void handle(Context& context, NamespaceListRequest, Reply<NamespaceListReply> reply) {
  auto own = only_own(
      context.caller, [](NamespaceListReply & all) -> auto& { return all; }, std::move(reply));
  context.engine.queues().list_namespaces(std::move(own));
}

void handle(Context& context, NamespaceUpdateRequest request, Reply<NamespaceUpdateReply> reply) {
  if (Status allowed = authorize_namespace(context.caller, request.name); !allowed.ok()) return reply(allowed);
  context.engine.queues().update_namespace(std::move(request), std::move(reply));
}

void handle(Context& context, NamespaceDeleteRequest request, Reply<NamespaceDeleteReply> reply) {
  if (Status allowed = authorize_namespace(context.caller, request.name); !allowed.ok()) return reply(allowed);
  context.engine.queues().delete_namespace(std::move(request.name), std::move(reply));
}

}  // namespace muster::command
