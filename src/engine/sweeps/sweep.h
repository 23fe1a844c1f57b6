// One background pass over due things, as data and a function. Each file of this folder declares one; catalogue.cc lists them.
//
// A sweep decides nothing: it names the store verb that moves what is due, how often at least it runs, and how many rows one
// pass may move. The Sweeper runs and measures them.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/reply.h"
#include "engine/options.h"
#include "model/job_state.h"
#include "store/store.h"

namespace muster::engine {

struct Sweep {
  std::string_view name;                 // as in the metrics
  Duration period{};                     // the longest time between two passes; a learned next_due makes it shorter
  std::size_t budget = 0;                // rows of one pass; chosen so that a pass stays well below 50 ms
  bool watches_schedule = false;         // a job that was scheduled may be due before the next pass that is planned
  std::optional<JobEvent> counted_as{};  // its jobs, when the store does not tell them one by one
  void (*run)(store::SweepStore& store, const Options& options, std::size_t budget, Reply<store::SweepReport> reply) = nullptr;
};

}  // namespace muster::engine
