#include "command/plan_get.h"

#include "command/single.h"

namespace muster::command {

void handle(Context& context, PlanGetRequest request, Reply<PlanGetReply> reply) {
  context.engine.plans().get(std::move(request.ns), just(std::move(request.plan)), unwrap(std::move(reply)));
}

}  // namespace muster::command
