// Keeps a caller that is bound to one worker to that worker's jobs, and one that is bound to namespaces to their jobs. Fences
// grow by counting, so knowing one is no proof of holding the lease; whoever may act as one worker only must also be its holder.
#pragma once

#include <vector>

#include "base/status.h"
#include "base/unique_function.h"
#include "command/context.h"
#include "model/ids.h"

namespace muster::command {

// For verbs of a job's holder. Calls `next` with ok at once for a caller that is not bound. For a bound one the jobs are read
// first; permission_denied when one of them is or was last held by another worker, or is in another namespace. Unknown jobs pass:
// the verb itself answers for them.
void guard_leases(Context& context, std::vector<JobId> jobs, UniqueFunction<void(Status)> next);

// For verbs about jobs that nobody needs to hold: the namespaces alone.
void guard_jobs(Context& context, std::vector<JobId> jobs, UniqueFunction<void(Status)> next);

}  // namespace muster::command
