#include "command/plan_submit.h"

#include "plan/plan.h"

namespace muster::command {

void handle(Context& context, PlanSubmitRequest request, Reply<PlanSubmitReply> reply) {
  const Result<plan::Document> document = plan::parse(request.text);
  if (!document.ok()) return reply(document.status());
  store::PlanPut put;
  put.plan = {.ns = std::move(request.ns),
              .id = PlanId(document->id),
              .text = std::move(request.text),
              .description = document->description,
              .tasks = static_cast<std::uint32_t>(document->tasks.size()),
              .needs = plan::needs(*document)};
  put.replace = request.replace;
  context.engine.plans().put(std::move(put), std::move(reply));
}

}  // namespace muster::command
