#include "command/job_get.h"

#include "command/run_guard.h"
#include "command/single.h"

namespace muster::command {

void handle(Context& context, JobGetRequest request, Reply<JobGetReply> reply) {
  context.engine.jobs().get({request.job},
                            unwrap<Job>([caller = context.caller, reply = std::move(reply)](Result<Job> job) mutable {
                              reply(only_own(caller, std::move(job)));
                            }));
}

}  // namespace muster::command
