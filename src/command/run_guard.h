// Keeps the commands about runs to runs: a plain job under a run's path is answered as if it were not there.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

// Reads the job and calls `next` with it; not_found when there is none or it is no run.
void with_run(Context& context, JobId run, Reply<Job> next);
// The job, or not_found when it is no run.
Result<Job> only_run(Result<Job> job);

}  // namespace muster::command
