// Time zones of the system's tz database, behind one small type. Only zone.cc knows the library that reads it.
#pragma once

#include <chrono>
#include <string_view>

#include "base/status.h"

namespace date {
class time_zone;
}  // namespace date

namespace muster::cron {

// A time during which a zone keeps one offset to UTC.
struct Stretch {
  std::chrono::sys_seconds begin{};
  std::chrono::sys_seconds end{};  // exclusive
  std::chrono::seconds offset{};   // local = UTC + offset
};

class Zone {  // a value; any thread
 public:
  // invalid_argument: no such zone. unavailable: this machine's tz database cannot be read.
  static Result<Zone> find(std::string_view name);

  bool is_utc() const { return zone_ == nullptr; }
  // REQUIRES: not UTC.
  Stretch at(std::chrono::sys_seconds instant) const;

 private:
  explicit Zone(const date::time_zone* zone) : zone_(zone) {}
  const date::time_zone* zone_;  // the library's, for ever; nullptr: UTC
};

}  // namespace muster::cron
