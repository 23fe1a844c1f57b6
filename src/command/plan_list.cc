#include "command/plan_list.h"

namespace muster::command {

void handle(Context& context, PlanListRequest request, Reply<PlanListReply> reply) {
  context.engine.plans().list(std::move(request), std::move(reply));
}

}  // namespace muster::command
