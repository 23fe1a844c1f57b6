// How values look to people: durations (`3m12s`), ages, bytes, counts, bars, and the way back for durations and key=value.
// Pure functions; the tests are a table.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sdk/cpp/time.h"

namespace muster::cli {

// `250ms`, `10s`, `5m`, `2h`, `1d`, and sums of them (`1h30m`). A bare number is refused: it hides its unit.
std::optional<sdk::Duration> parse_duration(std::string_view text);
inline constexpr std::string_view kDurationShape = "a duration such as 250ms, 10s, 5m, 2h, 1d or 1h30m";

// The two largest units: `3m12s`, `2h05m`, `4d07h`; below ten seconds with a fraction: `1.4s`, `830ms`.
std::string format_duration(sdk::Duration duration);
// Time passed from `then` to `now`; "-" when there is no `then`. A `then` in the future reads `in 5s`.
std::string format_age(std::optional<sdk::Instant> then, sdk::Instant now);
// `512 B`, `1.5 KiB`, `20.0 MiB`.
std::string format_bytes(std::uint64_t bytes);
// `999`, `12.3k`, `4.5M`.
std::string format_count(std::uint64_t count);
std::string format_rate(double per_second);

// Splits at the first `=`; empty when there is none or the key is empty.
std::optional<std::pair<std::string, std::string>> parse_pair(std::string_view text);

// Control characters become `?`, so that a name from elsewhere cannot drive the terminal.
std::string printable(std::string_view text);
// The same for a text of many lines: line ends and tabs stay.
std::string printable_lines(std::string_view text);
// Characters as a terminal counts them, for UTF-8 text without escape sequences.
std::size_t display_width(std::string_view text);
// Cut to `width` with an ellipsis.
std::string shortened(std::string_view text, std::size_t width);

// Both scale to the largest value; `unicode` chooses block characters over ASCII.
std::string sparkline(std::span<const double> values, bool unicode);
std::string bar(double fraction, std::size_t width, bool unicode);

}  // namespace muster::cli
