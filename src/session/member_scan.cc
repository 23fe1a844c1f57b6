#include "session/member_scan.h"

#include <charconv>

#include "base/json_reader.h"
#include "session/wire_text.h"

namespace muster::session {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool ends_scalar(char c) { return c == ',' || c == '}' || c == ']' || is_blank(c); }

// Where the string that begins at `from` ends, behind its quote; npos: it does not.
std::size_t string_end(std::string_view text, std::size_t from) {
  for (std::size_t at = from + 1; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') ++at;
  }
  return std::string_view::npos;
}

}  // namespace

MemberScan::MemberScan(std::string_view object) : text_(object) {
  skip_blanks();
  if (!take('{')) state_ = State::failed;
}

std::optional<Member> MemberScan::next() {
  if (state_ == State::complete || state_ == State::failed) return std::nullopt;
  skip_blanks();
  if (take('}')) return finish();
  if (state_ == State::more) {
    if (!take(',')) return fail();
    skip_blanks();
  }
  Member member;
  member.name = take_string();
  skip_blanks();
  if (member.name.empty() || !take(':')) return fail();
  skip_blanks();
  member.value = take_value();
  if (member.value.empty()) return fail();
  state_ = State::more;
  return member;
}

std::optional<Member> MemberScan::fail() {
  state_ = State::failed;
  return std::nullopt;
}

std::optional<Member> MemberScan::finish() {
  skip_blanks();
  state_ = at_ == text_.size() ? State::complete : State::failed;
  return std::nullopt;
}

void MemberScan::skip_blanks() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
}

bool MemberScan::take(char c) {
  if (at_ == text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

std::string_view MemberScan::take_string() {
  if (at_ == text_.size() || text_[at_] != '"') return {};
  const std::size_t end = string_end(text_, at_);
  if (end == std::string_view::npos) return {};
  const std::string_view string = text_.substr(at_, end - at_);
  at_ = end;
  return string;
}

// An object or array, by counting brackets. That they match in kind is left to its reader.
std::string_view MemberScan::take_nested() {
  std::size_t depth = 0;
  for (std::size_t at = at_; at < text_.size(); ++at) {
    const char c = text_[at];
    if (c == '"') {
      at = string_end(text_, at);
      if (at == std::string_view::npos) return {};
      --at;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      const std::string_view nested = text_.substr(at_, at + 1 - at_);
      at_ = at + 1;
      return nested;
    }
  }
  return {};
}

std::string_view MemberScan::take_value() {
  if (at_ == text_.size()) return {};
  if (text_[at_] == '"') return take_string();
  if (text_[at_] == '{' || text_[at_] == '[') return take_nested();
  const std::size_t begin = at_;
  while (at_ < text_.size() && !ends_scalar(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

std::optional<std::string> text_value(std::string_view value) {
  if (value.size() < 2 || value.front() != '"') return std::nullopt;
  const std::string_view inside = value.substr(1, value.size() - 2);
  if (is_plain(inside)) return std::string(inside);
  const std::optional<json::Tree> tree = json::parse(value);
  if (!tree || !tree->is_string()) return std::nullopt;
  return tree->get<std::string>();
}

std::optional<std::uint64_t> natural_value(std::string_view value) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool has_leading_zero = value.size() > 1 && value.front() == '0';
  if (error != std::errc() || end != value.data() + value.size() || has_leading_zero) return std::nullopt;
  return number;
}

}  // namespace muster::session
