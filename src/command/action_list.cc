#include "command/action_list.h"

namespace muster::command {

void handle(Context& context, ActionListRequest request, Reply<ActionListReply> reply) {
  context.engine.plans().list_actions(std::move(request), std::move(reply));
}

}  // namespace muster::command
