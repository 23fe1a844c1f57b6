// namespace.delete: removes an empty namespace.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kNamespaceDelete{
    .name = "namespace.delete",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = false,
    .audited = true,
    .summary = "Delete a namespace that holds neither jobs nor workers.",
};

struct NamespaceDeleteRequest {
  NamespaceName name;
};
using NamespaceDeleteReply = NamespaceInfo;

void handle(Context& context, NamespaceDeleteRequest request, Reply<NamespaceDeleteReply> reply);

}  // namespace muster::command
