// Schedules as a client of the HTTP API sees them.
//
// Fields are named as on the wire; absent ones are empty or std::nullopt. `document` is the object exactly as the server sent it,
// so that a program can show fields this version does not know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sdk/cpp/types_run.h"

namespace muster::sdk {

struct Timing {
  std::string text;       // cron fields, @daily and the like, or `every 90s`
  std::string zone;       // of the tz database
  std::string gap, fold;  // next or skip; once or twice
  std::optional<Duration> jitter;
};

// For a new schedule: a timing, and a job or a run. For a change: what is empty stays.
struct ScheduleRequest {
  std::string ns;
  std::optional<Timing> timing;
  std::optional<JobSpec> job;
  std::optional<RunRequest> run;
  std::string job_document, run_document;  // either as JSON text instead
  std::string overlap;                     // allow, skip, buffer_one, cancel_previous
  std::optional<std::uint32_t> catchup_max;
  std::optional<bool> enabled;
  std::optional<std::string> note;
};

struct Schedule {
  std::string id, ns;
  Timing timing;
  std::string queue, type;  // of the template
  bool is_run = false;      // the template is a workflow
  std::string overlap;
  std::uint32_t catchup_max = 0;
  bool enabled = true;
  std::string note;
  std::optional<Instant> created_at, updated_at, next_fire_at, last_fired_at, buffered;
  std::string last_job;
  std::uint64_t fired = 0, skipped = 0, revision = 0;
  std::string job_document;  // the template as the server sent it
  std::string document;
};

struct ScheduleQuery {
  std::string ns, queue, type;
  std::optional<bool> enabled;
  std::optional<std::uint32_t> limit;
  std::string cursor;
};

struct SchedulePage {
  std::vector<Schedule> schedules;  // newest first
  std::string next;                 // empty: the end
  std::uint64_t total = 0;
};

}  // namespace muster::sdk
