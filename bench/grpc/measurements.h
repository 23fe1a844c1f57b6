// The parts of the gRPC suite.
#pragma once

#include <string>
#include <vector>

#include "bench/resp/servers.h"
#include "bench/row.h"

namespace muster::bench::grpc_suite {

std::vector<Measurement> restate_measurements();  // restate.cc
std::vector<Measurement> timer_measurements();    // timers.cc
std::vector<Measurement> wire_measurements();     // wire.cc

// `muster serve` with gRPC and HTTP on an empty folder; port() is gRPC's.
resp::ProcessPtr start_ours(const Settings& settings, const std::string& folder);

}  // namespace muster::bench::grpc_suite
