// How long a job takes from the call that submits it to the answer of a claim that was parked for it, on any store.
#pragma once

#include <functional>
#include <vector>

#include "bench/rig.h"

namespace muster::bench {

// Microseconds each, one entry per turn.
struct Arrivals {
  std::vector<double> arrivals;  // submit → answer of the parked claim
  std::vector<double> enqueues;  // one enqueue that nobody waits for
  std::vector<double> commits;   // one row committed by the bare database
};

// The three take turns, so that they meet the same disk. `commit_one` gives the seconds of the third. Closes the rig's store.
Arrivals measure_arrivals(Rig& rig, int count, const std::function<double()>& commit_one);

}  // namespace muster::bench
