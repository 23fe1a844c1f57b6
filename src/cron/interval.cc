#include "cron/interval.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "cron/fields.h"

namespace muster::cron {
namespace {

struct Unit {
  std::string_view name;
  Duration length;
};

constexpr std::array kUnits{Unit{"ms", 1ms}, Unit{"s", 1s}, Unit{"m", 1min}, Unit{"h", 1h}, Unit{"d", 24h}};

Status refuse(std::string_view text) {
  return Status::invalid_argument(
      fmt::format("interval '{}' is not a length; numbers with ms, s, m, h or d are accepted, as in 90s or 1h30m", quoted(text)));
}

}  // namespace

Result<Duration> parse_interval(std::string_view text) {
  constexpr std::int64_t kBeyond = kIntervalMax.count() + 1;  // sums stop here, far from overflow
  std::int64_t sum = 0;
  std::string_view rest = text;
  do {
    const auto digits = static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), is_digit) - rest.begin());
    std::int64_t count = 0;
    for (const char c : rest.substr(0, digits)) count = std::min(kBeyond, count * 10 + (c - '0'));
    const std::string_view behind = rest.substr(digits);
    const auto letters = static_cast<std::size_t>(std::find_if(behind.begin(), behind.end(), is_digit) - behind.begin());
    const std::string_view name = behind.substr(0, letters);
    const auto* const unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) { return u.name == name; });
    if (digits == 0 || unit == kUnits.end()) return refuse(text);
    sum = std::min(kBeyond, sum + std::min(kBeyond / unit->length.count() + 1, count) * unit->length.count());
    rest = behind.substr(letters);
  } while (!rest.empty());
  if (sum < kIntervalMin.count() || sum > kIntervalMax.count())
    return Status::invalid_argument(fmt::format("interval '{}' is not within {} ms to {} days", quoted(text),
                                                kIntervalMin.count(), kIntervalMax / Duration(24h)));
  return Duration(sum);
}

}  // namespace muster::cron
