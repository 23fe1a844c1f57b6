// Whole job lives over HTTP on loopback: submit, claim, complete, one request in flight on each keep-alive connection.
#pragma once

#include <cstddef>
#include <vector>

#include "bench/row.h"

namespace muster::bench {

inline constexpr std::size_t kHttpConnections = 50;

struct HttpLoad {
  double lives_per_second = 0;  // median of the rounds
  std::size_t bad = 0;          // answers that were errors; the first one ends the run
};

// The connections are spread evenly over the servers at `ports`, each with a worker of its own registered first.
HttpLoad run_http_lives(const std::vector<int>& ports, const Settings& settings);
// One round of it.
HttpLoad run_http_round(const std::vector<int>& ports, double seconds);

}  // namespace muster::bench
