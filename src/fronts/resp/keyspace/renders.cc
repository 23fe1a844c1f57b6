#include "fronts/resp/keyspace/renders.h"

#include <fmt/format.h>

#include "fronts/resp/core.h"
#include "fronts/resp/wire/writer.h"

namespace muster::resp::keyspace {
namespace {

using store::KeyAnswer;
using Kind = KeyAnswer::Kind;

constexpr std::string_view kWrongTypeWord = "WRONGTYPE ";

void refuse(std::string& out, const std::string& why) {
  if (why.starts_with(kWrongTypeWord))
    wire::error_as_is(out, why);
  else
    wire::error(out, why);
}

void write(std::string& out, const KeyAnswer& answer, Protocol protocol) {
  switch (answer.kind) {
    case Kind::nothing: return wire::null(out, protocol);
    case Kind::done: return wire::simple(out, "OK");
    case Kind::number: return wire::integer(out, answer.number);
    case Kind::real: return wire::real(out, answer.real, protocol);
    case Kind::text: return wire::bulk(out, answer.text);
    case Kind::refused: return refuse(out, answer.text);
    case Kind::list: break;
  }
  wire::array(out, answer.list.size());
  for (const KeyAnswer& element : answer.list) write(out, element, protocol);
}

// Answers that are not of the kind a form is about (refusals, mostly) look as they always do.
bool is(const Answered& a, Kind kind) {
  if (a.answer.kind == kind) return true;
  write(a.out, a.answer, a.call.protocol());
  return false;
}

void write_page(const Answered& a, bool scores_as_text) {
  if (!is(a, Kind::list) || a.answer.list.empty()) return;
  const std::string& next = a.answer.list.front().text;
  const std::uint64_t cursor = next.empty() ? 0 : a.call.core().cursors.add({.in_views = false, .after = next});
  wire::array(a.out, 2);
  wire::bulk(a.out, fmt::format("{}", cursor));
  wire::array(a.out, a.answer.list.size() - 1);
  for (std::size_t i = 1; i < a.answer.list.size(); ++i) {
    const KeyAnswer& element = a.answer.list[i];
    if (scores_as_text && element.kind == Kind::real)
      wire::bulk(a.out, wire::format_real(element.real));
    else
      write(a.out, element, a.call.protocol());
  }
}

}  // namespace

void render_plain(Answered a) { write(a.out, a.answer, a.call.protocol()); }

void render_map(Answered a) {
  if (!is(a, Kind::list)) return;
  wire::map(a.out, a.answer.list.size() / 2, a.call.protocol());
  for (const KeyAnswer& element : a.answer.list) write(a.out, element, a.call.protocol());
}

void render_set(Answered a) {
  if (!is(a, Kind::list)) return;
  wire::set(a.out, a.answer.list.size(), a.call.protocol());
  for (const KeyAnswer& element : a.answer.list) write(a.out, element, a.call.protocol());
}

void render_scored(Answered a) {
  if (a.call.protocol() == Protocol::resp2) return render_plain(a);
  if (!is(a, Kind::list)) return;
  wire::array(a.out, a.answer.list.size() / 2);
  for (std::size_t i = 0; i + 1 < a.answer.list.size(); i += 2) {
    wire::array(a.out, 2);
    write(a.out, a.answer.list[i], a.call.protocol());
    write(a.out, a.answer.list[i + 1], a.call.protocol());
  }
}

void render_list(Answered a) {
  if (a.answer.kind == Kind::nothing) return wire::null_array(a.out, a.call.protocol());
  render_plain(a);
}

void render_flag(Answered a) {
  if (a.answer.kind == Kind::refused) return render_plain(a);
  wire::integer(a.out, a.answer.kind == Kind::done ? 1 : 0);
}

void render_type(Answered a) {
  if (a.answer.kind == Kind::refused) return render_plain(a);
  wire::simple(a.out, a.answer.kind == Kind::text ? a.answer.text : "none");
}

void render_seconds(Answered a) {
  constexpr std::int64_t kSecond = 1'000;
  if (!is(a, Kind::number)) return;
  const std::int64_t left = a.answer.number;
  wire::integer(a.out, left < 0 ? left : left / kSecond + (left % kSecond >= kSecond / 2 ? 1 : 0));
}

void render_seconds_at(Answered a) {
  constexpr std::int64_t kSecond = 1'000;
  if (!is(a, Kind::number)) return;
  wire::integer(a.out, a.answer.number < 0 ? a.answer.number : a.answer.number / kSecond);
}

void render_length(Answered a) {
  if (a.answer.kind == Kind::refused) return render_plain(a);
  wire::integer(a.out, static_cast<std::int64_t>(a.answer.text.size()));
}

void render_popped(Answered a) {
  const auto* pop = std::get_if<store::key::Pop>(&a.request.command);
  const bool pair = a.call.client().pairs || a.call.protocol() == Protocol::resp3 || (pop != nullptr && pop->keys.size() > 1);
  if (pair) return render_list(a);
  if (a.answer.kind == Kind::list && a.answer.list.size() == 2) return write(a.out, a.answer.list[1], a.call.protocol());
  render_plain(a);
}

void render_position(Answered a) {
  if (!a.request.position || !is(a, Kind::list)) return;
  const PositionQuery& query = *a.request.position;
  const auto size = static_cast<std::int64_t>(a.answer.list.size());
  const bool backwards = query.rank < 0;
  std::int64_t to_skip = backwards ? -(query.rank + 1) : query.rank - 1;
  const std::int64_t wanted = query.count.value_or(1);
  std::vector<std::int64_t> found;
  for (std::int64_t step = 0; step < size && (query.compared_max == 0 || step < query.compared_max); ++step) {
    const std::int64_t index = backwards ? size - 1 - step : step;
    if (a.answer.list[static_cast<std::size_t>(index)].text != query.value) continue;
    if (to_skip-- > 0) continue;
    found.push_back(index);
    if (wanted > 0 && static_cast<std::int64_t>(found.size()) == wanted) break;
  }
  if (!query.count) return found.empty() ? wire::null(a.out, a.call.protocol()) : wire::integer(a.out, found.front());
  wire::array(a.out, found.size());
  for (const std::int64_t index : found) wire::integer(a.out, index);
}

void render_page(Answered a) { write_page(a, false); }
void render_scored_page(Answered a) { write_page(a, true); }

std::string reply_to(Call& call, const Request& request, store::KeyAnswer answer) {
  std::string out;
  out.reserve(answer.text.size() + 24);
  request.render({out, answer, request, call});
  return out;
}

}  // namespace muster::resp::keyspace
