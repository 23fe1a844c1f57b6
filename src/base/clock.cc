#include "base/clock.h"

namespace muster {

Instant RealClock::now() const { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }

Ticks RealClock::elapsed() const { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace muster
