// What a request is about, in one word for the audit log: the id of a job, or a name behind its namespace.
#pragma once

#include <string>

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

}  // namespace muster::command
