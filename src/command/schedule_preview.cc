#include "command/schedule_preview.h"

namespace muster::command {

void handle(Context& context, SchedulePreviewRequest request, Reply<SchedulePreviewReply> reply) {
  context.engine.schedules().preview(std::move(request.ns), std::move(request.id), request.count, request.after,
                                     std::move(reply));
}

}  // namespace muster::command
