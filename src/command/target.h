// What a request is about, for those who write it down: the id of a job, or a name behind its namespace, and whose it is.
#pragma once

#include <optional>
#include <string>
#include <type_traits>

#include "command/context.h"

namespace muster::command {

inline std::string in_namespace(const NamespaceName& ns, const std::string& name) { return ns.text() + "/" + name; }

template <class Request>
std::string target_of(const Request& request) {
  if constexpr (requires { request.cancel.job; })
    return request.cancel.job.text();
  else if constexpr (requires { request.cancels; })
    return std::to_string(request.cancels.size()) + " jobs";
  else if constexpr (requires { request.job.text(); })
    return request.job.text();
  else if constexpr (requires { request.run.text(); })
    return request.run.text();
  else if constexpr (requires { request.worker; })
    return in_namespace(request.ns, request.worker.text());
  else if constexpr (requires { request.queue; })
    return in_namespace(request.ns, request.queue.text());
  else if constexpr (requires { request.plan; })
    return in_namespace(request.ns, request.plan.text());
  else if constexpr (requires { request.id; })
    return in_namespace(request.ns, request.id.text());
  else if constexpr (requires { request.agent.name; })
    return in_namespace(request.agent.ns, request.agent.name);
  else if constexpr (requires { request.tool.name; })
    return in_namespace(request.tool.ns, request.tool.name.text());
  else if constexpr (requires { request.tool.text(); })
    return in_namespace(request.ns, request.tool.text());
  else if constexpr (requires { request.schedule; })
    return in_namespace(request.schedule.ns, request.schedule.id.text());
  else if constexpr (requires { request.filter.queue; })
    return in_namespace(request.filter.ns, request.filter.queue.text());
  else if constexpr (requires { request.name.text(); })
    return request.name.text();
  else if constexpr (requires { request.name; })
    return request.name;
  else
    static_assert(sizeof(Request) == 0, "an audited request says what it is about");
}

struct Subject {
  std::string target;
  NamespaceName ns;            // empty: the request names none
  std::optional<JobId> job{};  // that says it instead
  bool dry_run = false;        // nothing is to be done
};

template <class Request>
Subject subject_of(const Request& request) {
  Subject out{.target = target_of(request), .ns = {}};
  if constexpr (requires { request.ns.text(); })
    out.ns = request.ns;
  else if constexpr (requires { request.filter.ns; })
    out.ns = request.filter.ns;
  else if constexpr (requires { request.batch.ns; })
    out.ns = request.batch.ns;
  else if constexpr (requires { request.schedule.ns; })
    out.ns = request.schedule.ns;
  else if constexpr (requires { request.agent.ns; })
    out.ns = request.agent.ns;
  else if constexpr (requires { request.tool.ns; })
    out.ns = request.tool.ns;
  else if constexpr (requires { request.name.text(); })
    out.ns = request.name;
  else if constexpr (requires { request.cancel.job; })
    out.job = request.cancel.job;
  else if constexpr (requires { JobId(request.job); })
    out.job = request.job;
  else if constexpr (requires { JobId(request.run); })
    out.job = request.run;
  if constexpr (requires { request.dry_run; }) out.dry_run = request.dry_run;
  return out;
}

}  // namespace muster::command
