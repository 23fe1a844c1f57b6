#include "base/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "base/json_depth.h"
#include "base/json_reader.h"
#include "base/utf8.h"

namespace muster::json {
namespace {

constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (unsigned c = 0x20; c < 0x7F; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

bool plain(char c) { return kPlain[static_cast<unsigned char>(c)]; }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool ends_scalar(char c) { return c == ',' || c == '}' || c == ']' || is_blank(c); }

// Where the string that begins at `from` ends, behind its quote; npos: it does not.
std::size_t string_end(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find('"', from + 1); at != std::string_view::npos; at = text.find('"', at + 1)) {
    std::size_t before = at;
    while (text[before - 1] == '\\') --before;  // ends at the string's first quote at the latest
    if ((at - before) % 2 == 0) return at + 1;
  }
  return std::string_view::npos;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// One pass over a text that leaves what is rare to parse(): surrogates, numbers that may be beyond a double.
class Skim {
 public:
  explicit Skim(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool whole() {
    skip_blanks();
    if (!value(0)) return false;
    skip_blanks();
    return at_ == end_;
  }

 private:
  // A double holds every number of so many characters and digits of exponent.
  static constexpr std::ptrdiff_t kNumberCharsMax = 200;
  static constexpr std::ptrdiff_t kExponentDigitsMax = 2;

  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view text) {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(text)) return false;
    at_ += text.size();
    return true;
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as kDepthMax.
  bool value(std::size_t depth) {
    if (at_ == end_) return false;
    switch (*at_) {
      case '{': return depth < kDepthMax && object(depth + 1);
      case '[': return depth < kDepthMax && array(depth + 1);
      case '"': return string();
      case 't': return word("true");
      case 'f': return word("false");
      case 'n': return word("null");
      default: return number();
    }
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as kDepthMax.
  bool object(std::size_t depth) {
    ++at_;
    skip_blanks();
    if (take('}')) return true;
    do {
      skip_blanks();
      if (at_ == end_ || *at_ != '"' || !string()) return false;
      skip_blanks();
      if (!take(':')) return false;
      skip_blanks();
      if (!value(depth)) return false;
      skip_blanks();
    } while (take(','));
    return take('}');
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as kDepthMax.
  bool array(std::size_t depth) {
    ++at_;
    skip_blanks();
    if (take(']')) return true;
    do {
      skip_blanks();
      if (!value(depth)) return false;
      skip_blanks();
    } while (take(','));
    return take(']');
  }

  bool string() {
    const char* const begin = ++at_;
    bool ascii = true;
    while (at_ != end_) {
      if (plain(*at_)) {
        ++at_;
      } else if (*at_ == '"') {
        const std::string_view inside(begin, static_cast<std::size_t>(at_++ - begin));
        return ascii || is_utf8(inside);
      } else if (*at_ == '\\') {
        if (!escape()) return false;
      } else {
        if (static_cast<unsigned char>(*at_) < 0x20) return false;
        ascii = false;
        ++at_;
      }
    }
    return false;
  }

  bool escape() {
    if (++at_ == end_) return false;
    const char kind = *at_++;
    if (kind != 'u') return std::string_view(R"("\/bfnrt)").find(kind) != std::string_view::npos;
    std::uint16_t unit = 0;
    if (end_ - at_ < 4) return false;
    const auto [last, error] = std::from_chars(at_, at_ + 4, unit, 16);
    if (error != std::errc() || last != at_ + 4 || (unit & 0xF800U) == 0xD800U) return false;
    at_ += 4;
    return true;
  }

  // How many there are.
  std::ptrdiff_t digits() {
    const char* const begin = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return at_ - begin;
  }

  bool number() {
    const char* const begin = at_;
    static_cast<void>(take('-'));
    const bool zero = at_ != end_ && *at_ == '0';
    const std::ptrdiff_t whole = digits();
    if (whole == 0 || (zero && whole > 1)) return false;
    if (take('.') && digits() == 0) return false;
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (!take('+')) static_cast<void>(take('-'));
      const std::ptrdiff_t exponent = digits();
      if (exponent == 0 || exponent > kExponentDigitsMax) return false;
    }
    return at_ - begin <= kNumberCharsMax;
  }

  const char* at_;
  const char* end_;
};

}  // namespace

bool is_plain(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101ULL;
  constexpr std::uint64_t kHighBits = kOnes << 7;
  // The lowest byte that is zero has its high bit set here; bytes below it have not.
  const auto zeros = [](std::uint64_t word) { return (word - kOnes) & ~word; };
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof word);
    // No ASCII, a control character, DEL, a quote or a backslash.
    const std::uint64_t odd =
        word | (word - kOnes * 0x20) | (word + kOnes) | zeros(word ^ (kOnes * '"')) | zeros(word ^ (kOnes * '\\'));
    if ((odd & kHighBits) != 0) return false;
  }
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), plain);
}

bool is_surely_json(std::string_view text) { return Skim(text).whole(); }

bool library_reads_past(std::string_view text) {
  return text.starts_with("\xEF\xBB\xBF") || text.find('\0') != std::string_view::npos;
}

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
  const std::optional<Tree> tree = parse(value);
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

}  // namespace muster::json
