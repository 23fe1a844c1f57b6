// Timings without the schedules they may become: in words, and when they fire. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "model/schedule.h"

namespace muster::engine {

struct TimingExplained {
  std::string explanation;
  std::vector<Instant> fires;  // without jitter
};

// The first `count` fires after an instant. invalid_argument: the timing, with the field that is wrong.
Result<TimingExplained> explain_timing(const Timing& timing, Instant after, std::size_t count);

struct FiresWithin {
  std::vector<Instant> fires;
  bool more = false;  // the newest are left out
};

// Fires in (from, to], the oldest `most` of them. A timing that cannot be read fires never.
FiresWithin fires_within(const Timing& timing, Instant from, Instant to, std::size_t most);

}  // namespace muster::engine
