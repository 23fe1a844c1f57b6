#include "command/schedules.h"

#include "command/run_spec.h"
#include "command/scope.h"

namespace muster::command {

void handle(Context& context, ScheduleCreateRequest request, Reply<ScheduleCreateReply> reply) {
  request.schedule.job.ns = request.schedule.ns;
  need_workflow(request.schedule.job);
  context.engine.schedules().create(std::move(request.schedule), std::move(reply));
}

void handle(Context& context, ScheduleGetRequest request, Reply<ScheduleGetReply> reply) {
  context.engine.schedules().get(std::move(request.ns), std::move(request.id), std::move(reply));
}

void handle(Context& context, ScheduleListRequest request, Reply<ScheduleListReply> reply) {
  // The total of a list that names no namespace counts everybody's: a caller that may not see them all is told what it sees.
  const bool counts_others = context.caller.namespaces && request.ns.empty();
  auto counted = [counts_others, reply = std::move(reply)](Result<ScheduleListReply> page) mutable {
    if (page.ok() && counts_others) page->total = page->schedules.size();
    reply(std::move(page));
  };
  auto own = only_own<ScheduleListReply>(
      context.caller, [](ScheduleListReply & page) -> auto& { return page.schedules; }, std::move(counted));
  context.engine.schedules().list(std::move(request), std::move(own));
}

void handle(Context& context, ScheduleUpdateRequest request, Reply<ScheduleUpdateReply> reply) {
  if (request.job) {
    request.job->ns = request.ns;
    need_workflow(*request.job);
  }
  context.engine.schedules().update(std::move(request), std::move(reply));
}

void handle(Context& context, ScheduleDeleteRequest request, Reply<ScheduleDeleteReply> reply) {
  context.engine.schedules().remove(std::move(request.ns), std::move(request.id), std::move(reply));
}

void handle(Context& context, SchedulePauseRequest request, Reply<SchedulePauseReply> reply) {
  engine::ScheduleChange change;
  change.ns = std::move(request.ns);
  change.id = std::move(request.id);
  change.enabled = false;
  change.note = std::move(request.note);
  context.engine.schedules().update(std::move(change), std::move(reply));
}

void handle(Context& context, ScheduleResumeRequest request, Reply<ScheduleResumeReply> reply) {
  engine::ScheduleChange change;
  change.ns = std::move(request.ns);
  change.id = std::move(request.id);
  change.enabled = true;
  change.note = std::move(request.note);
  change.catch_up = request.catch_up;
  context.engine.schedules().update(std::move(change), std::move(reply));
}

void handle(Context& context, ScheduleTriggerRequest request, Reply<ScheduleTriggerReply> reply) {
  context.engine.schedules().trigger(std::move(request.ns), std::move(request.id), std::move(reply));
}

void handle(Context& context, ScheduleBackfillRequest request, Reply<ScheduleBackfillReply> reply) {
  context.engine.schedules().backfill(std::move(request), std::move(reply));
}

void handle(Context& context, SchedulePreviewRequest request, Reply<SchedulePreviewReply> reply) {
  context.engine.schedules().preview(std::move(request.ns), std::move(request.id), request.count, request.after,
                                     std::move(reply));
}

}  // namespace muster::command
