// The history of a run as a picture: one line for each attempt at a step, with a bar over the time it took. Pure; the command
// brings the steps, the width and the time.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "cli/table.h"
#include "sdk/cpp/types.h"

namespace muster::cli {

inline constexpr std::size_t kTimelineWidthMin = 20;
inline constexpr std::size_t kTimelineWidthMax = 60;

struct TimelineLook {
  sdk::Instant now;
  std::size_t width = 40;  // cells of the bar
  bool unicode = true;
};

// Work, failed work, sleeps, and waits for signals and children look different; what goes on ends in an arrow. The title of the
// bar's column is its scale.
Table timeline(std::span<const sdk::RunStep> steps, const TimelineLook& look);
// What the signs mean.
std::string timeline_legend(bool unicode);
// How many cells fit beside the other columns of a terminal this wide.
std::size_t timeline_width(std::size_t columns);

}  // namespace muster::cli
