// An attempt at a step as a row, and back; shared by the verbs and by both ends of a copy.
#pragma once

#include "model/run.h"
#include "store/codec/step_id.h"
#include "store/sqlite/db.h"
#include "store/sqlite/hot/job.h"

namespace muster::store::sqlite {

// The id, the run and the name of the worker are the caller's to fill in.
struct StepRow {
  StepKey key;
  Step step;
  WorkerKey worker = 0;
};

// The columns of step_newest, in its order, from column 0.
StepRow read_step_row(const Statement& st, const IdCodec& ids);

// Runs step_insert.sql.
void insert_step(Statement& st, const StepKey& key, const Step& step, WorkerKey worker, const IdCodec& ids);
// Runs step_update: what may change after an attempt began.
void update_step(Statement& st, const StepKey& key, const Step& step, const IdCodec& ids);

}  // namespace muster::store::sqlite
