#include "store/postgres/schedule_rows.h"

#include "store/codec/spec_text.h"

namespace muster::store::postgres {
namespace {}  // namespace

std::optional<JobKey> last_job_of(const Rows& rows, std::size_t row) { return rows.maybe(row, 10); }

Schedule read_schedule(const Rows& rows, std::size_t row, const NamespaceName& ns) {
  Schedule schedule;
  schedule.spec.ns = ns;
  schedule.spec.id = ScheduleId(rows.text(row, 2));
  schedule.spec.enabled = rows.integer(row, 3) != 0;
  schedule.created_at = from_ms(rows.integer(row, 4));
  schedule.updated_at = from_ms(rows.integer(row, 5));
  schedule.next_fire_at = from_ms(rows.maybe(row, 6));
  schedule.last_fired_at = from_ms(rows.maybe(row, 7));
  schedule.caught_up_to = from_ms(rows.maybe(row, 8));
  schedule.buffered = from_ms(rows.maybe(row, 9));
  schedule.fired = static_cast<std::uint64_t>(rows.integer(row, 11));
  schedule.skipped = static_cast<std::uint64_t>(rows.integer(row, 12));
  schedule.revision = static_cast<std::uint64_t>(rows.integer(row, 13));
  schedule_from_text(rows.view(row, 14), schedule.spec);
  schedule.spec.job.payload.data = rows.text(row, 15);
  return schedule;
}

Params schedule_params(const Schedule& schedule, NamespaceKey ns, std::optional<JobKey> last_job) {
  const ScheduleSpec& spec = schedule.spec;
  Params params;
  params.int4(ns).text(spec.id.text()).text(spec.job.queue.text()).text(spec.job.type.text()).boolean(spec.enabled);
  params.int8(spec.enabled ? to_ms(schedule.next_fire_at) : std::nullopt)
      .int8(to_ms(schedule.created_at))
      .int8(to_ms(schedule.updated_at));
  params.int8(to_ms(schedule.next_fire_at)).int8(to_ms(schedule.last_fired_at)).int8(to_ms(schedule.caught_up_to));
  params.int8(to_ms(schedule.buffered)).int8(last_job).int8(static_cast<std::int64_t>(schedule.fired));
  params.int8(static_cast<std::int64_t>(schedule.skipped)).int8(static_cast<std::int64_t>(schedule.revision));
  params.text(schedule_to_text(spec)).bytes(spec.job.payload.data);
  return params;
}

}  // namespace muster::store::postgres
