// namespace.create: a new tenancy boundary.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kNamespaceCreate{
    .name = "namespace.create",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = false,
    .audited = true,
    .summary = "Create a namespace.",
};

struct NamespaceCreateRequest {
  NamespaceName name;
  std::string description;
};
using NamespaceCreateReply = NamespaceInfo;

void handle(Context& context, NamespaceCreateRequest request, Reply<NamespaceCreateReply> reply);

}  // namespace muster::command
