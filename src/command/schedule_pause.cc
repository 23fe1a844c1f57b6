#include "command/schedule_pause.h"

namespace muster::command {

void handle(Context& context, SchedulePauseRequest request, Reply<SchedulePauseReply> reply) {
  engine::ScheduleChange change;
  change.ns = std::move(request.ns);
  change.id = std::move(request.id);
  change.enabled = false;
  change.note = std::move(request.note);
  context.engine.schedules().update(std::move(change), std::move(reply));
}

}  // namespace muster::command
