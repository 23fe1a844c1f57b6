#include "model/lease.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster {

Status may_use(const std::optional<std::vector<NamespaceName>>& namespaces, const NamespaceName& ns) {
  if (!namespaces || std::find(namespaces->begin(), namespaces->end(), ns) != namespaces->end()) return {};
  return Status::permission_denied(fmt::format("this token may not use namespace \"{}\"", ns.text()));
}

Status within_bounds(const LeaseBounds* bounds, const JobId& job, const LeaseHolder& holder) {
  if (bounds == nullptr) return {};
  if (Status allowed = may_use(bounds->namespaces, holder.ns); !allowed.ok()) return allowed;
  if (!bounds->worker.empty() && !holder.worker.empty() && bounds->worker != holder.worker)
    return Status::permission_denied(
        fmt::format("this token acts as worker \"{}\", which does not hold job {}", bounds->worker.text(), job.text()));
  return {};
}

}  // namespace muster
