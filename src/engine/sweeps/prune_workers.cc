// Rows of workers that have been offline for long are removed.
#include <chrono>
#include <utility>

#include "engine/sweeps/catalogue.h"

namespace muster::engine {
namespace {

constexpr Sweep kPruneWorkers{
    .name = "prune_workers",
    .period = std::chrono::minutes(10),
    .budget = 500,
    .run = [](store::SweepStore& store, const Options& options, std::size_t budget,
              Reply<store::SweepReport> reply) { store.prune_workers(options.offline_kept, budget, std::move(reply)); },
};

}  // namespace

const Sweep& prune_workers() { return kPruneWorkers; }

}  // namespace muster::engine
