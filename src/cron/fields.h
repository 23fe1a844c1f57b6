// The fields of a cron text as sets of numbers. Read once, by Plan::parse; src/cron/calendar.h looks for the times they name.
//
// A set is a word of bits, bit n for the number n, so that the next member is found without a loop.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "model/schedule.h"

namespace muster::cron {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline constexpr int kYearFirst = 1970;
inline constexpr int kYearLast = 2100;

struct Fields {
  std::uint64_t seconds = 1;  // second 0 where the text has no seconds
  std::uint64_t minutes = 0;
  std::uint64_t hours = 0;
  std::uint64_t days = 0;                                                   // of the month, 1 to 31
  std::uint64_t months = 0;                                                 // 1 to 12
  std::uint64_t weekdays = 0;                                               // 0 to 6, 0 = Sunday, whatever the text counts from
  std::bitset<static_cast<std::size_t>(kYearLast - kYearFirst + 1)> years;  // from kYearFirst on
  bool either_day = false;                                                  // one day field that matches is enough
};

// Five, six or seven fields; CronForm::kagzi: six or seven. invalid_argument: names the field, what stands there and what may.
// No set is empty.
Result<Fields> parse_fields(std::string_view text, CronForm form);

// A refused text within a message: plain ASCII, cut where it gets long.
std::string quoted(std::string_view text);

}  // namespace muster::cron
