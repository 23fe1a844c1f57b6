#include "store/named_statements.h"

#include <algorithm>

#include "base/check.h"
#include "model/job_state.h"
#include "model/rank.h"
#include "model/run.h"
#include "model/worker.h"
#include "store/keys.h"

namespace muster::store {
namespace {

constexpr std::string_view kStatementMark = "-- name: ";
constexpr std::string_view kPartMark = "-- part: ";
constexpr std::string_view kPartPrefix = "part.";  // of its name in a statement

struct Piece {
  std::string_view name;
  std::string_view text;
  bool is_part = false;
};

bool is_mark(std::string_view text) { return text.starts_with(kStatementMark) || text.starts_with(kPartMark); }

// Where the next line that names a piece begins.
std::size_t next_mark(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find('\n', from); at != std::string_view::npos; at = text.find('\n', at + 1))
    if (is_mark(text.substr(at + 1))) return at + 1;
  return text.size();
}

template <class Enum>
constexpr NamedNumber number(std::string_view name, Enum value) {
  return {name, static_cast<std::int64_t>(value)};
}

constexpr NamedNumber kSharedNumbers[] = {
    number("state.scheduled", JobState::scheduled),
    number("state.ready", JobState::ready),
    number("state.running", JobState::running),
    number("state.completed", JobState::completed),
    number("state.dead", JobState::dead),
    number("event.enqueued", JobEvent::enqueued),
    number("event.due", JobEvent::due),
    number("event.claimed", JobEvent::claimed),
    number("event.completed", JobEvent::completed),
    number("worker.online", WorkerState::online),
    number("worker.draining", WorkerState::draining),
    number("worker.offline", WorkerState::offline),
    number("drain.itself", DrainOrigin::itself),
    number("kind.sleep", StepKind::sleep),
    number("step.running", StepState::running),
    number("step.waiting", StepState::waiting),
    number("step.failed", StepState::failed),
    number("type.text", KeyType::text),
    // Behind the spaces that can be named: keys whose contents are still to be removed.
    {"space.leaving", static_cast<std::int64_t>(KeySpace::internal) + 1},
    // How the jobs of an action are counted, as the first migrations number it.
    {"outcome.completed", 2},
    {"outcome.failed", 3},
    {"outcome.dead", 4},
    {"outcome.cancelled", 5},
    {"rank.per_point", kAgeingPerPoint.count()},
};
// Statements say `state < {state.completed}` for jobs that live, and `state < {worker.offline}` for workers that do.
static_assert(JobState::running < JobState::completed && JobState::completed < JobState::dead);
static_assert(WorkerState::online < WorkerState::offline && WorkerState::draining < WorkerState::offline);

bool is_name(std::string_view text) {
  return text.find('.') != std::string_view::npos &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_.") == std::string_view::npos;
}

std::int64_t number_of(std::string_view name, std::span<const NamedNumber> own) {
  for (const std::span<const NamedNumber> list : {own, std::span<const NamedNumber>(kSharedNumbers)})
    if (const auto found = std::ranges::find(list, name, &NamedNumber::name); found != list.end()) return found->value;
  fail_check(name, __FILE__, __LINE__);
}

std::string_view without_newlines_at_end(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

std::vector<Piece> pieces_of(std::span<const embedded::File> files) {
  std::vector<Piece> out;
  for (const embedded::File& file : files) {
    check(is_mark(file.text), file.name);
    for (std::size_t begin = 0; begin < file.text.size();) {
      const std::size_t end = next_mark(file.text, begin);
      const std::string_view piece = file.text.substr(begin, end - begin);
      const std::size_t line = piece.find('\n');
      check(line != std::string_view::npos, piece);
      out.push_back({.name = piece.substr(kPartMark.size(), line - kPartMark.size()),
                     .text = without_newlines_at_end(piece.substr(line + 1)),
                     .is_part = piece.starts_with(kPartMark)});
      begin = end;
    }
  }
  return out;
}
static_assert(kPartMark.size() == kStatementMark.size());

// What stands for the names in statements.
struct Names {
  std::span<const Piece> pieces;
  std::span<const NamedNumber> numbers;
};

std::string spelled_out(std::string_view text, const Names& names);

std::string meaning_of(std::string_view name, const Names& names) {
  if (!name.starts_with(kPartPrefix)) return std::to_string(number_of(name, names.numbers));
  const std::string_view part = name.substr(kPartPrefix.size());
  const auto found = std::ranges::find_if(names.pieces, [part](const Piece& one) { return one.is_part && one.name == part; });
  if (found == names.pieces.end()) fail_check(name, __FILE__, __LINE__);
  return spelled_out(found->text, names);
}

std::string spelled_out(std::string_view text, const Names& names) {
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t open = text.find('{', at);
    out.append(text.substr(at, open - at));
    if (open == std::string_view::npos) return out;
    const std::size_t close = text.find('}', open);
    const std::string_view name = text.substr(open + 1, close == std::string_view::npos ? 0 : close - open - 1);
    if (is_name(name)) {
      out.append(meaning_of(name, names));
      at = close + 1;
    } else {
      out.push_back('{');
      at = open + 1;
    }
  }
}

void check_distinct(std::vector<std::string_view> names) {
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end()) fail_check(*twice, __FILE__, __LINE__);
}

}  // namespace

std::vector<NamedStatement> named_statements(std::span<const embedded::File> files, std::span<const NamedNumber> own) {
  const std::vector<Piece> pieces = pieces_of(files);
  const Names names{.pieces = pieces, .numbers = own};
  std::vector<NamedStatement> out;
  std::vector<std::string_view> parts, statements;
  for (const Piece& piece : pieces) {
    (piece.is_part ? parts : statements).push_back(piece.name);
    if (!piece.is_part) out.push_back({piece.name, spelled_out(piece.text, names)});
  }
  check_distinct(std::move(parts));
  check_distinct(std::move(statements));
  std::ranges::sort(out, {}, &NamedStatement::name);
  return out;
}

std::size_t statement_index(std::span<const NamedStatement> sorted, std::string_view name) {
  const auto at = std::ranges::lower_bound(sorted, name, {}, &NamedStatement::name);
  if (at == sorted.end() || at->name != name) fail_check(name, __FILE__, __LINE__);
  return static_cast<std::size_t>(at - sorted.begin());
}

}  // namespace muster::store
