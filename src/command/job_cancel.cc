#include "command/job_cancel.h"

#include "command/lease_guard.h"
#include "command/single.h"

namespace muster::command {

void handle(Context& context, JobCancelRequest request, Reply<JobCancelReply> reply) {
  const JobId job = request.cancel.job;
  guard_jobs(context, {job},
             [&engine = context.engine, cancel = std::move(request.cancel), reply = std::move(reply)](Status allowed) mutable {
               if (!allowed.ok()) return reply(allowed);
               engine.jobs().cancel(just(std::move(cancel)), unwrap(std::move(reply)));
             });
}

void handle(Context& context, JobCancelBulkRequest request, Reply<JobCancelBulkReply> reply) {
  std::vector<JobId> jobs;
  for (const store::Cancel& cancel : request.cancels) jobs.push_back(cancel.job);
  guard_jobs(context, std::move(jobs),
             [&engine = context.engine, cancels = std::move(request.cancels), reply = std::move(reply)](Status allowed) mutable {
               if (!allowed.ok()) return reply(allowed);
               engine.jobs().cancel(std::move(cancels), std::move(reply));
             });
}

}  // namespace muster::command
