// Instants as text: RFC 3339, UTC, milliseconds (`2026-11-15T09:00:00.000Z`).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace muster {

std::string to_rfc3339(Instant at);
// Accepts any RFC 3339 instant (offsets, 0 to 9 fraction digits, cut to milliseconds). nullopt: not one, or out of range.
std::optional<Instant> parse_rfc3339(std::string_view text);

}  // namespace muster
