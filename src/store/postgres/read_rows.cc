#include "store/postgres/read_rows.h"

#include "store/codec/columns.h"
#include "store/codec/spec_text.h"
#include "store/postgres/moves.h"
#include "store/postgres/node.h"

namespace muster::store::postgres {
namespace {

LaneKey lane_of(const Rows& rows, std::size_t row) { return static_cast<LaneKey>(rows.integer(row, 1)); }

}  // namespace

void know_lanes(Tx& tx, const Rows& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (tx.directory().lane(lane_of(rows, i)) == nullptr) return tx.reload_directory();
}

Job read_row(Tx& tx, const Rows& rows, std::size_t i) {
  Job job;
  const Rows::Row row = rows.at(i);
  std::uint16_t flags = 0;
  job.id = tx.ids().encode(row.integer(0));
  if (const LanePtr lane = tx.directory().lane(lane_of(rows, i))) {
    job.spec.ns = lane->lane->ns;
    job.spec.queue = lane->lane->queue;
    job.spec.type = lane->lane->type;
  }
  read_columns(row, 2, job.state, flags, job.spec.priority, job.run_at, job.created_at, job.attempt, job.rescues, job.fence,
               job.worker, job.started_at, job.finished_at, job.expires_at, job.lease_expires_at);
  read_column(row, 19, job.last_event);
  if (job.state == JobState::scheduled && job.run_at && *job.run_at <= tx.now()) {
    job.state = JobState::ready;
    job.last_event = JobEvent::due;
  }
  spec_from_text(row.view(15), job.spec);
  job.spec.payload = {row.text(16), encoding_of((flags & kPayloadBytes) != 0)};
  job.result = read_content(row, 17, (flags & kResultBytes) != 0);
  if (!row.is_null(18)) job.error = error_from_text(row.view(18));
  job.cancel_requested = (flags & kCancelRequested) != 0;
  return job;
}

void read_story(const Rows::Row& row, int first, Job& job) {
  if (!row.is_null(first)) job.attempts = attempts_from_text(row.view(first));
  if (row.is_null(first + 1)) return;
  job.progress = progress_from_text(row.view(first + 1));
  if (!row.is_null(first + 2))
    job.progress->partial = Content{row.text(first + 2), partial_encoding_from_text(row.view(first + 1))};
}

Job read_whole_row(Tx& tx, const Rows& rows, std::size_t row) {
  Job job = read_row(tx, rows, row);
  read_story(rows.at(row), 20, job);
  job.dependencies_pending = static_cast<std::size_t>(rows.integer(row, 23));
  return job;
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

namespace {

// Bits of the flags column.
constexpr std::uint16_t kInputBytes = 1;
constexpr std::uint16_t kOutputBytes = 2;

std::string error_text(const Step& step) { return step.error ? error_to_text(*step.error) : std::string(); }
std::int64_t step_flags(const Step& step) {
  std::uint16_t flags = 0;
  if (step.input && step.input->encoding == Encoding::bytes) flags |= kInputBytes;
  if (step.output && step.output->encoding == Encoding::bytes) flags |= kOutputBytes;
  return flags;
}

}  // namespace

StepKey step_key(const Rows& rows, std::size_t row) { return {rows.integer(row, 0), rows.integer(row, 1)}; }

Step read_bare_step(const Rows& rows, std::size_t row) {
  Step step;
  std::uint16_t flags = 0;
  std::optional<JobKey> child;  // worked out of the salt by others
  const Rows::Row from = rows.at(row);
  read_columns(from, 2, step.attempt, step.kind, step.state, flags, step.begun_at, step.finished_at, step.until, step.fence,
               child, step.worker, step.name, step.signal);
  if (!from.is_null(14)) step.policy = policy_from_text(from.view(14));
  if (!from.is_null(15)) step.error = error_from_text(from.view(15));
  step.input = read_content(from, 16, (flags & kInputBytes) != 0);
  step.output = read_content(from, 17, (flags & kOutputBytes) != 0);
  return step;
}

Step read_step(const Tx& tx, const Rows& rows, std::size_t row) {
  Step step = read_bare_step(rows, row);
  const StepKey key = step_key(rows, row);
  step.id = tx.step_ids().encode(key);
  step.run = tx.ids().encode(key.run);
  if (const auto child = rows.maybe(row, 10)) step.child = tx.ids().encode(*child);
  return step;
}

void StepWrites::put(const StepKey& key, const Step& step, std::optional<JobKey> child) {
  put_.add(key.run, key.place, step.attempt, step.kind, step.state, step_flags(step), step.begun_at, step.finished_at, step.until,
           step.fence, child, step.worker, step.name, step.signal, or_null(policy_to_text(step.policy)),
           or_null(error_text(step)), data_of(step.input), data_of(step.output));
}

void StepWrites::change(const StepKey& key, const Step& step, std::optional<JobKey> child) {
  changed_.add(key.run, key.place, step.kind, step.state, step_flags(step), step.finished_at, step.until, child, step.signal,
               or_null(error_text(step)), data_of(step.output));
}

void StepWrites::write(Tx& tx) {
  if (!put_.empty()) tx.write("steps_put"_sql, put_.params());
  if (!changed_.empty()) tx.write("steps_change"_sql, changed_.params());
}

}  // namespace muster::store::postgres
