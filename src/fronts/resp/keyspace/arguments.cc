#include "fronts/resp/keyspace/arguments.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/ascii.h"

namespace muster::resp::keyspace {
namespace {

template <class Number>
std::optional<Number> number(std::string_view text) {
  const bool plus = text.starts_with('+');
  if (plus) text.remove_prefix(1);
  if (plus && text.starts_with('-')) return std::nullopt;
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Status bad_arity(std::string_view name) { return bad(fmt::format("wrong number of arguments for '{}' command", lower(name))); }
Status bad_expiry(std::string_view name) { return bad(fmt::format("invalid expire time in '{}' command", lower(name))); }

std::optional<std::int64_t> integer(std::string_view text) { return number<std::int64_t>(text); }
std::optional<std::uint64_t> natural(std::string_view text) { return number<std::uint64_t>(text); }
std::optional<double> real(std::string_view text) { return number<double>(text); }

std::optional<Duration> seconds(std::string_view text) {
  constexpr double kLongest = 1e12;  // far beyond any wait, far within what Duration can count
  const auto value = real(text);
  if (!value || !(*value >= 0) || *value > kLongest) return std::nullopt;
  // A wait that is shorter than can be counted is still a wait: 0 would be one for ever.
  return Duration(static_cast<std::int64_t>(std::ceil(*value * 1'000)));
}

std::optional<store::ScoreBound> score_bound(std::string_view text) {
  const bool exclusive = text.starts_with('(');
  const auto score = real(exclusive ? text.substr(1) : text);
  if (!score) return std::nullopt;
  return store::ScoreBound{*score, exclusive};
}

std::optional<LexEnd> lex_end(std::string_view text) {
  if (text == "-") return LexEnd{LexEnd::Kind::lowest, {}};
  if (text == "+") return LexEnd{LexEnd::Kind::highest, {}};
  if (!text.starts_with('[') && !text.starts_with('(')) return std::nullopt;
  return LexEnd{LexEnd::Kind::member, {std::string(text.substr(1)), text.front() == '('}};
}

std::optional<store::LexRange> lex_range(const LexEnd& min, const LexEnd& max) {
  if (min.kind == LexEnd::Kind::highest || max.kind == LexEnd::Kind::lowest) return std::nullopt;
  store::LexRange range;
  if (min.kind == LexEnd::Kind::member) range.min = min.bound;
  if (max.kind == LexEnd::Kind::member) range.max = max.bound;
  return range;
}

}  // namespace muster::resp::keyspace
