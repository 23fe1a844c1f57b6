#include "store/postgres/step_rows.h"

#include "store/codec/spec_text.h"
#include "store/postgres/node.h"

namespace muster::store::postgres {
namespace {

const Sql kStepsPut{"steps_put"};
const Sql kStepsChange{"steps_change"};

// Bits of the flags column.
constexpr std::uint16_t kInputBytes = 1;
constexpr std::uint16_t kOutputBytes = 2;

void add_text(Column& column, const std::string& text) { text.empty() ? column.add_null() : column.add(std::string_view(text)); }
void add_content(Column& column, const std::optional<Content>& content) {
  content ? column.add(std::string_view(content->data)) : column.add_null();
}
std::int64_t flags_of(const Step& step) {
  std::uint16_t flags = 0;
  if (step.input && step.input->encoding == Encoding::bytes) flags |= kInputBytes;
  if (step.output && step.output->encoding == Encoding::bytes) flags |= kOutputBytes;
  return flags;
}

}  // namespace

StepKey step_key(const Rows& rows, std::size_t row) { return {rows.integer(row, 0), rows.integer(row, 1)}; }

Step read_bare_step(const Rows& rows, std::size_t row) {
  Step step;
  const auto flags = static_cast<std::uint16_t>(rows.integer(row, 5));
  const auto content = [&](int column, std::uint16_t bytes) -> std::optional<Content> {
    if (rows.null(row, column)) return std::nullopt;
    return Content{rows.text(row, column), (flags & bytes) != 0 ? Encoding::bytes : Encoding::json};
  };
  step.attempt = static_cast<std::uint32_t>(rows.integer(row, 2));
  step.kind = static_cast<StepKind>(rows.integer(row, 3));
  step.state = static_cast<StepState>(rows.integer(row, 4));
  step.begun_at = from_ms(rows.integer(row, 6));
  step.finished_at = from_ms(rows.maybe(row, 7));
  step.until = from_ms(rows.maybe(row, 8));
  step.fence = Fence{static_cast<std::uint64_t>(rows.integer(row, 9))};
  step.worker = WorkerId(rows.text(row, 11));
  step.name = rows.text(row, 12);
  step.signal = rows.text(row, 13);
  if (!rows.null(row, 14)) step.policy = policy_from_text(rows.view(row, 14));
  if (!rows.null(row, 15)) step.error = error_from_text(rows.view(row, 15));
  step.input = content(16, kInputBytes);
  step.output = content(17, kOutputBytes);
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

void StepWrites::Columns::add(const StepKey& key, const Step& step, std::optional<JobKey> child_key) {
  job.add(key.run);
  place.add(key.place);
  kind.add(static_cast<std::int64_t>(step.kind));
  state.add(static_cast<std::int64_t>(step.state));
  flags.add(flags_of(step));
  finished_at.add(to_ms(step.finished_at));
  until.add(to_ms(step.until));
  child.add(child_key);
  signal.add(std::string_view(step.signal));
  add_text(error, step.error ? error_to_text(*step.error) : std::string());
  add_content(output, step.output);
}

void StepWrites::put(const StepKey& key, const Step& step, std::optional<JobKey> child) {
  put_.add(key, step, child);
  attempt_.add(std::int64_t{step.attempt});
  begun_at_.add(to_ms(step.begun_at));
  fence_.add(static_cast<std::int64_t>(to_number(step.fence)));
  worker_.add(std::string_view(step.worker.text()));
  name_.add(std::string_view(step.name));
  add_text(policy_, policy_to_text(step.policy));
  add_content(input_, step.input);
}

void StepWrites::change(const StepKey& key, const Step& step, std::optional<JobKey> child) { changed_.add(key, step, child); }

void StepWrites::write(Tx& tx) {
  if (put_.job.size() > 0) {
    Params params;
    for (Column* column :
         {&put_.job, &put_.place, &attempt_, &put_.kind, &put_.state, &put_.flags, &begun_at_, &put_.finished_at, &put_.until,
          &fence_, &put_.child, &worker_, &name_, &put_.signal, &policy_, &put_.error, &input_, &put_.output})
      params.array(std::move(*column));
    tx.write(kStepsPut, std::move(params));
  }
  if (changed_.job.size() > 0) {
    Params params;
    for (Column* column :
         {&changed_.job, &changed_.place, &changed_.kind, &changed_.state, &changed_.flags, &changed_.finished_at,
          &changed_.until, &changed_.child, &changed_.signal, &changed_.error, &changed_.output})
      params.array(std::move(*column));
    tx.write(kStepsChange, std::move(params));
  }
}

}  // namespace muster::store::postgres
