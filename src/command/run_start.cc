#include "command/run_start.h"

#include "command/job_submit.h"
#include "command/run_spec.h"

namespace muster::command {

void handle(Context& context, RunStartRequest request, Reply<RunStartReply> reply) {
  if (!request.job.run) request.job.run.emplace();
  need_workflow(request.job);
  hold_external_id(request.job);
  handle(context, JobSubmitRequest{.job = std::move(request.job)}, std::move(reply));
}

}  // namespace muster::command
