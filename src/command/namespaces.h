// Namespaces: the rooms that tenants share a server in.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

// namespace.create: a new tenancy boundary.
inline constexpr Spec kNamespaceCreate{
    .name = "namespace.create",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Create a namespace.",
};

struct NamespaceCreateRequest {
  NamespaceName name;
  std::string description;
};
using NamespaceCreateReply = NamespaceInfo;

template <>
inline constexpr const Spec* kRecord<NamespaceCreateRequest> = &kNamespaceCreate;

void handle(Context& context, NamespaceCreateRequest request, Reply<NamespaceCreateReply> reply);

// namespace.list: the tenancy boundaries.
inline constexpr Spec kNamespaceList{
    .name = "namespace.list",
    .since = "0.1",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "List namespaces.",
};

struct NamespaceListRequest {};
using NamespaceListReply = std::vector<NamespaceInfo>;

template <>
inline constexpr const Spec* kRecord<NamespaceListRequest> = &kNamespaceList;

void handle(Context& context, NamespaceListRequest request, Reply<NamespaceListReply> reply);

// namespace.delete: removes an empty namespace.
inline constexpr Spec kNamespaceDelete{
    .name = "namespace.delete",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Delete a namespace that holds neither jobs nor workers.",
};

struct NamespaceDeleteRequest {
  NamespaceName name;
};
using NamespaceDeleteReply = NamespaceInfo;

template <>
inline constexpr const Spec* kRecord<NamespaceDeleteRequest> = &kNamespaceDelete;

void handle(Context& context, NamespaceDeleteRequest request, Reply<NamespaceDeleteReply> reply);

}  // namespace muster::command
