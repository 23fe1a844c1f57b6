#include "command/job_why.h"

#include "command/lease_guard.h"

namespace muster::command {

void handle(Context& context, JobWhyRequest request, Reply<JobWhyReply> reply) {
  guard_jobs(context, {request.job},
             [&engine = context.engine, job = request.job, reply = std::move(reply)](Status allowed) mutable {
               if (!allowed.ok()) return reply(allowed);
               engine.jobs().why(job, std::move(reply));
             });
}

}  // namespace muster::command
