// How long background passes wait for each other.
#pragma once

#include "base/clock.h"

namespace muster::engine {

inline constexpr Duration kPassPause{5};      // between passes that no backlog asks for
inline constexpr Duration kBusyPause{5};      // until the next tick while a pass is out
inline constexpr Duration kIdleSleep{1'000};  // with nothing to do

}  // namespace muster::engine
