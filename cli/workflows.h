// What the workflow commands share with their tests: tables, the picture of a history, and the arguments of `workflow start`.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/jobs.h"

namespace muster::cli {

// The state, or `sleeping` for a run that sleeps or waits for a signal or a child.
std::string state_of(const sdk::Job& run);
Table run_table(const std::vector<sdk::Job>& runs, sdk::Instant now);
// What only runs have, to stand below the fields of their job; what is absent is left out.
Table run_details(const sdk::Job& run);

inline constexpr std::size_t kTimelineWidthMin = 20;
inline constexpr std::size_t kTimelineWidthMax = 60;

struct TimelineLook {
  sdk::Instant now;
  std::size_t width = 40;  // cells of the bar
  bool unicode = true;
};

// The history of a run as a picture: one line for each attempt at a step, with a bar over the time it took. Work, failed work,
// sleeps, and waits for signals and children look different; what goes on ends in an arrow. The title of the bar's column is its
// scale.
Table timeline(std::span<const sdk::RunStep> steps, const TimelineLook& look);
// What the signs mean.
std::string timeline_legend(bool unicode);
// How many cells fit beside the other columns of a terminal this wide.
std::size_t timeline_width(std::size_t columns);

struct StartArguments {
  sdk::RunRequest request;
  InputArguments input;
  std::optional<std::int32_t> step_attempts;
  std::optional<sdk::Duration> step_delay;
  bool wait = false;
};

void describe_start(CLI::App& command, StartArguments& arguments);
sdk::Result<sdk::RunRequest> to_run(const StartArguments& arguments, const std::string& ns);

}  // namespace muster::cli
