#include "command/schedule_get.h"

namespace muster::command {

void handle(Context& context, ScheduleGetRequest request, Reply<ScheduleGetReply> reply) {
  context.engine.schedules().get(std::move(request.ns), std::move(request.id), std::move(reply));
}

}  // namespace muster::command
