#include "command/run_guard.h"

#include <fmt/format.h>

#include "command/single.h"

namespace muster::command {

Result<Job> only_own(const Caller& caller, Result<Job> job) {
  if (!job.ok()) return job;
  if (Status allowed = authorize_namespace(caller, job->spec.ns); !allowed.ok()) return allowed;
  return job;
}

Result<Job> only_run(const Caller& caller, Result<Job> job) {
  job = only_own(caller, std::move(job));
  if (job.ok() && !job->spec.run) return Status::not_found(fmt::format("job {} is not a workflow run", job->id.text()));
  return job;
}

void with_run(Context& context, JobId run, Reply<Job> next) {
  context.engine.jobs().get({run}, unwrap<Job>([caller = context.caller, next = std::move(next)](Result<Job> job) mutable {
                              next(only_run(caller, std::move(job)));
                            }));
}

}  // namespace muster::command
