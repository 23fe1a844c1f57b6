// The part of the dashboard.
#pragma once

#include <vector>

#include "bench/row.h"

namespace muster::bench::web {

std::vector<Measurement> measurements();  // dashboard.cc

}  // namespace muster::bench::web
