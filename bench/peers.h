// The drivers of other systems that are Node.js packages: installed with npm into a folder beside this program at their first
// use.
#pragma once

#include <string>

#include "bench/row.h"

namespace muster::bench {

// The drivers' folder with their packages, or empty and why.
struct Peers {
  std::string folder;
  std::string reason;
};

Peers install_peers(const Settings& settings);

}  // namespace muster::bench
