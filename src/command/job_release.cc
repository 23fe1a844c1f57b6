#include "command/job_release.h"

#include "command/lease_guard.h"
#include "command/single.h"

namespace muster::command {

void handle(Context& context, JobReleaseRequest request, Reply<JobReleaseReply> reply) {
  const JobId job = request.lease.job;
  guard_leases(context, {job},
               [&engine = context.engine, request = std::move(request), reply = std::move(reply)](Status allowed) mutable {
                 if (!allowed.ok()) return reply(allowed);
                 engine.jobs().release(just(std::move(request)), unwrap(std::move(reply)));
               });
}

}  // namespace muster::command
