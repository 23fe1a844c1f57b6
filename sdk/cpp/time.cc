#include "sdk/cpp/time.h"

#include <fmt/format.h>
#include <charconv>

namespace muster::sdk {
namespace {

// Takes exactly `digits` digits off the front of the text.
bool take_number(std::string_view& text, std::size_t digits, int& out) {
  if (text.size() < digits) return false;
  for (std::size_t i = 0; i < digits; ++i)
    if (text[i] < '0' || text[i] > '9') return false;
  std::from_chars(text.data(), text.data() + digits, out);
  text.remove_prefix(digits);
  return true;
}

bool take(std::string_view& text, std::string_view accepted) {
  if (text.empty() || accepted.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

bool take_fraction(std::string_view& text, int& millis) {
  if (!take(text, ".")) return true;
  int scale = 100;
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
    millis += (text[digits] - '0') * scale;
    scale /= 10;
    ++digits;
  }
  text.remove_prefix(digits);
  return digits > 0;
}

bool take_offset(std::string_view& text, int& minutes) {
  if (take(text, "Zz")) return true;
  const bool negative = !text.empty() && text.front() == '-';
  int hour = 0;
  int minute = 0;
  if (!take(text, "+-") || !take_number(text, 2, hour) || !take(text, ":") || !take_number(text, 2, minute)) return false;
  if (hour > 23 || minute > 59) return false;
  minutes = (negative ? -1 : 1) * (hour * 60 + minute);
  return true;
}

}  // namespace

std::optional<Instant> parse_instant(std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, millis = 0, offset = 0;
  const bool shaped = take_number(text, 4, year) && take(text, "-") && take_number(text, 2, month) && take(text, "-") &&
                      take_number(text, 2, day) && take(text, "Tt ") && take_number(text, 2, hour) && take(text, ":") &&
                      take_number(text, 2, minute) && take(text, ":") && take_number(text, 2, second) &&
                      take_fraction(text, millis) && take_offset(text, offset) && text.empty();
  if (!shaped || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return Instant(std::chrono::sys_days(date)) + std::chrono::hours(hour) + std::chrono::minutes(minute - offset) +
         std::chrono::seconds(second) + std::chrono::milliseconds(millis);
}

std::string format_instant(Instant instant) {
  const auto days = std::chrono::floor<std::chrono::days>(instant);
  const std::chrono::year_month_day date(days);
  const std::chrono::hh_mm_ss time(instant - days);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
                     time.minutes().count(), time.seconds().count(), time.subseconds().count());
}

}  // namespace muster::sdk
