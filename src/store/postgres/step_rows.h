// Rows of steps as the model's Step, and back. Every statement that reads steps selects in this order:
//
//    0 job      1 place        2 attempt   3 kind    4 state   5 flags    6 begun_at   7 finished_at   8 until   9 fence
//   10 child   11 worker      12 name     13 signal  14 policy  15 error  16 input     17 output
#pragma once

#include <cstdint>

#include "model/run.h"
#include "store/codec/step_id.h"
#include "store/postgres/tx.h"
#include "store/postgres/wire/params.h"
#include "store/postgres/wire/rows.h"

namespace muster::store::postgres {

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
  struct Columns {
    Column job{Type::int8}, place{Type::int4}, kind{Type::int2}, state{Type::int2}, flags{Type::int2}, finished_at{Type::int8},
        until{Type::int8}, child{Type::int8}, signal{Type::bytes}, error{Type::text}, output{Type::bytes};
    void add(const StepKey& key, const Step& step, std::optional<JobKey> child_key);
  };
  Columns put_;
  Column attempt_{Type::int4}, begun_at_{Type::int8}, fence_{Type::int8}, worker_{Type::text}, name_{Type::bytes},
      policy_{Type::text}, input_{Type::bytes};
  Columns changed_;
};

}  // namespace muster::store::postgres
