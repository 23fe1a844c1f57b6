#include "command/job_list.h"

#include "command/scope.h"

namespace muster::command {

void handle(Context& context, JobListRequest request, Reply<JobListReply> reply) {
  auto own = only_own(
      context.caller, [](JobListReply & page) -> auto& { return page.jobs; }, std::move(reply));
  context.engine.jobs().list(std::move(request), std::move(own));
}

}  // namespace muster::command
