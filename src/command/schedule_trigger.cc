#include "command/schedule_trigger.h"

namespace muster::command {

void handle(Context& context, ScheduleTriggerRequest request, Reply<ScheduleTriggerReply> reply) {
  context.engine.schedules().trigger(std::move(request.ns), std::move(request.id), std::move(reply));
}

}  // namespace muster::command
