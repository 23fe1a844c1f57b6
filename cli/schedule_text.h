// Schedules as people read them: rows, one in full, instants of a zone, and where a timing is wrong. Pure, but for the time zones
// of the machine.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/table.h"
#include "sdk/cpp/types.h"

namespace muster::cli {

Table schedule_table(std::span<const sdk::Schedule> schedules, sdk::Instant now);
// Two columns, field and value; what is absent is left out.
Table schedule_details(const sdk::Schedule& schedule, sdk::Instant now);
// Local time in the zone, the same in UTC, and how long until then.
Table fires_table(std::span<const sdk::Instant> fires, const std::string& zone, sdk::Instant now);

// `Sun 2026-11-15 10:05:00 CET`. A zone that this machine does not know is shown in UTC.
// NOT thread-safe: it borrows the process's own time zone.
std::string local_text(sdk::Instant at, const std::string& zone);

// The timing, and carets under the field that the message names (`field 3 (hours): …`). Empty: it names none.
std::vector<std::string> pointed_at(std::string_view timing, std::string_view message);

}  // namespace muster::cli
