// What makes a job a run, the same for every front and for the templates of schedules.
#pragma once

#include "model/job.h"

namespace muster::command {

// A job with a RunSpec needs a worker that knows its workflow. Other jobs stay as they are.
void need_workflow(JobSpec& job);
// A run with an external id is the only unfinished one of that name in its namespace, whatever wire it came by.
void hold_external_id(JobSpec& job);

}  // namespace muster::command
