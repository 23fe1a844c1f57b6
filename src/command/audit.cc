#include "command/audit.h"

#include <utility>

namespace muster::command {

void handle(Context& context, AuditListRequest request, Reply<AuditListReply> reply) {
  request.filter.within = context.caller.namespaces;
  context.engine.audit().list(std::move(request), std::move(reply));
}

}  // namespace muster::command
