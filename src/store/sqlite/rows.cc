#include "store/sqlite/rows.h"

#include <array>
#include <utility>

#include "store/codec/columns.h"
#include "store/codec/spec_text.h"

namespace muster::store::sqlite {

JobRow read_row(const Statement& st, Instant now) {
  JobRow row;
  Job& job = row.job;
  read_columns(st, 0, row.key, row.lane_row, job.state, row.flags, job.spec.priority, job.run_at, job.created_at, job.last_event,
               job.attempt, job.rescues, job.fence, row.worker, job.started_at, job.finished_at);
  if (job.state == JobState::scheduled && job.run_at && *job.run_at <= now) {
    job.state = JobState::ready;
    job.last_event = JobEvent::due;
  }
  spec_from_text(st.view(14), job.spec);
  job.spec.payload = {st.text(15), encoding_of((row.flags & kPayloadBytes) != 0)};
  if (!st.is_null(16) || (row.flags & kResultApart) != 0)
    job.result = Content{st.text(16), encoding_of((row.flags & kResultBytes) != 0)};
  if (!st.is_null(17)) job.error = error_from_text(st.view(17));
  job.cancel_requested = (row.flags & kCancelRequested) != 0;
  job.expires_at = from_ms(st.optional_integer(18));
  return row;
}

FoundPlan read_plan(const Statement& st, const NamespaceName& ns) {
  FoundPlan out{st.integer(0), {}};
  out.plan.spec.ns = ns;
  store::read_plan(st, 1, out.plan);
  return out;
}

FoundAction read_action(const Statement& st, const NamespaceName& ns) {
  FoundAction out;
  out.row = st.integer(0);
  out.action.ns = ns;
  store::read_action(st, 1, out.action, out.settled_at);
  return out;
}

// Outcomes are numbered by the view job_outcomes.
Present count_present(Statement& st, std::int64_t action) {
  Present out;
  std::array<std::uint64_t*, 6> counts{&out.counts.waiting, &out.counts.running, &out.counts.completed,
                                       &out.counts.failed,  &out.counts.dead,    &out.counts.cancelled};
  Rows rows(st.bind(1, action));
  while (rows.next()) {
    ++*counts.at(static_cast<std::size_t>(st.integer(0)));
    if (const auto at = st.optional_integer(1); at && from_ms(*at) > out.last_finished_at.value_or(Instant()))
      out.last_finished_at = from_ms(*at);
  }
  return out;
}

ActionCounts sum(const ActionCounts& a, const ActionCounts& b) {
  return {.waiting = a.waiting + b.waiting,
          .running = a.running + b.running,
          .completed = a.completed + b.completed,
          .failed = a.failed + b.failed,
          .dead = a.dead + b.dead,
          .cancelled = a.cancelled + b.cancelled};
}

Action with_counts(Statement& outcomes, FoundAction found) {
  if (!found.settled_at) found.action.counts = sum(found.action.counts, count_present(outcomes, found.row).counts);
  return std::move(found.action);
}

ScheduleRow read_schedule_row(const Statement& st, const IdCodec& ids) {
  ScheduleRow out;
  out.row = st.integer(0);
  out.ns_row = st.integer(1);
  if (const auto job = read_schedule(st, out.schedule)) out.schedule.last_job = ids.encode(*job);
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

namespace {

// Bits of steps.encodings.
constexpr std::int64_t kInputBytes = 1;
constexpr std::int64_t kOutputBytes = 2;

void bind_content(Statement& st, int index, const std::optional<Content>& value) {
  value ? st.bind_blob(index, value->data) : st.bind_null(index);
}

std::int64_t encodings_of(const Step& step) {
  std::int64_t out = 0;
  if (step.input && step.input->encoding == Encoding::bytes) out |= kInputBytes;
  if (step.output && step.output->encoding == Encoding::bytes) out |= kOutputBytes;
  return out;
}

std::optional<JobKey> child_key(const Step& step, const IdCodec& ids) {
  return step.child ? ids.decode(*step.child) : std::nullopt;
}

}  // namespace

StepRow read_step_row(const Statement& st, const IdCodec& ids) {
  StepRow row;
  Step& step = row.step;
  std::int64_t encodings = 0;
  std::optional<JobKey> child;
  read_columns(st, 0, row.key.run, row.key.place, step.name, step.kind, step.state, step.attempt, encodings, step.begun_at,
               step.finished_at, step.until, row.worker, step.fence, child, step.signal);
  if (child) step.child = ids.encode(*child);
  step.policy = policy_from_text(st.view(14));
  if (!st.is_null(15)) step.error = error_from_text(st.view(15));
  step.input = read_content(st, 16, (encodings & kInputBytes) != 0);
  step.output = read_content(st, 17, (encodings & kOutputBytes) != 0);
  return row;
}

void insert_step(Statement& st, const StepKey& key, const Step& step, WorkerKey worker, const IdCodec& ids) {
  const std::string policy = policy_to_text(step.policy);
  const std::string error = step.error ? error_to_text(*step.error) : std::string();
  st.bind(1, key.run).bind(2, key.place).bind_text(3, step.name);
  st.bind(4, static_cast<std::int64_t>(step.kind)).bind(5, static_cast<std::int64_t>(step.state));
  st.bind(6, std::int64_t{step.attempt}).bind(7, encodings_of(step)).bind(8, to_ms(step.begun_at));
  st.bind_optional(9, to_ms(step.finished_at));
  st.bind_optional(10, to_ms(step.until));
  worker != 0 ? st.bind(11, worker) : st.bind_null(11);
  st.bind(12, static_cast<std::int64_t>(to_number(step.fence))).bind_optional(13, child_key(step, ids));
  st.bind_text_or_null(14, step.signal).bind_text_or_null(15, policy).bind_text_or_null(16, error);
  bind_content(st, 17, step.input);
  bind_content(st, 18, step.output);
  st.run();
}

void update_step(Statement& st, const StepKey& key, const Step& step, const IdCodec& ids) {
  const std::string error = step.error ? error_to_text(*step.error) : std::string();
  st.bind(1, key.run).bind(2, key.place).bind(3, static_cast<std::int64_t>(step.kind));
  st.bind(4, static_cast<std::int64_t>(step.state)).bind(5, encodings_of(step));
  st.bind_optional(6, to_ms(step.finished_at));
  st.bind_optional(7, to_ms(step.until));
  st.bind_optional(8, child_key(step, ids)).bind_text_or_null(9, step.signal).bind_text_or_null(10, error);
  bind_content(st, 11, step.output);
  st.run();
}

}  // namespace muster::store::sqlite
