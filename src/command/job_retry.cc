#include "command/job_retry.h"

#include "command/single.h"

namespace muster::command {

void handle(Context& context, JobRetryRequest request, Reply<JobRetryReply> reply) {
  context.engine.jobs().redrive({request.job}, unwrap(std::move(reply)));
}

void handle(Context& context, JobRetryMatchingRequest request, Reply<JobRetryMatchingReply> reply) {
  context.engine.jobs().redrive_matching(std::move(request), std::move(reply));
}

}  // namespace muster::command
