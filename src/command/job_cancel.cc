#include "command/job_cancel.h"

#include "command/single.h"

namespace muster::command {

void handle(Context& context, JobCancelRequest request, Reply<JobCancelReply> reply) {
  context.engine.jobs().cancel(just(std::move(request.cancel)), unwrap(std::move(reply)));
}

void handle(Context& context, JobCancelBulkRequest request, Reply<JobCancelBulkReply> reply) {
  context.engine.jobs().cancel(std::move(request.cancels), std::move(reply));
}

}  // namespace muster::command
