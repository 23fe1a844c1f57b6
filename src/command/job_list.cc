#include "command/job_list.h"

namespace muster::command {

void handle(Context& context, JobListRequest request, Reply<JobListReply> reply) {
  context.engine.jobs().list(std::move(request), std::move(reply));
}

}  // namespace muster::command
