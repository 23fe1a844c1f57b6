#include "engine/sweeps/catalogue.h"

#include <array>

namespace muster::engine {

std::span<const Sweep* const> all_sweeps() {
  // In the order in which a tick starts them: what gives work back comes before what throws things away.
  static const std::array<const Sweep*, 11> kAll{&promote_due(),    &bury_silent_workers(), &expire_leases(),  &time_out_jobs(),
                                                 &end_drains(),     &end_preferences(),     &expire_waiting(), &expire_keys(),
                                                 &settle_actions(), &prune_finished(),      &prune_workers()};
  return kAll;
}

}  // namespace muster::engine
