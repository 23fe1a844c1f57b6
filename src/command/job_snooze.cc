#include "command/job_snooze.h"

#include "command/lease_guard.h"
#include "command/single.h"

namespace muster::command {

void handle(Context& context, JobSnoozeRequest request, Reply<JobSnoozeReply> reply) {
  const JobId job = request.lease.job;
  guard_leases(context, {job},
               [&engine = context.engine, request = std::move(request), reply = std::move(reply)](Status allowed) mutable {
                 if (!allowed.ok()) return reply(allowed);
                 engine.jobs().snooze(just(std::move(request)), unwrap(std::move(reply)));
               });
}

}  // namespace muster::command
