#include "command/lease_guard.h"

#include <fmt/format.h>

namespace muster::command {
namespace {

Status judge(const WorkerId& bound, const store::Each<Job>& jobs) {
  for (const Result<Job>& job : jobs) {
    if (!job.ok() || job->worker == bound) continue;
    return Status::permission_denied(
        fmt::format("this token acts as worker \"{}\", which does not hold job {}", bound.text(), job->id.text()));
  }
  return {};
}

}  // namespace

void guard_leases(Context& context, std::vector<JobId> jobs, UniqueFunction<void(Status)> next) {
  if (context.caller.worker.empty()) return next({});
  context.engine.jobs().get(std::move(jobs),
                            [bound = context.caller.worker, next = std::move(next)](Result<store::Each<Job>> found) mutable {
                              next(found.ok() ? judge(bound, *found) : found.status());
                            });
}

}  // namespace muster::command
