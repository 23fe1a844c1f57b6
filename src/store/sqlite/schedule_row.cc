#include "store/sqlite/schedule_row.h"

#include "store/codec/spec_text.h"

namespace muster::store::sqlite {
namespace {}  // namespace

ScheduleRow read_schedule_row(const Statement& st, const IdCodec& ids) {
  ScheduleRow out;
  out.row = st.integer(0);
  out.ns_row = st.integer(1);
  Schedule& schedule = out.schedule;
  schedule.spec.id = ScheduleId(st.text(2));
  schedule.spec.enabled = st.integer(3) != 0;
  schedule.created_at = from_ms(st.integer(4));
  schedule.updated_at = from_ms(st.integer(5));
  schedule.next_fire_at = from_ms(st.optional_integer(6));
  schedule.last_fired_at = from_ms(st.optional_integer(7));
  schedule.caught_up_to = from_ms(st.optional_integer(8));
  schedule.buffered = from_ms(st.optional_integer(9));
  if (const auto job = st.optional_integer(10)) schedule.last_job = ids.encode(*job);
  schedule.fired = static_cast<std::uint64_t>(st.integer(11));
  schedule.skipped = static_cast<std::uint64_t>(st.integer(12));
  schedule.revision = static_cast<std::uint64_t>(st.integer(13));
  schedule_from_text(st.view(14), schedule.spec);
  schedule.spec.job.payload.data = st.text(15);
  return out;
}

void set_namespace(Schedule& schedule, const NamespaceName& ns) { schedule.spec.ns = schedule.spec.job.ns = ns; }

void write_schedule(Statement& st, std::int64_t ns_row, const Schedule& schedule, const IdCodec& ids) {
  const ScheduleSpec& spec = schedule.spec;
  const std::string text = schedule_to_text(spec);
  st.bind(1, ns_row).bind_text(2, spec.id.text()).bind_text(3, spec.job.queue.text()).bind_text(4, spec.job.type.text());
  st.bind(5, std::int64_t{spec.enabled});
  st.bind_optional(6, to_ms(spec.enabled ? schedule.next_fire_at : std::nullopt));
  st.bind(7, to_ms(schedule.created_at)).bind(8, to_ms(schedule.updated_at));
  st.bind_optional(9, to_ms(schedule.next_fire_at));
  st.bind_optional(10, to_ms(schedule.last_fired_at));
  st.bind_optional(11, to_ms(schedule.caught_up_to));
  st.bind_optional(12, to_ms(schedule.buffered));
  st.bind_optional(13, schedule.last_job ? ids.decode(*schedule.last_job) : std::nullopt);
  st.bind(14, static_cast<std::int64_t>(schedule.fired)).bind(15, static_cast<std::int64_t>(schedule.skipped));
  st.bind(16, static_cast<std::int64_t>(schedule.revision)).bind_text(17, text).bind_blob(18, spec.job.payload.data);
  st.run();
}

}  // namespace muster::store::sqlite
