// The arguments of `schedule create` and `schedule update` and the requests they stand for. Apart from the commands so that tests
// map one to the other.
#pragma once

#include <optional>
#include <string>

#include "cli/workflow_start.h"
#include "sdk/cpp/result.h"
#include "sdk/cpp/types.h"

namespace CLI {
class App;
}

namespace muster::cli {

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
