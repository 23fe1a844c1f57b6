// Jobs of a copy on their way into the tables, with everything that hangs on them: wishes, held keys, turns.
#pragma once

#include <set>
#include <vector>

#include "store/postgres/transfer_names.h"
#include "store/postgres/tx.h"
#include "store/transfer/record.h"

namespace muster::store::postgres {

// Finished jobs of this many days go into partitions of their own; older ones into the default one.
inline constexpr std::int64_t kCopyDaysMax = 60;

// One batch, in the transaction. Ready jobs stand in their own lanes until everything is in. `days` are those that have a
// partition by now; it grows.
void put_jobs(Tx& tx, TransferNames& names, const std::vector<transfer::JobRecord>& records, std::set<std::int64_t>& days);
void put_dependencies(Tx& tx, const std::vector<transfer::DependencyRecord>& records);

}  // namespace muster::store::postgres
