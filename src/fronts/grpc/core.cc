#include "fronts/grpc/core.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "command/namespaces.h"

namespace muster::rpc {

void Fences::put(JobId run, Lease lease) {
  const std::lock_guard lock(mutex_);
  if (leases_.size() >= kRunsMax) leases_.clear();
  leases_.insert_or_assign(run, std::move(lease));
}

std::optional<Fences::Lease> Fences::find(JobId run) const {
  const std::lock_guard lock(mutex_);
  const auto at = leases_.find(run);
  return at == leases_.end() ? std::nullopt : std::optional(at->second);
}

void Fences::forget(JobId run) {
  const std::lock_guard lock(mutex_);
  leases_.erase(run);
}

bool KnownNamespaces::contains(const NamespaceName& name) const {
  const std::lock_guard lock(mutex_);
  return names_.contains(name);
}

void KnownNamespaces::add(const NamespaceName& name) {
  const std::lock_guard lock(mutex_);
  names_.insert(name);
}

void KnownNamespaces::forget(const NamespaceName& name) {
  const std::lock_guard lock(mutex_);
  names_.erase(name);
}

void run_again(const CallRef& call) {
  check(!call->memory_was_old, "what is not remembered cannot be old");
  call->memory_was_old = true;
  call->method(call);
}

namespace {

void create_namespace(const CallRef& call, const NamespaceName& name, UniqueFunction<void(Status)> then) {
  if (call->caller.role != command::Role::operator_role)
    return then(Status::not_found(fmt::format("namespace \"{}\" does not exist; an operator creates it", name.text())));
  ask(call, command::NamespaceCreateRequest{.name = name, .description = {}},
      [call, name, then = std::move(then)](const Result<NamespaceInfo>& made) mutable {
        if (!made.ok() && made.code() != Code::already_exists) return then(made.status());
        call->core.namespaces.add(name);
        then({});
      });
}

}  // namespace

void ensure_namespace(const CallRef& call, const NamespaceName& name, UniqueFunction<void(Status)> then) {
  if (call->core.namespaces.contains(name)) return then({});
  ask(call, command::NamespaceListRequest{},
      [call, name, then = std::move(then)](const Result<std::vector<NamespaceInfo>>& all) mutable {
        if (!all.ok()) return then(all.status());
        if (std::none_of(all->begin(), all->end(), [&](const NamespaceInfo& info) { return info.name == name; }))
          return create_namespace(call, name, std::move(then));
        call->core.namespaces.add(name);
        then({});
      });
}

}  // namespace muster::rpc
