// What a node does after a time in which it could not write down whom it heard.
#pragma once

#include "store/postgres/tx.h"

namespace muster::store::postgres {

// Whoever was silent, and whoever holds a lease, has time for a beat before it is judged; outcomes on their way come before
// time-outs.
void excuse_silence(Tx& tx);

}  // namespace muster::store::postgres
