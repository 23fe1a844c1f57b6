// The metric of jobs' moves, which several parts of the engine add to.
#pragma once

#include "base/metrics.h"
#include "model/job_state.h"

namespace muster::engine {

inline Counter& job_moves(Metrics& metrics, JobEvent event) {
  return metrics.counter("muster_jobs_moved_total", "Moves of jobs from state to state, by what caused them.",
                         {{"event", std::string(to_string(event))}});
}

}  // namespace muster::engine
