// namespace.list: the tenancy boundaries.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kNamespaceList{
    .name = "namespace.list",
    .since = "0.1",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .audited = false,
    .summary = "List namespaces.",
};

struct NamespaceListRequest {};
using NamespaceListReply = std::vector<NamespaceInfo>;

void handle(Context& context, NamespaceListRequest request, Reply<NamespaceListReply> reply);

}  // namespace muster::command
