// Keeps the commands about runs to runs: a plain job under a run's path is answered as if it were not there.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

// Reads the job and calls `next` with it; not_found when there is none or it is no run, permission_denied when it is in a
// namespace that the caller may not use.
void with_run(Context& context, JobId run, Reply<Job> next);
// The job, or permission_denied when it is in a namespace that the caller may not use.
Result<Job> only_own(const Caller& caller, Result<Job> job);
// The same, and not_found when it is no run.
Result<Job> only_run(const Caller& caller, Result<Job> job);

}  // namespace muster::command
