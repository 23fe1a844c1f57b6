// Resources: what workers keep for later tasks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/reply.h"
#include "command/context.h"
#include "command/keys.h"
#include "command/spec.h"
#include "model/resource.h"

namespace muster::command {

// resource.put: a worker, or somebody for it, tells what it keeps.
inline constexpr Spec kResourcePut{
    .name = "resource.put",
    .since = "0.4",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .summary = "Tell that a worker keeps a resource; told again, it is known anew.",
};

using ResourcePutRequest = Resource;
using ResourcePutReply = Resource;

// A caller bound to a worker and naming none tells of that worker's.
template <>
struct Record<ResourcePutRequest> : Command<kResourcePut, ResourcePutReply> {};

void handle(Context& context, std::vector<ResourcePutRequest> requests, Reply<store::Each<ResourcePutReply>> reply);

// resource.get: one resource, and whether it is still there.
inline constexpr Spec kResourceGet{
    .name = "resource.get",
    .since = "0.4",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Show one resource and where it is.",
};

struct ResourceGetRequest {
  NamespaceName ns{kDefaultNamespace};
  std::string name;  // its id
};
using ResourceGetReply = Resource;

template <>
struct Record<ResourceGetRequest> : Command<kResourceGet, ResourceGetReply> {};

void handle(Context& context, ResourceGetRequest request, Reply<ResourceGetReply> reply);

// resource.list: a page of them, by id.
inline constexpr Spec kResourceList{
    .name = "resource.list",
    .since = "0.4",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "List resources and where they are.",
};

using ResourceListRequest = ResourceQuery;
using ResourceListReply = ResourcePage;

template <>
struct Record<ResourceListRequest> : Command<kResourceList, ResourceListReply> {};

void handle(Context& context, ResourceListRequest request, Reply<ResourceListReply> reply);

// resource.delete: forgets one. What the worker keeps it keeps; tasks that refer to it are dead from now on.
inline constexpr Spec kResourceDelete{
    .name = "resource.delete",
    .since = "0.4",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Forget a resource; tasks that refer to it fail.",
};

struct ResourceDeleteRequest {
  NamespaceName ns{kDefaultNamespace};
  std::string name;  // its id
};
using ResourceDeleteReply = Resource;  // as it was

std::string target_of(const ResourceDeleteRequest& request);

template <>
struct Record<ResourceDeleteRequest> : Command<kResourceDelete, ResourceDeleteReply> {};

void handle(Context& context, ResourceDeleteRequest request, Reply<ResourceDeleteReply> reply);

// What a wire writes down when it hands a task with an affinity key to a worker: later tasks of the key find it there.
inline constexpr Duration kAffinityKeptDefault{60 * 60 * 1'000};  // of a key that does not say until when
struct AffinityPlace {
  NamespaceName ns{kDefaultNamespace};
  std::string key;
  WorkerId worker;
  std::optional<Instant> until;
};
KeysWriteRequest remember_place(const AffinityPlace& place, Instant now);

}  // namespace muster::command
