// The parts of the WebSocket suite.
#pragma once

#include <cstddef>
#include <vector>

#include "bench/resp/servers.h"
#include "bench/row.h"

namespace muster::bench::ws {

std::vector<Measurement> life_measurements();  // life.cc
std::vector<Measurement> idle_measurements();  // idle.cc

// `muster serve` with HTTP alone on an empty folder, with room for many sockets; port() is HTTP's.
resp::ProcessPtr start_ours(const Settings& settings, const std::string& folder);

// Nanoseconds that the windows of a session add to one task: its dispatch numbered and kept, the ack of it judged, its result put
// in order, and the timer looked at, beside handing the same frames on without numbers.
double window_nanoseconds(const Settings& settings);  // window.cc

}  // namespace muster::bench::ws
