// A job's row as the model's Job; shared by the writer's single reads and the readers' lists.
#pragma once

#include "model/job.h"
#include "store/sqlite/db.h"
#include "store/sqlite/hot/job.h"

namespace muster::store::sqlite {

// The columns of job_read, in its order, from column 0. Names (namespace, queue, type, worker) and contents kept apart are
// the caller's to fill in. A scheduled row whose time has come reads as ready.
struct JobRow {
  Job job;
  JobKey key = 0;
  std::int64_t lane_row = 0;
  WorkerKey worker = 0;
  std::uint16_t flags = 0;
};
JobRow read_row(const Statement& st, Instant now);

}  // namespace muster::store::sqlite
