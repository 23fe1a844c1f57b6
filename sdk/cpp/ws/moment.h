// One reading of the clock, in the two forms that the protocol needs: what elapsed for waits, the wall's for timestamps.
#pragma once

#include <chrono>

#include "base/clock.h"

namespace muster::sdk::ws {

struct Moment {
  Ticks ticks{};         // monotonic
  muster::Instant wall;  // goes into frames

  // Elapsed time in the type that windows and waits count in; its origin means nothing.
  muster::Instant steady() const { return muster::Instant(std::chrono::duration_cast<muster::Duration>(ticks)); }
};

inline Moment moment_of(const Clock& clock) { return {.ticks = clock.elapsed(), .wall = clock.now()}; }

}  // namespace muster::sdk::ws
