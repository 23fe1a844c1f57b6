#include "command/context.h"

#include <fmt/format.h>

#include <array>

#include "base/check.h"

namespace muster::command {
namespace {

struct RoleName {
  Role role;
  std::string_view name;
};

constexpr std::array kRoleNames{
    RoleName{Role::read_only, "read-only"},
    RoleName{Role::worker, "worker"},
    RoleName{Role::operator_role, "operator"},
};

constexpr Role least_role(Auth auth) {
  switch (auth) {
    case Auth::read_only: return Role::read_only;
    case Auth::worker: return Role::worker;
    case Auth::operator_only: return Role::operator_role;
  }
  unreachable();
}

}  // namespace

std::string_view to_string(Role role) {
  for (const RoleName& entry : kRoleNames)
    if (entry.role == role) return entry.name;
  unreachable();
}

std::optional<Role> parse_role(std::string_view name) {
  for (const RoleName& entry : kRoleNames)
    if (entry.name == name) return entry.role;
  return std::nullopt;
}

Caller itself() { return {.role = Role::operator_role, .name = "muster", .address = {}, .worker = {}}; }

void Listeners::set(const std::string& wire, std::string address) {
  const std::lock_guard lock(mutex_);
  addresses_[wire] = std::move(address);
}

std::map<std::string, std::string> Listeners::all() const {
  const std::lock_guard lock(mutex_);
  return addresses_;
}

Status authorize(const Caller& caller, const Spec& spec) {
  const Role least = least_role(spec.auth);
  if (caller.role >= least) return {};
  return Status::permission_denied(fmt::format("{}{}{} needs the role {}; this token has the role {}", spec.refusal,
                                               spec.refusal.empty() ? "" : ": ", spec.name, to_string(least),
                                               to_string(caller.role)));
}

Status authorize_worker(const Caller& caller, const WorkerId& worker) {
  if (caller.worker.empty() || caller.worker == worker) return {};
  return Status::permission_denied(fmt::format("this token acts as worker \"{}\" and as no other; the request names \"{}\"",
                                               caller.worker.text(), worker.text()));
}

bool may_use(const Caller& caller, const NamespaceName& ns) { return authorize_namespace(caller, ns).ok(); }

Status authorize_namespace(const Caller& caller, const NamespaceName& ns) { return muster::may_use(caller.namespaces, ns); }

std::shared_ptr<const LeaseBounds> lease_bounds(const Caller& caller) {
  if (caller.worker.empty() && !caller.namespaces) return nullptr;
  return std::make_shared<const LeaseBounds>(LeaseBounds{.worker = caller.worker, .namespaces = caller.namespaces});
}

Status authorize_everywhere(const Caller& caller, std::string_view what) {
  if (!caller.namespaces) return {};
  return Status::permission_denied(fmt::format("{} is about every namespace; this token is bound to its own", what));
}

}  // namespace muster::command
