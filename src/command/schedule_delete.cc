#include "command/schedule_delete.h"

namespace muster::command {

void handle(Context& context, ScheduleDeleteRequest request, Reply<ScheduleDeleteReply> reply) {
  context.engine.schedules().remove(std::move(request.ns), std::move(request.id), std::move(reply));
}

}  // namespace muster::command
