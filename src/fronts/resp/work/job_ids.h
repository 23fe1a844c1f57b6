// The jobs that clients mean by their names, many at once.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "base/unique_function.h"
#include "model/ids.h"

namespace muster::resp {
struct Core;
}

namespace muster::resp::work {

// One answer for each name, on the loop's thread: the job whose client chose it, whatever it looks like, or else the id of ours
// that it spells. not_found: "Job not found: <name>".
void resolve_jobs(Core& core, std::vector<std::string> names, UniqueFunction<void(std::vector<Result<JobId>>)> then);

}  // namespace muster::resp::work
