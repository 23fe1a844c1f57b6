#include "command/action_get.h"

namespace muster::command {

std::string_view state_of(const ActionCounts& counts) {
  if (counts.finished()) return counts.completed == counts.total() ? "completed" : "failed";
  return counts.waiting == counts.total() ? "pending" : "running";
}

void handle(Context& context, ActionGetRequest request, Reply<ActionGetReply> reply) {
  context.engine.plans().get_action(std::move(request), std::move(reply));
}

}  // namespace muster::command
