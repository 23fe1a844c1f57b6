// Names of jobs that their clients chose, many at once.
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

// One answer for each name, on the loop's thread. not_found: "Job not found: <name>".
void find_chosen(Core& core, std::vector<std::string> names, UniqueFunction<void(std::vector<Result<JobId>>)> then);

}  // namespace muster::resp::work
