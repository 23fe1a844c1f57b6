#include "cron/calendar.h"

#include <bit>

namespace muster::cron {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::local_days;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr int kNone = -1;

int bit_from(std::uint64_t set, int from) {
  if (from > 63) return kNone;
  const std::uint64_t rest = set & ~std::uint64_t{0} << from;
  return rest == 0 ? kNone : std::countr_zero(rest);
}

int bit_until(std::uint64_t set, int until) {
  if (until < 0) return kNone;
  const std::uint64_t rest = set & ~std::uint64_t{0} >> (63 - until);
  return rest == 0 ? kNone : 63 - std::countl_zero(rest);
}

int lowest(std::uint64_t set) { return bit_from(set, 0); }
int highest(std::uint64_t set) { return bit_until(set, 63); }

struct Month {
  int year;
  int month;
};

int year_of(std::chrono::year year) { return static_cast<int>(year); }
int number(std::chrono::month month) { return static_cast<int>(static_cast<unsigned>(month)); }
int number(std::chrono::day day) { return static_cast<int>(static_cast<unsigned>(day)); }

local_days first_day(Month at) {
  return local_days(std::chrono::year(at.year) / std::chrono::month(static_cast<unsigned>(at.month)) / 1);
}

// The days of one month that match, bit n for day n.
std::uint64_t days_of(const Fields& fields, Month at) {
  const local_days first = first_day(at);
  const std::chrono::year_month_day_last end(std::chrono::year(at.year),
                                             std::chrono::month_day_last(std::chrono::month(static_cast<unsigned>(at.month))));
  const auto start = std::chrono::weekday(first).c_encoding();  // 0 = Sunday
  // One week that begins with the first of the month, five times over.
  const std::uint64_t week = ((fields.weekdays >> start) | (fields.weekdays << (7 - start))) & 0x7f;
  const std::uint64_t by_weekday = (week | week << 7 | week << 14 | week << 21 | week << 28) << 1;
  const std::uint64_t there = (std::uint64_t{2} << number(end.day())) - 2;
  return (fields.either_day ? fields.days | by_weekday : fields.days & by_weekday) & there;
}

bool has_year(const Fields& fields, int year) { return fields.years.test(static_cast<std::size_t>(year - kYearFirst)); }

std::optional<local_days> first_day_from(const Fields& fields, local_days at) {
  const std::chrono::year_month_day date(at);
  int month = number(date.month());
  int day = number(date.day());
  int year = year_of(date.year());
  if (year < kYearFirst) {
    year = kYearFirst;
    month = day = 1;
  }
  for (; year <= kYearLast; ++year, month = day = 1) {
    if (!has_year(fields, year)) continue;
    for (int m = bit_from(fields.months, month); m != kNone; m = bit_from(fields.months, m + 1)) {
      const Month place{year, m};
      const int found = bit_from(days_of(fields, place), m == month ? day : 1);
      if (found != kNone) return first_day(place) + days(found - 1);
    }
  }
  return std::nullopt;
}

std::optional<local_days> last_day_until(const Fields& fields, local_days at) {
  const std::chrono::year_month_day date(at);
  int month = number(date.month());
  int day = number(date.day());
  int year = year_of(date.year());
  if (year > kYearLast) {
    year = kYearLast;
    month = 12;
    day = 31;
  }
  for (; year >= kYearFirst; --year, month = 12, day = 31) {
    if (!has_year(fields, year)) continue;
    for (int m = bit_until(fields.months, month); m != kNone; m = bit_until(fields.months, m - 1)) {
      const Month place{year, m};
      const int found = bit_until(days_of(fields, place), m == month ? day : 31);
      if (found != kNone) return first_day(place) + days(found - 1);
    }
  }
  return std::nullopt;
}

seconds of_day(int hour, int minute, int second) { return hours(hour) + minutes(minute) + seconds(second); }

struct TimeOfDay {
  int hour;
  int minute;
  int second;
  explicit TimeOfDay(seconds since_midnight)
      : hour(static_cast<int>(since_midnight.count() / 3600)),
        minute(static_cast<int>(since_midnight.count() / 60 % 60)),
        second(static_cast<int>(since_midnight.count() % 60)) {}
};

std::optional<seconds> first_time_from(const Fields& fields, TimeOfDay at) {
  if (bit_from(fields.hours, at.hour) == at.hour) {
    if (bit_from(fields.minutes, at.minute) == at.minute)
      if (const int second = bit_from(fields.seconds, at.second); second != kNone) return of_day(at.hour, at.minute, second);
    if (const int minute = bit_from(fields.minutes, at.minute + 1); minute != kNone)
      return of_day(at.hour, minute, lowest(fields.seconds));
  }
  if (const int hour = bit_from(fields.hours, at.hour + 1); hour != kNone)
    return of_day(hour, lowest(fields.minutes), lowest(fields.seconds));
  return std::nullopt;
}

std::optional<seconds> last_time_until(const Fields& fields, TimeOfDay at) {
  if (bit_until(fields.hours, at.hour) == at.hour) {
    if (bit_until(fields.minutes, at.minute) == at.minute)
      if (const int second = bit_until(fields.seconds, at.second); second != kNone) return of_day(at.hour, at.minute, second);
    if (const int minute = bit_until(fields.minutes, at.minute - 1); minute != kNone)
      return of_day(at.hour, minute, highest(fields.seconds));
  }
  if (const int hour = bit_until(fields.hours, at.hour - 1); hour != kNone)
    return of_day(hour, highest(fields.minutes), highest(fields.seconds));
  return std::nullopt;
}

}  // namespace

std::optional<Local> first_from(const Fields& fields, Local at) {
  const local_days today = std::chrono::floor<days>(at);
  const auto day = first_day_from(fields, today);
  if (!day) return std::nullopt;
  if (*day > today) return *day + *first_time_from(fields, TimeOfDay(seconds(0)));
  if (const auto time = first_time_from(fields, TimeOfDay(at - today))) return *day + *time;
  const auto later = first_day_from(fields, today + days(1));
  if (!later) return std::nullopt;
  return *later + *first_time_from(fields, TimeOfDay(seconds(0)));
}

std::optional<Local> last_until(const Fields& fields, Local at) {
  constexpr seconds kDayEnd = days(1) - seconds(1);
  const local_days today = std::chrono::floor<days>(at);
  const auto day = last_day_until(fields, today);
  if (!day) return std::nullopt;
  if (*day < today) return *day + *last_time_until(fields, TimeOfDay(kDayEnd));
  if (const auto time = last_time_until(fields, TimeOfDay(at - today))) return *day + *time;
  const auto earlier = last_day_until(fields, today - days(1));
  if (!earlier) return std::nullopt;
  return *earlier + *last_time_until(fields, TimeOfDay(kDayEnd));
}

}  // namespace muster::cron
