// Opening a store on a clock of the caller's. The database tells the time; this one only tells how long it was not reached.
#pragma once

#include <memory>

#include "base/clock.h"
#include "store/postgres/store.h"

namespace muster::store::postgres {

// As PostgresStore::open(), which does it on the real clock. The clock outlives the store.
Result<std::unique_ptr<PostgresStore>> open_on_clock(Options options, Metrics& metrics, const Clock& contact_clock);

}  // namespace muster::store::postgres
