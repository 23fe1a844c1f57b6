// The parts of the PostgreSQL suite. Settings::url names the benchmark's own empty database.
#pragma once

#include <vector>

#include "bench/row.h"

namespace muster::bench::postgres {

std::vector<Measurement> life_measurements();     // life.cc
std::vector<Measurement> peer_measurements();     // peers.cc
std::vector<Measurement> http_measurements();     // http.cc
std::vector<Measurement> size_measurements();     // size.cc
std::vector<Measurement> worker_measurements();   // heartbeats.cc
std::vector<Measurement> latency_measurements();  // latency.cc

}  // namespace muster::bench::postgres
