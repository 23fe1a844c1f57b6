// A lease: one worker's right to one attempt at a job, as those who speak about it name it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/status.h"
#include "model/ids.h"

namespace muster {

// Fences grow by counting, so knowing one is no proof of holding the lease. A caller that is bound to a worker or to namespaces
// says so here, and the store refuses it inside the verb: a look before it would judge a job that has moved on since. Whose fence
// is stale has lost the lease, whatever it is bound to.
struct LeaseBounds {
  WorkerId worker;                                         // empty: any
  std::optional<std::vector<NamespaceName>> namespaces{};  // nullopt: all
};

struct LeaseRef {
  JobId job;
  Fence fence{};
  std::shared_ptr<const LeaseBounds> bounds{};  // shared by the requests of one caller; null: it is bound to nothing
  friend bool operator==(const LeaseRef& a, const LeaseRef& b) { return a.job == b.job && a.fence == b.fence; }
};

// permission_denied: the namespace is not among them. nullopt: all are.
Status may_use(const std::optional<std::vector<NamespaceName>>& namespaces, const NamespaceName& ns);
// Whose lease it is, or last was. No worker: nobody's, and then only the namespace is judged.
struct LeaseHolder {
  const WorkerId& worker;
  const NamespaceName& ns;
};

// permission_denied: the job is in a namespace, or its lease with a worker, that the speaker may not speak for. `bounds` may be
// null.
Status within_bounds(const LeaseBounds* bounds, const JobId& job, const LeaseHolder& holder);

}  // namespace muster
