#include "command/lease_guard.h"

#include <fmt/format.h>

namespace muster::command {
namespace {

Status judge(const Caller& caller, const store::Each<Job>& jobs) {
  for (const Result<Job>& job : jobs) {
    if (!job.ok()) continue;
    if (Status allowed = authorize_namespace(caller, job->spec.ns); !allowed.ok()) return allowed;
    if (caller.worker.empty() || job->worker == caller.worker) continue;
    return Status::permission_denied(
        fmt::format("this token acts as worker \"{}\", which does not hold job {}", caller.worker.text(), job->id.text()));
  }
  return {};
}

}  // namespace

void guard_leases(Context& context, std::vector<JobId> jobs, UniqueFunction<void(Status)> next) {
  if (context.caller.worker.empty() && !context.caller.namespaces) return next({});
  context.engine.jobs().get(std::move(jobs),
                            [caller = context.caller, next = std::move(next)](Result<store::Each<Job>> found) mutable {
                              next(found.ok() ? judge(caller, *found) : found.status());
                            });
}

void guard_jobs(Context& context, std::vector<JobId> jobs, UniqueFunction<void(Status)> next) {
  Context anyone{.engine = context.engine, .facts = context.facts, .caller = context.caller};
  anyone.caller.worker = WorkerId();
  guard_leases(anyone, std::move(jobs), std::move(next));
}

}  // namespace muster::command
