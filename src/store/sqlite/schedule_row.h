// A schedule as a row, and back; shared by the verbs and by both ends of a copy.
#pragma once

#include "model/schedule.h"
#include "store/codec/id_codec.h"
#include "store/sqlite/db.h"

namespace muster::store::sqlite {

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

}  // namespace muster::store::sqlite
