// Schedules as a program sees them: when a workflow is started again and again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sdk/cpp/time.h"
#include "sdk/cpp/workflow/codec.h"

namespace muster::sdk::workflow {

// Empty text and empty optionals take the server's default: UTC, next, once, allow, 100, enabled.
struct ScheduleSpec {
  std::string id{};      // empty: the server gives one
  std::string timing{};  // cron fields (5, or 6 and 7 with seconds and years), `@daily` and the like, or `every 90s`
  std::string zone{};    // of the tz database
  std::string gap{};     // a local time that does not exist: next, skip
  std::string fold{};    // one that comes twice: once, twice
  Duration jitter{0};
  std::string overlap{};  // allow, skip, buffer_one, cancel_previous
  std::optional<std::int32_t> catchup_max{};
  std::optional<bool> enabled{};
  std::string note{};
  std::string queue{};
  std::string type{};
  json input{};
  std::string version{};
};

struct Schedule {
  ScheduleSpec spec;
  Instant created_at{};
  Instant updated_at{};
  std::optional<Instant> next_fire_at;
  std::optional<Instant> last_fired_at;
  std::int64_t fired = 0;
  std::int64_t skipped = 0;
  std::string last_run_id;
};

// What is empty stays.
struct ScheduleChange {
  std::optional<std::string> timing{};
  std::optional<std::string> zone{};
  std::optional<std::string> gap{};
  std::optional<std::string> fold{};
  std::optional<Duration> jitter{};
  std::optional<std::string> overlap{};
  std::optional<std::int32_t> catchup_max{};
  std::optional<bool> enabled{};
  std::optional<std::string> note{};
  std::optional<json> input{};
  std::optional<std::string> version{};
};

struct SchedulePage {
  std::vector<Schedule> schedules;
  std::string next;  // empty: the end
  std::int64_t total = 0;
};

struct Backfill {
  std::vector<std::string> run_ids;
  std::int32_t existed = 0;  // of them: made before
};

}  // namespace muster::sdk::workflow
