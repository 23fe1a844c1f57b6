#include "command/plans.h"

#include "command/single.h"
#include "command/target.h"
#include "plan/plan.h"

namespace muster::command {

std::string target_of(const PlanSubmitRequest& request) {
  const Result<plan::Document> document = plan::parse(request.text);
  return in_namespace(request.ns, document.ok() ? document->id : std::string());
}

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
  auto told = [&engine = context.engine, ns = put.plan.ns, id = put.plan.id, text = put.plan.text,
               reply = std::move(reply)](Result<PlanSubmitReply> stored) mutable {
    if (stored.code() != Code::already_exists) return reply(std::move(stored));
    // Another text, which may say the same.
    engine.plans().get(
        ns, just(id),
        unwrap<Plan>([text = std::move(text), refused = stored.status(), reply = std::move(reply)](Result<Plan> known) mutable {
          if (!known.ok() || !plan::is_same(known->spec.text, text)) return reply(refused);
          reply(PlanSubmitReply{.plan = *std::move(known), .existed = true});
        }));
  };
  context.engine.plans().put(std::move(put), std::move(told));
}

void handle(Context& context, PlanGetRequest request, Reply<PlanGetReply> reply) {
  context.engine.plans().get(std::move(request.ns), just(std::move(request.plan)), unwrap(std::move(reply)));
}

void handle(Context& context, PlanListRequest request, Reply<PlanListReply> reply) {
  context.engine.plans().list(std::move(request), std::move(reply));
}

void handle(Context& context, PlanDeleteRequest request, Reply<PlanDeleteReply> reply) {
  context.engine.plans().remove(std::move(request.ns), std::move(request.plan), std::move(reply));
}

}  // namespace muster::command
