#include "command/schedule_create.h"

#include "command/run_spec.h"

namespace muster::command {

void handle(Context& context, ScheduleCreateRequest request, Reply<ScheduleCreateReply> reply) {
  request.schedule.job.ns = request.schedule.ns;
  need_workflow(request.schedule.job);
  context.engine.schedules().create(std::move(request.schedule), std::move(reply));
}

}  // namespace muster::command
