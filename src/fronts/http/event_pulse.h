// What one turn of a paced event stream tells: of every job, worker and queue that changed since the last turn only the newest
// event, in the order in which they happened. Pure but for reading the ring; the hub decides when, and gives the same turn to all
// streams that want the same.
#pragma once

#include <cstdint>
#include <string>

#include "command/door.h"
#include "fronts/http/codec/events.h"

namespace muster::http {

inline constexpr std::size_t kPulseReadMax = 8'192;  // events that one turn looks back at
inline constexpr std::size_t kPulseToldMax = 500;    // events that one turn tells

struct Pulse {
  std::string bytes;       // server-sent events; empty: nothing that is wanted has changed
  std::uint64_t next = 0;  // where the next turn begins
};

// A reader for whom there is more than the bounds is moved ahead to the newest, and told so by a `gap`.
Pulse pulse_of(const command::Events& events, const EventFilter& filter, std::uint64_t after);

}  // namespace muster::http
