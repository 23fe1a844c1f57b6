#include "command/schedule_list.h"

namespace muster::command {

void handle(Context& context, ScheduleListRequest request, Reply<ScheduleListReply> reply) {
  context.engine.schedules().list(std::move(request), std::move(reply));
}

}  // namespace muster::command
