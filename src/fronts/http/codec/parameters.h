// The parameters of a query described once, as json/fields.h does it for bodies: the table reads them and is drawn in the
// document.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fronts/http/codec/values.h"
#include "fronts/http/target.h"

namespace muster::http {

struct ParameterText {
  std::string_view name;
  std::string_view doc;
  Draw draw = nullptr;
  Range range{};
  std::string_view in = "query";
};

template <class T>
struct Parameter {
  ParameterText text;
  void (*read)(QueryReader& in, const ParameterText& text, T& out);

  constexpr Parameter within(double least, double most) const {
    Parameter out = *this;
    out.text.range = {least, most, true};
    return out;
  }
  constexpr Parameter read_by(void (*how)(QueryReader&, const ParameterText&, T&)) const {
    Parameter out = *this;
    out.read = how;
    return out;
  }
};

// What is absent leaves `out` as it is.
void read_parameter(QueryReader& in, const ParameterText& text, std::string& out);
void read_parameter(QueryReader& in, const ParameterText& text, bool& out);
void read_parameter(QueryReader& in, const ParameterText& text, std::optional<bool>& out);
void read_parameter(QueryReader& in, const ParameterText& text, std::uint64_t& out);
void read_parameter(QueryReader& in, const ParameterText& text, std::optional<Instant>& out);
void read_parameter(QueryReader& in, const ParameterText& text, std::optional<SessionId>& out);
void read_parameter(QueryReader& in, const ParameterText& text, Labels& out);  // key=value, repeated
void read_parameter(QueryReader& in, const ParameterText& text, store::Order& out);
template <class Tag>
void read_parameter(QueryReader& in, const ParameterText& text, Id<Tag>& out) {
  if (auto given_text = in.text(text.name)) out = Id<Tag>(*std::move(given_text));
}
// The places of the words that were given; the others are refused as what they are not.
std::vector<std::size_t> read_parameter_words(QueryReader& in, std::string_view name, std::string_view what,
                                              std::span<const std::string_view> words);
template <Worded E>
void read_parameter(QueryReader& in, const ParameterText& text, std::vector<E>& out) {
  for (const std::size_t place : read_parameter_words(in, text.name, "state", kWords<E>)) out.push_back(static_cast<E>(place));
}
// `newest` or `oldest`, for requests that keep it as a flag.
bool read_newest_first(QueryReader& in, std::string_view default_order);

inline void draw_text_list(Schemas& out) { draw_value(out, Of<std::vector<std::string>>{}); }
template <auto... Path>
constexpr auto parameter(std::string_view name, std::string_view doc) {
  using T = Root<Path...>;
  Draw draw = draw_member<Path...>;
  if constexpr (std::is_same_v<Reached<Path...>, Labels>) draw = draw_text_list;
  return Parameter<T>{
      .text = {.name = name, .doc = doc, .draw = draw, .range = kUsualRange<Reached<Path...>>},
      .read = [](QueryReader& in, const ParameterText& text, T& out) { read_parameter(in, text, reach<Path...>(out)); }};
}

template <class T, std::size_t N>
void read_parameters(QueryReader& in, const std::array<Parameter<T>, N>& table, T& out) {
  for (const Parameter<T>& each : table) each.read(in, each.text, out);
}

// A whole query.
template <class T, std::size_t N>
Result<T> read_query(const std::vector<QueryParameter>& query, const std::array<Parameter<T>, N>& table, T initial = {}) {
  QueryReader in(query);
  read_parameters(in, table, initial);
  if (Status read = in.finish(); !read.ok()) return read;
  return initial;
}

inline constexpr std::string_view kLimitDoc = "100 by default.";
inline constexpr std::string_view kCursorDoc = "`next` of an earlier page.";
inline constexpr std::string_view kDefaultNamespaceDoc = "`default` when absent.";

}  // namespace muster::http
