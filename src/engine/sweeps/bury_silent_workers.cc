// Workers that were not heard for their dead_after are offline, and their leases are lost (rule 4: silence is death).
#include <chrono>
#include <utility>

#include "engine/sweeps/catalogue.h"

namespace muster::engine {
namespace {

// A worker brings all its leases along, so the budget is smaller than that of passes over jobs.
constexpr Sweep kBurySilentWorkers{
    .name = "bury_silent_workers",
    .period = std::chrono::seconds(1),
    .budget = 200,
    .run = [](store::SweepStore& store, const Options&, std::size_t budget,
              Reply<store::SweepReport> reply) { store.bury_silent_workers(budget, std::move(reply)); },
};

}  // namespace

const Sweep& bury_silent_workers() { return kBurySilentWorkers; }

}  // namespace muster::engine
