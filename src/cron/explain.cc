#include "cron/explain.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <vector>

namespace muster::cron {
namespace {

constexpr std::size_t kTimesNamed = 6;  // times of a day that are told one by one

constexpr std::array<const char*, 7> kDayWords{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
constexpr std::array<const char*, 12> kMonthWords{"January", "February", "March",     "April",   "May",      "June",
                                                  "July",    "August",   "September", "October", "November", "December"};

std::vector<int> members(std::uint64_t set) {
  std::vector<int> out;
  for (; set != 0; set &= set - 1) out.push_back(std::countr_zero(set));
  return out;
}

constexpr std::uint64_t every_from(int first, int last) { return ((2ULL << last) - 1) & ~((1ULL << first) - 1); }

std::string joined_words(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t at = 0; at < words.size(); ++at) out += (at == 0 ? "" : at + 1 == words.size() ? " and " : ", ") + words[at];
  return out;
}

// "Monday to Friday", "1, 3 and 5": runs of three and more are told by their ends.
template <class Name>
std::string listed(const std::vector<int>& numbers, Name name) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < numbers.size();) {
    std::size_t end = at;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
    if (end - at >= 2) {
      words.push_back(fmt::format("{} to {}", name(numbers[at]), name(numbers[end])));
    } else {
      for (std::size_t each = at; each <= end; ++each) words.push_back(name(numbers[each]));
    }
    at = end + 1;
  }
  return joined_words(words);
}

std::string in_digits(int value) { return std::to_string(value); }

// The step when the set is every multiple of one below 60; 0: it is not.
int step_of(std::uint64_t set) {
  const std::vector<int> numbers = members(set);
  if (numbers.size() < 2 || numbers.front() != 0) return 0;
  const int step = numbers[1];
  if (60 % step != 0 || numbers.size() != static_cast<std::size_t>(60 / step)) return 0;
  for (std::size_t at = 0; at < numbers.size(); ++at)
    if (numbers[at] != static_cast<int>(at) * step) return 0;
  return step;
}

std::string every(int step, const char* unit) {
  return step == 1 ? fmt::format("every {}", unit) : fmt::format("every {} {}s", step, unit);
}

// "at 09:00 and 18:00", or nothing when there are too many to name.
std::string named_times(const Fields& fields) {
  const std::vector<int> of_day = members(fields.hours);
  const std::vector<int> of_hour = members(fields.minutes);
  const std::vector<int> of_minute = members(fields.seconds);
  if (of_day.size() * of_hour.size() * of_minute.size() > kTimesNamed) return {};
  std::vector<std::string> times;
  for (const int hour : of_day)
    for (const int minute : of_hour)
      for (const int second : of_minute)
        times.push_back(fields.seconds == 1 ? fmt::format("{:02}:{:02}", hour, minute)
                                            : fmt::format("{:02}:{:02}:{:02}", hour, minute, second));
  return "at " + joined_words(times);
}

std::string within_the_hour(const Fields& fields) {
  const int minute_step = step_of(fields.minutes);
  if (fields.seconds == 1) {
    if (minute_step != 0) return every(minute_step, "minute");
    return fmt::format("at minute {}", listed(members(fields.minutes), in_digits));
  }
  const int second_step = step_of(fields.seconds);
  std::string out =
      second_step != 0 ? every(second_step, "second") : fmt::format("at second {}", listed(members(fields.seconds), in_digits));
  if (fields.minutes == every_from(0, 59)) return second_step != 0 ? out : out + " of every minute";
  return out + " of " +
         (minute_step != 0 ? every(minute_step, "minute") : fmt::format("minute {}", listed(members(fields.minutes), in_digits)));
}

std::string time_of_day(const Fields& fields) {
  if (std::string times = named_times(fields); !times.empty()) return times;
  const std::string within = within_the_hour(fields);
  if (fields.hours == every_from(0, 23)) return within.starts_with("at minute") ? within + " of every hour" : within;
  return fmt::format("{}, hours {}", within, listed(members(fields.hours), in_digits));
}

std::string days_of(const Fields& fields) {
  const bool any_weekday = fields.weekdays == every_from(0, 6);
  const bool any_day = fields.days == every_from(1, 31);
  // Weeks begin on Monday for those who read "Monday to Sunday".
  std::vector<int> weekdays = members(fields.weekdays);
  if (!any_weekday && !weekdays.empty() && weekdays.front() == 0) {
    weekdays.erase(weekdays.begin());
    weekdays.push_back(7);
  }
  const std::string of_week = listed(weekdays, [](int at) { return std::string(kDayWords[static_cast<std::size_t>(at % 7)]); });
  const std::string of_month = fmt::format("day {} of the month", listed(members(fields.days), in_digits));
  if (any_weekday && any_day) return "every day";
  if (any_weekday) return "on " + of_month;
  if (any_day) return of_week;
  return fmt::format("on {} {} {}", of_month, fields.either_day ? "and every" : "if it is", of_week);
}

}  // namespace

std::string explained(const Fields& fields) {
  std::string out = time_of_day(fields);
  const std::string when = days_of(fields);
  if (when != "every day" || out.starts_with("at ")) out += (when == "every day" ? " " : ", ") + when;
  if (fields.months != every_from(1, 12))
    out += ", in " +
           listed(members(fields.months), [](int at) { return std::string(kMonthWords[static_cast<std::size_t>(at - 1)]); });
  if (!fields.years.all()) {
    std::vector<int> named;
    for (int at = kYearFirst; at <= kYearLast; ++at)
      if (fields.years.test(static_cast<std::size_t>(at - kYearFirst))) named.push_back(at);
    out += ", " + listed(named, in_digits);
  }
  return out;
}

std::string explained(Duration interval) {
  struct Unit {
    std::int64_t length;
    const char* name;
  };
  std::int64_t left = interval.count();
  std::vector<std::string> words;
  for (const Unit unit : {Unit{86'400'000, "day"}, Unit{3'600'000, "hour"}, Unit{60'000, "minute"}, Unit{1'000, "second"},
                          Unit{1, "millisecond"}}) {
    const std::int64_t count = left / unit.length;
    left %= unit.length;
    if (count > 0) words.push_back(fmt::format("{} {}{}", count, unit.name, count == 1 ? "" : "s"));
  }
  return "every " + joined_words(words);
}

}  // namespace muster::cron
