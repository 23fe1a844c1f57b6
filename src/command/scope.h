// Keeps a caller that is bound to namespaces to those: what a request names is checked, what a list names not is left out of it.
//
// A request about one job names no namespace; guards.h reads the job for it.
#pragma once

#include <utility>
#include <vector>

#include "base/reply.h"
#include "command/audit.h"
#include "command/context.h"
#include "command/queues.h"
#include "command/runs.h"
#include "model/worker.h"
#include "store/store.h"

namespace muster::command {

// Lists that may name no namespace; their handlers leave the rows of others out.
template <class Request>
inline constexpr bool kLeavesOthersOut = false;
template <>
inline constexpr bool kLeavesOthersOut<store::JobQuery> = true;
template <>
inline constexpr bool kLeavesOthersOut<RunListRequest> = true;
template <>
inline constexpr bool kLeavesOthersOut<store::WorkerQuery> = true;
template <>
inline constexpr bool kLeavesOthersOut<store::ScheduleQuery> = true;
template <>
inline constexpr bool kLeavesOthersOut<QueueListRequest> = true;
template <>
inline constexpr bool kLeavesOthersOut<QueueLanesRequest> = true;
template <>
inline constexpr bool kLeavesOthersOut<AuditListRequest> = true;

// Fills in the only namespace of a caller that named none. permission_denied: one that is not the caller's, or none of several
// unless `list`.
struct Naming {
  bool list = false;
};
Status confine(const Caller& caller, NamespaceName& ns, Naming naming = {});

// The same for every namespace that a request names, wherever it does.
template <class Request>
Status confine(const Caller& caller, Request& request) {
  [[maybe_unused]] constexpr Naming kNaming{.list = kLeavesOthersOut<Request>};
  if (!caller.namespaces) return {};
  if constexpr (requires { request.ns; }) return confine(caller, request.ns, kNaming);
  if constexpr (requires { request.filter.ns; }) return confine(caller, request.filter.ns, kNaming);
  if constexpr (requires { request.query.filter.ns; }) return confine(caller, request.query.filter.ns, kNaming);
  if constexpr (requires { request.batch.ns; }) return confine(caller, request.batch.ns, kNaming);
  if constexpr (requires { request.drain.ns; }) return confine(caller, request.drain.ns, kNaming);
  if constexpr (requires { request.claim.ns; }) return confine(caller, request.claim.ns, kNaming);
  if constexpr (requires { request.order.ns; }) return confine(caller, request.order.ns, kNaming);
  if constexpr (requires { request.schedule.ns; }) return confine(caller, request.schedule.ns, kNaming);
  if constexpr (requires { request.agent.ns; }) return confine(caller, request.agent.ns, kNaming);
  if constexpr (requires { request.tool.ns; }) return confine(caller, request.tool.ns, kNaming);
  if constexpr (requires { request.job.ns; }) return confine(caller, request.job.ns, kNaming);
  if constexpr (requires { request.jobs.front().ns; })
    for (auto& job : request.jobs)
      if (Status allowed = confine(caller, job.ns, kNaming); !allowed.ok()) return allowed;
  return {};
}

inline const NamespaceName& namespace_of(const Job& job) { return job.spec.ns; }
inline const NamespaceName& namespace_of(const Worker& worker) { return worker.spec.ns; }
inline const NamespaceName& namespace_of(const Schedule& schedule) { return schedule.spec.ns; }
inline const NamespaceName& namespace_of(const QueueStats& queue) { return queue.ns; }
inline const NamespaceName& namespace_of(const NamespaceInfo& info) { return info.name; }

// A page without the rows of namespaces that the caller may not use. It may be short or empty while more follow.
template <class Page, class Rows>
Reply<Page> only_own(const Caller& caller, Rows rows, Reply<Page> reply) {
  if (!caller.namespaces) return reply;
  return [caller, rows, reply = std::move(reply)](Result<Page> page) mutable {
    if (page.ok()) std::erase_if(rows(*page), [&](const auto& row) { return !may_use(caller, namespace_of(row)); });
    reply(std::move(page));
  };
}

}  // namespace muster::command
