#include "command/schedule_backfill.h"

namespace muster::command {

void handle(Context& context, ScheduleBackfillRequest request, Reply<ScheduleBackfillReply> reply) {
  context.engine.schedules().backfill(std::move(request), std::move(reply));
}

}  // namespace muster::command
