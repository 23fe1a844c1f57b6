#include "command/schedule_list.h"

#include "command/scope.h"

namespace muster::command {

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

}  // namespace muster::command
