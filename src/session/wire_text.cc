#include "session/wire_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "base/json_reader.h"
#include "base/json_text.h"

namespace muster::session {
namespace {

char* put_two(char* at, unsigned value) {
  *at++ = static_cast<char>('0' + value / 10);
  *at++ = static_cast<char>('0' + value % 10);
  return at;
}

char* put_three(char* at, unsigned value) {
  *at++ = static_cast<char>('0' + value / 100);
  return put_two(at, value % 100);
}

// Years have four digits; an instant outside them gets the nearest text there is.
constexpr Instant kFirst{std::chrono::sys_days(std::chrono::year(0) / 1 / 1)};
constexpr Instant kLast = Instant(std::chrono::sys_days(std::chrono::year(10'000) / 1 / 1)) - Duration(1);

char* put_seconds(char* text, Instant at) {
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const auto second = static_cast<unsigned>(std::chrono::floor<std::chrono::seconds>(at - day).count());
  const auto year = static_cast<unsigned>(static_cast<int>(date.year()));
  text = put_two(put_two(text, year / 100), year % 100);
  *text++ = '-';
  text = put_two(text, static_cast<unsigned>(date.month()));
  *text++ = '-';
  text = put_two(text, static_cast<unsigned>(date.day()));
  *text++ = 'T';
  text = put_two(text, second / 3600);
  *text++ = ':';
  text = put_two(text, second / 60 % 60);
  *text++ = ':';
  return put_two(text, second % 60);
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  if (!json::is_plain(text)) {
    out += json::dump(json::Tree(text));
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

void append_number(std::string& out, std::uint64_t number) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

void append_timestamp(std::string& out, Instant at) {
  at = std::clamp(at, kFirst, kLast);
  std::array<char, 40> text;
  char* end = put_seconds(text.data(), at);
  *end++ = '.';
  end = put_three(end, static_cast<unsigned>((at - std::chrono::floor<std::chrono::seconds>(at)).count()));
  out += '"';
  out.append(text.data(), end);
  out += "000+00:00\"";
}

void append_timestamp_seconds(std::string& out, Instant at) {
  std::array<char, 40> text;
  char* end = put_seconds(text.data(), std::clamp(at, kFirst, kLast));
  out += '"';
  out.append(text.data(), end);
  out += "+00:00\"";
}

}  // namespace muster::session
