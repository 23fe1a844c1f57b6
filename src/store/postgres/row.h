// A job's row as the model's Job. Every statement that reads jobs for clients selects from the view `jobs` in this order:
//
//    0 id           1 lane          2 state        3 flags    4 priority   5 run_at   6 created_at   7 attempt   8 rescues
//    9 fence       10 worker       11 started_at  12 finished_at  13 expires_at  14 end of the lease  15 spec  16 payload
//   17 result      18 error        19 last event
//
// read_jobs adds what only a single job is asked for: 20 attempts, 21 progress, 22 partial, 23 dependencies pending.
#pragma once

#include "model/job.h"
#include "store/postgres/tx.h"
#include "store/postgres/wire/rows.h"

namespace muster::store::postgres {

// Before the rows are read: a lane that was made after this transaction began is looked up once for all of them.
void know_lanes(Tx& tx, const Rows& rows);
// A scheduled row whose time has come reads as ready.
Job read_row(Tx& tx, const Rows& rows, std::size_t row);
// With columns 20 to 23.
Job read_whole_row(Tx& tx, const Rows& rows, std::size_t row);

}  // namespace muster::store::postgres
