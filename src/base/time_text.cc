// RFC 3339 in both directions, by calendar arithmetic of <chrono> alone: no locale, no time zone database.
#include "base/time_text.h"

#include <fmt/format.h>

#include <chrono>

namespace muster {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// Reads text from left to right; the first thing that does not fit latches, and the caller asks once at the end.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  int digits(std::size_t count) {
    if (rest_.size() < count) return fail();
    int value = 0;
    for (const char c : rest_.substr(0, count)) {
      if (c < '0' || c > '9') return fail();
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }
  char one_of(std::string_view accepted) {
    if (rest_.empty() || accepted.find(rest_.front()) == std::string_view::npos) {
      fail();
      return '\0';
    }
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  bool starts_with(char c) const { return !rest_.empty() && rest_.front() == c; }
  bool starts_with_digit() const { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }
  void expect(bool holds) { failed_ = failed_ || !holds; }
  bool done() const { return !failed_ && rest_.empty(); }
  bool failed() const { return failed_; }

 private:
  int fail() {
    failed_ = true;
    rest_ = {};
    return 0;
  }
  std::string_view rest_;
  bool failed_ = false;
};

constexpr int kFractionDigitsMax = 9;
constexpr int kFractionDigitsKept = 3;

Duration read_fraction(Reader& reader) {
  if (!reader.starts_with('.')) return Duration(0);
  reader.one_of(".");
  int value = 0;
  int count = 0;
  while (reader.starts_with_digit() && count < kFractionDigitsMax) {
    const int digit = reader.digits(1);
    if (count < kFractionDigitsKept) value = value * 10 + digit;
    ++count;
  }
  reader.expect(count > 0);
  for (int i = count; i < kFractionDigitsKept; ++i) value *= 10;
  return Duration(value);
}

minutes read_offset(Reader& reader) {
  const char sign = reader.one_of("Zz+-");
  if (sign != '+' && sign != '-') return minutes(0);
  const int hour = reader.digits(2);
  reader.one_of(":");
  const int minute = reader.digits(2);
  reader.expect(hour < 24 && minute < 60);
  const minutes offset = hours(hour) + minutes(minute);
  return sign == '-' ? -offset : offset;
}

}  // namespace

std::string to_rfc3339(Instant at) {
  const auto day = std::chrono::floor<days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss<Duration> time(at - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
                     time.minutes().count(), time.seconds().count(), time.subseconds().count());
}

std::optional<Instant> parse_rfc3339(std::string_view text) {
  Reader reader(text);
  const int year = reader.digits(4);
  reader.one_of("-");
  const int month = reader.digits(2);
  reader.one_of("-");
  const int day = reader.digits(2);
  reader.one_of("Tt ");
  const int hour = reader.digits(2);
  reader.one_of(":");
  const int minute = reader.digits(2);
  reader.one_of(":");
  const int second = reader.digits(2);
  const Duration fraction = read_fraction(reader);
  const minutes offset = read_offset(reader);
  if (!reader.done()) return std::nullopt;

  const std::chrono::year_month_day date(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  // RFC 3339 knows a second 60; the instant it names is the first of the next minute.
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return Instant(std::chrono::sys_days(date)) + hours(hour) + minutes(minute) + seconds(second) + fraction - offset;
}

}  // namespace muster
