#include "cron/zone.h"

#include <exception>
#include <string>

#include <date/tz.h>
#include <fmt/format.h>

#include "base/check.h"
#include "cron/fields.h"

namespace muster::cron {
namespace {

bool has_database() {
  try {
    (void)date::get_tzdb();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

Result<Zone> Zone::find(std::string_view name) {
  // Without the database, since it is the default and must work on a machine that has none.
  if (name == "UTC" || name == "Etc/UTC") return Zone(nullptr);
  if (!has_database()) return Status::unavailable("the tz database of this machine cannot be read; UTC needs none");
  try {
    const date::time_zone* const zone = date::locate_zone(name);
    // A zone's file is read at its first use: better here than where nobody can answer.
    (void)zone->get_info(date::sys_seconds(std::chrono::seconds(0)));
    return Zone(zone);
  } catch (const std::exception&) {
    return Status::invalid_argument(
        fmt::format("time zone '{}' is not in the tz database; names like Europe/Berlin and UTC are accepted", quoted(name)));
  }
}

Stretch Zone::at(std::chrono::sys_seconds instant) const {
  check(zone_ != nullptr, "UTC has no stretches");
  const date::sys_info info = zone_->get_info(instant);
  return {.begin = info.begin, .end = info.end, .offset = info.offset};
}

}  // namespace muster::cron
