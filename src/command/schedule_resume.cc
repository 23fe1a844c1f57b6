#include "command/schedule_resume.h"

namespace muster::command {

void handle(Context& context, ScheduleResumeRequest request, Reply<ScheduleResumeReply> reply) {
  engine::ScheduleChange change;
  change.ns = std::move(request.ns);
  change.id = std::move(request.id);
  change.enabled = true;
  change.note = std::move(request.note);
  change.catch_up = request.catch_up;
  context.engine.schedules().update(std::move(change), std::move(reply));
}

}  // namespace muster::command
