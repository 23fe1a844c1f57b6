#include "command/scope.h"

#include <fmt/format.h>

namespace muster::command {

Status confine(const Caller& caller, NamespaceName& ns, Naming naming) {
  if (!caller.namespaces) return {};
  if (!ns.empty()) return authorize_namespace(caller, ns);
  if (caller.namespaces->size() == 1) {
    ns = caller.namespaces->front();
    return {};
  }
  if (naming.list) return {};
  return Status::permission_denied("this token is bound to several namespaces; the request has to name one of them");
}

}  // namespace muster::command
