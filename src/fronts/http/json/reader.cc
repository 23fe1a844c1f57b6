#include "fronts/http/json/reader.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/json_depth.h"
#include "base/utf8.h"
#include "fronts/http/json/text.h"

namespace muster::http {

std::string_view to_string(JsonKind kind) {
  switch (kind) {
    case JsonKind::object: return "an object";
    case JsonKind::array: return "an array";
    case JsonKind::string: return "a string";
    case JsonKind::number: return "a number";
    case JsonKind::boolean: return "a boolean";
    case JsonKind::null: return "null";
    case JsonKind::nothing: return "nothing";
  }
  unreachable();
}

std::string JsonReader::path() const {
  std::string out;
  for (const Step& step : path_) {
    if (step.name.empty())
      fmt::format_to(std::back_inserter(out), "[{}]", step.index);
    else
      out.append(out.empty() ? "" : ".").append(step.name);
  }
  return out;
}

void JsonReader::refuse(std::string_view message) {
  if (!ok()) return;
  const std::string where = path();
  status_ = Status::invalid_argument(where.empty() ? std::string(message) : fmt::format("field \"{}\": {}", where, message));
  at_ = text_.size();
}

void JsonReader::bad_syntax(std::string_view expected) {
  if (!ok()) return;
  const std::string found = at_ < text_.size() ? fmt::format("found {}", quoted_char(text_[at_])) : std::string("the text ends");
  status_ = Status::invalid_argument(fmt::format("the body is not valid JSON: at byte {} {}, expected {}", at_, found, expected));
  at_ = text_.size();
}

void JsonReader::wrong_kind(std::string_view accepted) {
  const JsonKind found = peek();
  if (found == JsonKind::nothing) return bad_syntax(accepted);
  refuse(fmt::format("{} is accepted, found {}", accepted, to_string(found)));
}

void JsonReader::skip_space() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
}

bool JsonReader::take(char c) {
  if (at_ >= text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

void JsonReader::finish() {
  if (!ok()) return;
  skip_space();
  if (at_ < text_.size()) bad_syntax("the end of the text");
}

JsonKind JsonReader::peek() {
  skip_space();
  if (!ok() || at_ >= text_.size()) return JsonKind::nothing;
  switch (text_[at_]) {
    case '{': return JsonKind::object;
    case '[': return JsonKind::array;
    case '"': return JsonKind::string;
    case 't':
    case 'f': return JsonKind::boolean;
    case 'n': return JsonKind::null;
    case '-': return JsonKind::number;
    default: return text_[at_] >= '0' && text_[at_] <= '9' ? JsonKind::number : JsonKind::nothing;
  }
}

bool JsonReader::begin(JsonKind kind, std::string_view accepted) {
  if (!ok()) return false;
  if (peek() != kind) {
    wrong_kind(accepted);
    return false;
  }
  if (!check_depth(depth_)) return false;
  ++at_;
  ++depth_;
  fresh_ = true;
  return true;
}

bool JsonReader::enter_object() { return begin(JsonKind::object, "an object"); }
bool JsonReader::enter_array() { return begin(JsonKind::array, "an array"); }

bool JsonReader::next_element() {
  if (!ok()) return false;
  skip_space();
  const bool first = std::exchange(fresh_, false);
  if (take(']')) {
    --depth_;
    return false;
  }
  if (!first && !take(',')) {
    bad_syntax("',' or ']'");
    return false;
  }
  return true;
}

bool JsonReader::next_member(std::string& key) {
  if (!ok()) return false;
  skip_space();
  const bool first = std::exchange(fresh_, false);
  if (take('}')) {
    --depth_;
    return false;
  }
  if (!first && !take(',')) {
    bad_syntax("',' or '}'");
    return false;
  }
  skip_space();
  const std::size_t start = at_;
  if (!check_string()) {
    bad_syntax("a member's name in double quotes");
    return false;
  }
  key = unescape(text_.substr(start + 1, at_ - start - 2));
  skip_space();
  if (!take(':')) bad_syntax("':'");
  return ok();
}

std::string JsonReader::read_string() {
  if (!ok()) return {};
  if (peek() != JsonKind::string) {
    wrong_kind("a string");
    return {};
  }
  const std::size_t start = at_;
  if (!check_string()) {
    bad_syntax("a string of valid UTF-8 without raw control characters");
    return {};
  }
  return unescape(text_.substr(start + 1, at_ - start - 2));
}

bool JsonReader::read_bool() {
  if (!ok()) return false;
  if (peek() != JsonKind::boolean) {
    wrong_kind("true or false");
    return false;
  }
  const bool value = text_[at_] == 't';
  if (!check_word(value ? "true" : "false")) bad_syntax("true or false");
  return value && ok();
}

bool JsonReader::read_null() {
  if (!ok() || peek() != JsonKind::null) return false;
  if (!check_word("null")) bad_syntax("a value");
  return ok();
}

std::string_view JsonReader::number_text(std::string_view accepted) {
  if (!ok()) return {};
  if (peek() != JsonKind::number) {
    wrong_kind(accepted);
    return {};
  }
  const std::size_t start = at_;
  if (!check_number()) {
    bad_syntax("a number");
    return {};
  }
  return text_.substr(start, at_ - start);
}

double JsonReader::read_double() {
  const std::string_view digits = number_text("a number");
  if (!ok()) return 0;
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || !std::isfinite(value)) refuse(fmt::format("{} is outside the range of a double", digits));
  return ok() ? value : 0;
}

std::int64_t JsonReader::read_integer(std::int64_t least, std::int64_t most) {
  const std::string_view digits = number_text("an integer");
  if (!ok()) return 0;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && end != digits.data() + digits.size())
    refuse(fmt::format("an integer is accepted, found {}", digits));
  else if (error != std::errc() || value < least || value > most)
    refuse(fmt::format("{} is out of range; {} to {} is accepted", digits, least, most));
  return ok() ? value : 0;
}

std::uint64_t JsonReader::read_unsigned(std::uint64_t most) {
  const std::string_view digits = number_text("an integer");
  if (!ok()) return 0;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && end != digits.data() + digits.size())
    refuse(fmt::format("an integer is accepted, found {}", digits));
  else if (error != std::errc() || value > most)
    refuse(fmt::format("{} is out of range; 0 to {} is accepted", digits, most));
  return ok() ? value : 0;
}

std::string_view JsonReader::read_raw() {
  if (!ok()) return {};
  skip_space();
  const std::size_t start = at_;
  if (!check_value(depth_)) {
    bad_syntax("a value");
    return {};
  }
  return text_.substr(start, at_ - start);
}

// The check_ functions stop at the byte they cannot accept and leave the message to their caller.

bool JsonReader::check_depth(std::size_t depth) {
  if (depth == muster::json::kDepthMax) refuse(fmt::format("values are nested deeper than {} levels", muster::json::kDepthMax));
  return ok();
}

bool JsonReader::check_value(std::size_t depth) {
  switch (peek()) {
    case JsonKind::object: return check_depth(depth) && check_members(depth + 1);
    case JsonKind::array: return check_depth(depth) && check_elements(depth + 1);
    case JsonKind::string: return check_string();
    case JsonKind::number: return check_number();
    case JsonKind::boolean: return check_word(text_[at_] == 't' ? "true" : "false");
    case JsonKind::null: return check_word("null");
    case JsonKind::nothing: return false;
  }
  unreachable();
}

bool JsonReader::check_members(std::size_t depth) {
  ++at_;
  skip_space();
  if (take('}')) return true;
  for (;;) {
    skip_space();
    if (!check_string()) return false;
    skip_space();
    if (!take(':') || !check_value(depth)) return false;
    skip_space();
    if (take('}')) return true;
    if (!take(',')) return false;
  }
}

bool JsonReader::check_elements(std::size_t depth) {
  ++at_;
  skip_space();
  if (take(']')) return true;
  for (;;) {
    if (!check_value(depth)) return false;
    skip_space();
    if (take(']')) return true;
    if (!take(',')) return false;
  }
}

bool JsonReader::check_string() {
  if (!take('"')) return false;
  while (at_ < text_.size()) {
    const auto byte = static_cast<unsigned char>(text_[at_]);
    if (byte == '"') {
      ++at_;
      return true;
    }
    if (byte == '\\') {
      if (!check_escape()) return false;
    } else if (byte < 0x20) {
      return false;
    } else if (byte < 0x80) {
      ++at_;
    } else {
      const std::size_t length = utf8_length(text_.substr(at_));
      if (length == 0) return false;
      at_ += length;
    }
  }
  return false;
}

bool JsonReader::check_escape() {
  const std::size_t length = escape_length(text_.substr(at_));
  at_ += length;
  return length != 0;
}

bool JsonReader::check_digits() {
  const std::size_t start = at_;
  while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
  return at_ > start;
}

bool JsonReader::check_number() {
  take('-');
  if (!take('0') && !check_digits()) return false;
  if (take('.') && !check_digits()) return false;
  if (take('e') || take('E')) {
    if (!take('+')) take('-');
    if (!check_digits()) return false;
  }
  return true;
}

bool JsonReader::check_word(std::string_view word) {
  if (!text_.substr(at_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

}  // namespace muster::http
