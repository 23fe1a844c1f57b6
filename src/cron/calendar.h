// Times of the calendar that match fields: the nearest one, forwards and backwards. Local time, without zones; no clock.
//
// Days are found a month at a time, since both day fields of one month fit a word; a search costs at most one step for each
// month of kYearFirst to kYearLast that the fields allow.
#pragma once

#include <chrono>
#include <optional>

#include "cron/fields.h"

namespace muster::cron {

using Local = std::chrono::local_seconds;

std::optional<Local> first_from(const Fields& fields, Local at);  // at or after
std::optional<Local> last_until(const Fields& fields, Local at);  // at or before

}  // namespace muster::cron
