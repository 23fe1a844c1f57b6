#include "command/job_submit.h"

#include "base/check.h"
#include "command/single.h"

namespace muster::command {

void handle(Context& context, JobSubmitRequest request, Reply<JobSubmitReply> reply) {
  context.engine.jobs().enqueue(just(std::move(request.job)),
                                [reply = std::move(reply)](Result<std::vector<store::Enqueued>> made) mutable {
                                  if (!made.ok()) return reply(made.status());
                                  check(made->size() == 1, "one job is enqueued once");
                                  reply(made->front());
                                });
}

void handle(Context& context, JobSubmitBulkRequest request, Reply<JobSubmitBulkReply> reply) {
  context.engine.jobs().enqueue(std::move(request.jobs), std::move(reply));
}

}  // namespace muster::command
