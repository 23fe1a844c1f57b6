#include "command/run_guard.h"

#include <fmt/format.h>

#include "command/single.h"

namespace muster::command {

Result<Job> only_run(Result<Job> job) {
  if (job.ok() && !job->spec.run) return Status::not_found(fmt::format("job {} is not a workflow run", job->id.text()));
  return job;
}

void with_run(Context& context, JobId run, Reply<Job> next) {
  context.engine.jobs().get({run},
                            unwrap<Job>([next = std::move(next)](Result<Job> job) mutable { next(only_run(std::move(job))); }));
}

}  // namespace muster::command
