// How a worker leaves: what it runs is lost or handed back, what was held for it is anybody's again, its row says offline.
//
// Used by unregister and by the sweeps that bury silent workers and end drains; register_workers uses its first half, since a new
// session begins where another one ends.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/postgres/moves.h"
#include "store/postgres/verbs/worker_rows.h"

namespace muster::store::postgres {

// Gates first, as far as these workers' bonds and jobs need them, then the rows.
std::map<WorkerKey, WorkerRow> lock_leaving(Tx& tx, const std::vector<WorkerKey>& keys);

struct Departure {
  WorkerRow* row = nullptr;
  std::optional<JobError> lost;  // what its jobs are told; empty: they are handed back without cost
  bool only_over = false;        // leases that are not over stay until they are
};

// The leases of these workers end. REQUIRES: locked rows.
void end_leases(Tx& tx, const std::vector<Departure>& departures);
// And the workers are offline for this cause. REQUIRES: locked rows of live workers.
void take_offline(Tx& tx, const std::vector<Departure>& departures, const char* cause);

}  // namespace muster::store::postgres
