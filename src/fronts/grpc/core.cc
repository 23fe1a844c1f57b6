#include "fronts/grpc/core.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fronts/grpc/later.h"

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

Core::Core(engine::Engine& with, Metrics& counted, GrpcOptions options_in, command::ServerFacts facts_in)
    : engine(with),
      metrics(counted),
      options(std::move(options_in)),
      facts(std::move(facts_in)),
      later(std::make_unique<Later>(Incidents(counted, "wire"))) {}

Core::~Core() = default;

void Core::after(Duration wait, UniqueFunction<void()> then) { later->run_after(wait, std::move(then)); }

void ensure_namespace(Core& core, const NamespaceName& name, UniqueFunction<void(Status)> then) {
  if (core.namespaces.contains(name)) return then({});
  NamespaceInfo info;
  info.name = name;
  core.engine.queues().create_namespace(std::move(info),
                                        [&core, name, then = std::move(then)](Result<NamespaceInfo> made) mutable {
                                          if (!made.ok() && made.code() != Code::already_exists) return then(made.status());
                                          core.namespaces.add(name);
                                          then({});
                                        });
}

void ensure_namespace_for(const command::Caller& caller, Core& core, const NamespaceName& name,
                          UniqueFunction<void(Status)> then) {
  if (caller.role == command::Role::operator_role) return ensure_namespace(core, name, std::move(then));
  if (core.namespaces.contains(name)) return then({});
  core.engine.queues().list_namespaces([&core, name, then = std::move(then)](Result<std::vector<NamespaceInfo>> all) mutable {
    if (!all.ok()) return then(all.status());
    if (std::none_of(all->begin(), all->end(), [&](const NamespaceInfo& info) { return info.name == name; }))
      return then(Status::not_found(fmt::format("namespace \"{}\" does not exist; an operator creates it", name.text())));
    core.namespaces.add(name);
    then({});
  });
}

}  // namespace muster::rpc
