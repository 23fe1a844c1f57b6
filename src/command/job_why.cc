#include "command/job_why.h"

namespace muster::command {

void handle(Context& context, JobWhyRequest request, Reply<JobWhyReply> reply) {
  context.engine.jobs().why(request.job, std::move(reply));
}

}  // namespace muster::command
