#include "command/job_progress.h"

#include "command/lease_guard.h"
#include "command/single.h"

namespace muster::command {

void handle(Context& context, JobProgressRequest request, Reply<JobProgressReply> reply) {
  const JobId job = request.lease.job;
  guard_leases(context, {job},
               [&engine = context.engine, request = std::move(request), reply = std::move(reply)](Status allowed) mutable {
                 if (!allowed.ok()) return reply(allowed);
                 engine.jobs().report_progress(just(std::move(request)), unwrap(std::move(reply)));
               });
}

}  // namespace muster::command
