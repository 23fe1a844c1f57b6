#include "command/job_get.h"

#include "command/single.h"

namespace muster::command {

void handle(Context& context, JobGetRequest request, Reply<JobGetReply> reply) {
  context.engine.jobs().get({request.job}, unwrap(std::move(reply)));
}

}  // namespace muster::command
