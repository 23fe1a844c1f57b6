#include "command/actions.h"

#include "command/single.h"

namespace muster::command {

namespace {

void submit(engine::Engine& engine, const plan::Document& document, ActionOrder order, Reply<ActionSubmitReply> reply) {
  Result<ActionSpec> action = make_action(document, std::move(order));
  if (!action.ok()) return reply(action.status());
  engine.plans().submit(*std::move(action), std::move(reply));
}

}  // namespace

void handle(Context& context, ActionSubmitRequest request, Reply<ActionSubmitReply> reply) {
  if (request.order.id.empty()) request.order.id = new_action_id();
  if (request.document) return submit(context.engine, *request.document, std::move(request.order), std::move(reply));
  NamespaceName ns = request.order.ns;
  auto found = [&engine = context.engine, order = std::move(request.order), reply = std::move(reply)](Result<Plan> plan) mutable {
    if (!plan.ok()) return reply(plan.status());
    const Result<plan::Document> document = plan::parse(plan->spec.text);
    if (!document.ok()) return reply(Status::corrupt("a kept plan does not read: " + document.status().message()));
    submit(engine, *document, std::move(order), std::move(reply));
  };
  context.engine.plans().get(std::move(ns), just(request.plan), unwrap<Plan>(std::move(found)));
}

std::string_view state_of(const ActionCounts& counts) {
  if (counts.finished()) return counts.completed == counts.total() ? "completed" : "failed";
  return counts.waiting == counts.total() ? "pending" : "running";
}

void handle(Context& context, ActionGetRequest request, Reply<ActionGetReply> reply) {
  context.engine.plans().get_action(std::move(request), std::move(reply));
}

void handle(Context& context, ActionListRequest request, Reply<ActionListReply> reply) {
  context.engine.plans().list_actions(std::move(request), std::move(reply));
}

}  // namespace muster::command
