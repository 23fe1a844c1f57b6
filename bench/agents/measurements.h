// The parts of the suite of agents.
#pragma once

#include <vector>

#include "bench/row.h"

namespace muster::bench::agents {

std::vector<Measurement> run_measurements();          // runs.cc
std::vector<Measurement> batch_measurements();        // batches.cc
std::vector<Measurement> first_token_measurements();  // first_token.cc

}  // namespace muster::bench::agents
