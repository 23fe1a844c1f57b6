// Runs the passes of sweeps/, each in its own file with its period and budget, and measures them.
//
// A pass is a store verb that moves at most its budget; while it reports `more` it is repeated at the next tick, so that one
// long backlog cannot keep the others from their turn. A pass that fails is logged and tried again at its period.
//
// Periods are counted in monotonic time, so a step of the wall clock delays no pass. Thread-safe: replies come on store threads.
#pragma once

#include <memory>
#include <span>

#include "base/clock.h"
#include "base/metrics.h"
#include "engine/options.h"
#include "engine/sweeps/sweep.h"
#include "store/store.h"

namespace muster::engine {

class Sweeper {
 public:
  // sweeps: all_sweeps(), or fewer in a test. They, the store, the clock and the metrics outlive the sweeper.
  Sweeper(store::SweepStore& store, const Clock& clock, Metrics& metrics, const Options& options,
          std::span<const Sweep* const> sweeps);
  ~Sweeper();

  // Starts the passes that are due and returns how long until the next may be. Passes whose last run has not answered
  // yet are left alone.
  Duration tick();
  // Jobs were scheduled: a pass that watches them may be due earlier than it thought, and looks again soon.
  void hint();

 private:
  class Shared;
  std::shared_ptr<Shared> shared_;  // shared with replies that are still on their way when the sweeper goes
};

}  // namespace muster::engine
