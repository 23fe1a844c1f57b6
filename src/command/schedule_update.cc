#include "command/schedule_update.h"

#include "command/run_spec.h"

namespace muster::command {

void handle(Context& context, ScheduleUpdateRequest request, Reply<ScheduleUpdateReply> reply) {
  if (request.job) {
    request.job->ns = request.ns;
    need_workflow(*request.job);
  }
  context.engine.schedules().update(std::move(request), std::move(reply));
}

}  // namespace muster::command
