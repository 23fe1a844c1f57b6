#include "command/feedback.h"

#include <utility>

#include "command/guards.h"

namespace muster::command {

void handle(Context& context, JobFeedbackRequest request, Reply<JobFeedbackReply> reply) {
  request.lease.bounds = lease_bounds(context.caller);
  context.engine.feedback().report(std::move(request), std::move(reply));
}

void handle(Context& context, JobOutputRequest request, Reply<JobOutputReply> reply) {
  const JobId job = request.job;
  guard_jobs(context, {job},
             [&engine = context.engine, request = std::move(request), reply = std::move(reply)](Status allowed) mutable {
               if (!allowed.ok()) return reply(allowed);
               engine.feedback().read(std::move(request), std::move(reply));
             });
}

}  // namespace muster::command
