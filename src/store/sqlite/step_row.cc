#include "store/sqlite/step_row.h"

#include "store/codec/spec_text.h"

namespace muster::store::sqlite {
namespace {

// Bits of steps.encodings.
constexpr std::int64_t kInputBytes = 1;
constexpr std::int64_t kOutputBytes = 2;

std::optional<Content> content(const Statement& st, int column, bool bytes) {
  if (st.is_null(column)) return std::nullopt;
  return Content{st.text(column), bytes ? Encoding::bytes : Encoding::json};
}

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
  row.key = {st.integer(0), st.integer(1)};
  Step& step = row.step;
  step.name = st.text(2);
  step.kind = static_cast<StepKind>(st.integer(3));
  step.state = static_cast<StepState>(st.integer(4));
  step.attempt = static_cast<std::uint32_t>(st.integer(5));
  const std::int64_t encodings = st.integer(6);
  step.begun_at = from_ms(st.integer(7));
  step.finished_at = from_ms(st.optional_integer(8));
  step.until = from_ms(st.optional_integer(9));
  row.worker = st.integer(10);
  step.fence = Fence{static_cast<std::uint64_t>(st.integer(11))};
  if (const auto child = st.optional_integer(12)) step.child = ids.encode(*child);
  step.signal = st.text(13);
  step.policy = policy_from_text(st.view(14));
  if (!st.is_null(15)) step.error = error_from_text(st.view(15));
  step.input = content(st, 16, (encodings & kInputBytes) != 0);
  step.output = content(st, 17, (encodings & kOutputBytes) != 0);
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
