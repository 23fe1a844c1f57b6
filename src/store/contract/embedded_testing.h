// The harness of the embedded store, apart from the suite, which knows no database.
#pragma once

#include "store/contract/harness.h"
#include "store/sqlite/store.h"

namespace muster::store::contract {

HarnessMaker embedded_store(sqlite::Threading threading);

}  // namespace muster::store::contract
