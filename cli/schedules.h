// What the schedule commands share with their tests: schedules as people read them, instants of a zone, where a timing is wrong,
// and the arguments of `schedule create` and `schedule update`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/jobs.h"

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

struct ScheduleArguments {
  std::string cron;
  std::optional<sdk::Duration> every;
  std::string zone, gap, fold, overlap;
  std::optional<sdk::Duration> jitter;
  std::optional<std::uint32_t> catchup_max;
  std::optional<std::string> note;
  bool paused = false;     // create it paused
  bool plain_job = false;  // enqueue a job instead of a run
  std::string queue, type;
  InputArguments input;
  sdk::Labels labels;
  std::optional<std::int32_t> priority;
  std::optional<sdk::Duration> timeout;
};

enum class ScheduleUse : std::uint8_t { create, update };
void describe_schedule(CLI::App& command, ScheduleArguments& arguments, ScheduleUse use);

// The timing's text that --cron or --every stands for; empty: neither is given.
std::string timing_text(const ScheduleArguments& arguments);

// invalid_argument: no timing, an input that is not JSON.
sdk::Result<sdk::ScheduleRequest> to_schedule(const ScheduleArguments& arguments, const std::string& ns);
// What is given takes the place of what `now` has; a timing and a template are sent whole.
sdk::Result<sdk::ScheduleRequest> to_change(const ScheduleArguments& arguments, const sdk::Schedule& now);

}  // namespace muster::cli
