// The attempts of a run at its steps, in the order in which they began.
#include <charconv>

#include "store/postgres/moves.h"
#include "store/postgres/step_rows.h"
#include "store/postgres/verbs/verbs.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

const Sql kStepsPage{"steps_page"};
const Sql kStepRead{"step_read"};

Result<StepPage> read_one(Tx& tx, const StepId& id) {
  const auto key = tx.step_ids().decode(id);
  const Rows rows = key ? tx.ask(kStepRead, Params().int8(key->run).int4(key->place)) : Rows();
  if (!key || rows.size() == 0) return refusal::no_step(id);
  StepPage page;
  page.steps.push_back(read_step(tx, rows, 0));
  return page;
}

// The place of the last one that was shown.
std::optional<std::int64_t> parse_cursor(const std::string& text) {
  std::int64_t place = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), place);
  if (error != std::errc() || end != text.data() + text.size() || place < 0 ||
      place > static_cast<std::int64_t>(limits::kStepsPerRunMax))
    return std::nullopt;
  return place;
}

}  // namespace

Result<StepPage> list_steps(Tx& tx, const StepQuery& query) {
  if (query.step) return read_one(tx, *query.step);
  std::int64_t after = 0;
  if (!query.cursor.empty()) {
    const auto place = parse_cursor(query.cursor);
    if (!place) return refusal::bad_cursor(query.cursor);
    after = *place;
  }
  StepPage page;
  const auto key = query.run ? tx.ids().decode(*query.run) : std::nullopt;
  if (!key) return page;
  Params params;
  params.int8(*key).int4(after);
  query.name.empty() ? params.null() : params.bytes(query.name);
  const Rows rows = tx.ask(kStepsPage, std::move(params.int8(static_cast<std::int64_t>(query.limit) + 1)));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool heavy = i > 0 && rows.integer(i, kStepColumns) > static_cast<std::int64_t>(limits::kPageBytesMax);
    if (heavy || page.steps.size() == query.limit) {
      page.next = std::to_string(rows.integer(i - 1, 1));
      break;
    }
    page.steps.push_back(read_step(tx, rows, i));
  }
  return page;
}

}  // namespace muster::store::postgres
