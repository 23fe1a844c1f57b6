#include "command/plan_delete.h"

namespace muster::command {

void handle(Context& context, PlanDeleteRequest request, Reply<PlanDeleteReply> reply) {
  context.engine.plans().remove(std::move(request.ns), std::move(request.plan), std::move(reply));
}

}  // namespace muster::command
