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
  std::string display_name{};
};
using NamespaceCreateReply = NamespaceInfo;

template <>
struct Record<NamespaceCreateRequest> : Command<kNamespaceCreate, NamespaceCreateReply> {};

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
struct Record<NamespaceListRequest> : Command<kNamespaceList, NamespaceListReply> {};

void handle(Context& context, NamespaceListRequest request, Reply<NamespaceListReply> reply);

// namespace.update: what a namespace is called, what it is for, and whether work goes on in it.
inline constexpr Spec kNamespaceUpdate{
    .name = "namespace.update",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Rename, describe, enable or disable a namespace.",
};

using NamespaceUpdateRequest = NamespaceChange;
using NamespaceUpdateReply = NamespaceInfo;

template <>
struct Record<NamespaceUpdateRequest> : Command<kNamespaceUpdate, NamespaceUpdateReply> {};

void handle(Context& context, NamespaceUpdateRequest request, Reply<NamespaceUpdateReply> reply);

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
struct Record<NamespaceDeleteRequest> : Command<kNamespaceDelete, NamespaceDeleteReply> {};

void handle(Context& context, NamespaceDeleteRequest request, Reply<NamespaceDeleteReply> reply);

}  // namespace muster::command
