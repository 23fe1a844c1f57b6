// Runs as people read them: rows of a list, and one run in full.
#pragma once

#include <string>
#include <vector>

#include "cli/table.h"
#include "sdk/cpp/types.h"

namespace muster::cli {

// The state, or `sleeping` for a run that sleeps or waits for a signal or a child.
std::string state_of(const sdk::Job& run);
Table run_table(const std::vector<sdk::Job>& runs, sdk::Instant now);
// What only runs have, to stand below the fields of their job; what is absent is left out.
Table run_details(const sdk::Job& run);

}  // namespace muster::cli
