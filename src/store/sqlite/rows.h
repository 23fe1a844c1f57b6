// How rows of each noun are read and written; the columns are those of the statements in sql/.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "model/job.h"
#include "model/plan.h"
#include "model/run.h"
#include "model/schedule.h"
#include "store/codec/id_codec.h"
#include "store/sqlite/db.h"
#include "store/sqlite/hot/job.h"

namespace muster::store::sqlite {

// A job's row as the model's Job; shared by the writer's single reads and the readers' lists.

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

// Rows of plans and actions, as the verbs and the readers see them.

struct FoundPlan {
  std::int64_t row = 0;
  Plan plan;
};
// The columns of plan_find.sql.
FoundPlan read_plan(const Statement& st, const NamespaceName& ns);

struct FoundAction {
  std::int64_t row = 0;
  Action action;  // counts: those of the row
  std::optional<Instant> settled_at;
};
// The columns of action_find.sql.
FoundAction read_action(const Statement& st, const NamespaceName& ns);

struct Present {
  ActionCounts counts;  // of the jobs that are still there
  std::optional<Instant> last_finished_at;
};
// By action_outcomes.sql.
Present count_present(Statement& outcomes, std::int64_t action);

ActionCounts sum(const ActionCounts& a, const ActionCounts& b);
// An open one with those of its jobs that are still there.
Action with_counts(Statement& outcomes, FoundAction found);

// A schedule as a row, and back; shared by the verbs and by both ends of a copy.

struct ScheduleRow {
  std::int64_t row = 0;
  std::int64_t ns_row = 0;
  Schedule schedule;  // without its namespace; set_namespace() adds it
};

// The columns of schedule_find, in its order, from column 0.
ScheduleRow read_schedule_row(const Statement& st, const IdCodec& ids);
void set_namespace(Schedule& schedule, const NamespaceName& ns);

// Runs schedule_insert or schedule_update, which take the same parameters.
void write_schedule(Statement& st, std::int64_t ns_row, const Schedule& schedule, const IdCodec& ids);

// An attempt at a step as a row, and back; shared by the verbs and by both ends of a copy.

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
