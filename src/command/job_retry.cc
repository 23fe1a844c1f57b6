#include "command/job_retry.h"

#include "command/lease_guard.h"
#include "command/single.h"

namespace muster::command {

void handle(Context& context, JobRetryRequest request, Reply<JobRetryReply> reply) {
  guard_jobs(context, {request.job},
             [&engine = context.engine, job = request.job, reply = std::move(reply)](Status allowed) mutable {
               if (!allowed.ok()) return reply(allowed);
               engine.jobs().redrive({job}, unwrap(std::move(reply)));
             });
}

void handle(Context& context, JobRetryMatchingRequest request, Reply<JobRetryMatchingReply> reply) {
  context.engine.jobs().redrive_matching(std::move(request), std::move(reply));
}

}  // namespace muster::command
