// Jobs as people read them: rows of a list, and one job in full. Shared by the job commands.
#pragma once

#include <string>
#include <vector>

#include "cli/table.h"
#include "sdk/cpp/types.h"

namespace muster::cli {

Table job_table(const std::vector<sdk::Job>& jobs, sdk::Instant now);
// Two columns, field and value; what is absent is left out.
Table job_details(const sdk::Job& job, sdk::Instant now);
Table attempts_table(const sdk::Job& job, sdk::Instant now);
sdk::Instant now();

}  // namespace muster::cli
