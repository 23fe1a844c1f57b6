// How rows of each noun are read and written; the columns are those of the statements in sql/.
#pragma once

#include <cstdint>

#include "model/job.h"
#include "model/run.h"
#include "model/schedule.h"
#include "store/codec/id_codec.h"
#include "store/postgres/directory.h"
#include "store/postgres/tx.h"
#include "store/postgres/wire/connection.h"
#include "store/postgres/wire/params.h"

namespace muster::store::postgres {

// A job's row as the model's Job. Every statement that reads jobs for clients selects from the view `jobs` in this order:
//
//    0 id           1 lane          2 state        3 flags    4 priority   5 run_at   6 created_at   7 attempt   8 rescues
//    9 fence       10 worker       11 started_at  12 finished_at  13 expires_at  14 end of the lease  15 spec  16 payload
//   17 result      18 error        19 last event
//
// read_jobs adds what only a single job is asked for: 20 attempts, 21 progress, 22 partial, 23 dependencies pending.

// Before the rows are read: a lane that was made after this transaction began is looked up once for all of them.
void know_lanes(Tx& tx, const Rows& rows);
// A scheduled row whose time has come reads as ready.
Job read_row(Tx& tx, const Rows& rows, std::size_t row);
// With columns 20 to 23.
Job read_whole_row(Tx& tx, const Rows& rows, std::size_t row);
// Attempts, progress and partial result, which follow each other.
void read_story(const Rows::Row& row, int first, Job& job);

// Rows of schedules, which codec/columns.h reads. Every statement that reads them selects in this order:
//
//    0 id              1 namespace      2 name       3 enabled    4 created_at   5 updated_at   6 next_fire_at
//    7 last_fired_at   8 caught_up_to   9 buffered  10 last_job  11 fired       12 skipped     13 revision
//   14 spec           15 payload

inline constexpr int kScheduleColumns = 16;

// The parameters of schedule_put and schedule_replace.
Params schedule_params(const Schedule& schedule, NamespaceKey ns, std::optional<JobKey> last_job);

// Rows of steps as the model's Step, and back. Every statement that reads steps selects in this order:
//
//    0 job      1 place        2 attempt   3 kind    4 state   5 flags    6 begun_at   7 finished_at   8 until   9 fence
//   10 child   11 worker      12 name     13 signal  14 policy  15 error  16 input     17 output

inline constexpr int kStepColumns = 18;

Step read_step(const Tx& tx, const Rows& rows, std::size_t row);
// The same without what is worked out of the salt: id, run and child.
Step read_bare_step(const Rows& rows, std::size_t row);
StepKey step_key(const Rows& rows, std::size_t row);

// Attempts that are written together: new ones, and old ones that changed.
class StepWrites {
 public:
  // child: the key of step.child.
  void put(const StepKey& key, const Step& step, std::optional<JobKey> child);
  void change(const StepKey& key, const Step& step, std::optional<JobKey> child);
  void write(Tx& tx);

 private:
  Table put_{{Type::int8, Type::int4, Type::int4, Type::int2, Type::int2, Type::int2, Type::int8, Type::int8, Type::int8,
              Type::int8, Type::int8, Type::text, Type::bytes, Type::bytes, Type::text, Type::text, Type::bytes, Type::bytes}};
  Table changed_{{Type::int8, Type::int4, Type::int2, Type::int2, Type::int2, Type::int8, Type::int8, Type::int8, Type::bytes,
                  Type::text, Type::bytes}};
};

}  // namespace muster::store::postgres
