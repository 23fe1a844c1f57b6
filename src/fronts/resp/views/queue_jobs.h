// Jobs as elements of the lists and the sorted set that stand for queues.
#pragma once

#include <string>

#include "command/jobs.h"
#include "fronts/resp/views/view_key.h"
#include "model/job.h"

namespace muster::resp::views {

// The jobs that the view shows. REQUIRES: a view of a queue.
store::JobFilter filter_of(const ViewKey& key);
// What a client pushed, or the job's name.
std::string element_of(const Job& job);
// When it is due, in seconds; infinity while it waits for other jobs.
double due_score(const Job& job);

}  // namespace muster::resp::views
