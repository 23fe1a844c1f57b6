// Times as the wire writes them: RFC 3339 in UTC with milliseconds. Used by the codec and by programs that show ages.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace muster::sdk {

using Instant = std::chrono::sys_time<std::chrono::milliseconds>;
using Duration = std::chrono::milliseconds;

// `2026-11-15T09:00:00.000Z`; the fraction may be missing or longer, and an offset (`+02:00`) may stand for `Z`.
std::optional<Instant> parse_instant(std::string_view text);
std::string format_instant(Instant instant);

}  // namespace muster::sdk
