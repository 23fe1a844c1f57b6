#include "fronts/http/codec/parameters.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace muster::http {

void read_parameter(QueryReader& in, const ParameterText& text, std::string& out) {
  if (auto given_text = in.text(text.name)) out = *std::move(given_text);
}
void read_parameter(QueryReader& in, const ParameterText& text, bool& out) { out = in.flag(text.name); }
void read_parameter(QueryReader& in, const ParameterText& text, std::optional<Instant>& out) { out = in.instant(text.name); }

void read_parameter(QueryReader& in, const ParameterText& text, std::optional<bool>& out) {
  const auto word = in.text(text.name);
  if (!word) return;
  if (*word != "true" && *word != "false") in.refuse(text.name, fmt::format("\"{}\" is not accepted; true or false is", *word));
  out = *word == "true";
}

void read_parameter(QueryReader& in, const ParameterText& text, std::uint64_t& out) {
  const auto most = static_cast<std::uint64_t>(text.range.most);
  out = in.number(text.name, most).value_or(out);
  if (out == 0 && text.range.least > 0) in.refuse(text.name, fmt::format("0 is not accepted; 1 to {} is", most));
}

void read_parameter(QueryReader& in, const ParameterText& text, std::optional<SessionId>& out) {
  if (const auto session = in.number(text.name, std::numeric_limits<std::uint64_t>::max())) out = SessionId{*session};
}

void read_parameter(QueryReader& in, const ParameterText& text, Labels& out) {
  for (const std::string& pair : in.texts(text.name)) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0)
      in.refuse(text.name, fmt::format("\"{}\" is not of the form key=value", pair));
    else if (!out.emplace(pair.substr(0, equals), pair.substr(equals + 1)).second)
      in.refuse(text.name, fmt::format("the key \"{}\" is given twice", pair.substr(0, equals)));
  }
}

bool read_newest_first(QueryReader& in, std::string_view default_order) {
  const std::string order = in.text("order").value_or(std::string(default_order));
  if (order != "newest" && order != "oldest")
    in.refuse("order", fmt::format("\"{}\" is not accepted; newest or oldest is", order));
  return order != "oldest";
}

void read_parameter(QueryReader& in, const ParameterText&, store::Order& out) {
  out = read_newest_first(in, "newest") ? store::Order::newest_first : store::Order::oldest_first;
}

std::vector<std::size_t> read_parameter_words(QueryReader& in, std::string_view name, std::string_view what,
                                              std::span<const std::string_view> words) {
  std::vector<std::size_t> places;
  for (const std::string& word : in.words(name)) {
    const auto found = std::find(words.begin(), words.end(), word);
    if (found != words.end())
      places.push_back(static_cast<std::size_t>(found - words.begin()));
    else
      in.refuse(name, fmt::format("\"{}\" is not a {}; {} or {} is accepted", word, what,
                                  fmt::join(words.first(words.size() - 1), ", "), words.back()));
  }
  return places;
}

}  // namespace muster::http
