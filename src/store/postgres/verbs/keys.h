// The keyspace's verb, a part of a batch at a time.
#pragma once

#include "store/keyspace/sliced_batch.h"
#include "store/postgres/tx.h"

namespace muster::store::postgres {

// As much of a batch as `what` says; `now` and `random` are filled in.
Result<keyspace::Part> run_keys(Tx& tx, const KeyBatch& batch, keyspace::Run what);

}  // namespace muster::store::postgres
