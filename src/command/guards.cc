#include "command/guards.h"

#include <fmt/format.h>

#include "command/single.h"

namespace muster::command {
namespace {

Status judge(const Caller& caller, const store::Each<Job>& jobs) {
  for (const Result<Job>& job : jobs)
    if (job.ok())
      if (Status allowed = authorize_namespace(caller, job->spec.ns); !allowed.ok()) return allowed;
  return {};
}

}  // namespace

void guard_jobs(Context& context, std::vector<JobId> jobs, UniqueFunction<void(Status)> next) {
  if (!context.caller.namespaces) return next({});
  context.engine.jobs().get(std::move(jobs),
                            [caller = context.caller, next = std::move(next)](Result<store::Each<Job>> found) mutable {
                              next(found.ok() ? judge(caller, *found) : found.status());
                            });
}

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
