// `every 90s`: fires at the multiples of a length, counted from the epoch, so that every node and every start agree on them.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"

namespace muster::cron {

using namespace std::chrono_literals;

inline constexpr Duration kIntervalMin = 10ms;
inline constexpr Duration kIntervalMax = 24h * 366;

// What stands behind `every`: numbers with ms, s, m, h or d, added up (`1h30m`).
Result<Duration> parse_interval(std::string_view text);

}  // namespace muster::cron
