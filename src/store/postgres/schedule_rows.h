// Rows of schedules as the model's Schedule, and back. Every statement that reads schedules selects in this order:
//
//    0 id              1 namespace      2 name       3 enabled    4 created_at   5 updated_at   6 next_fire_at
//    7 last_fired_at   8 caught_up_to   9 buffered  10 last_job  11 fired       12 skipped     13 revision
//   14 spec           15 payload
#pragma once

#include "model/schedule.h"
#include "store/codec/id_codec.h"
#include "store/postgres/directory.h"
#include "store/postgres/wire/params.h"
#include "store/postgres/wire/rows.h"

namespace muster::store::postgres {

inline constexpr int kScheduleColumns = 16;

// In the namespace of this name, without its last job, which is worked out of the salt.
Schedule read_schedule(const Rows& rows, std::size_t row, const NamespaceName& ns);
std::optional<JobKey> last_job_of(const Rows& rows, std::size_t row);

// The parameters of schedule_put and schedule_replace.
Params schedule_params(const Schedule& schedule, NamespaceKey ns, std::optional<JobKey> last_job);

}  // namespace muster::store::postgres
