// Actions whose jobs are all finished get their final counts, so that these outlive the jobs; old ones are removed.
#include <chrono>
#include <utility>

#include "engine/sweeps/catalogue.h"

namespace muster::engine {
namespace {

constexpr Sweep kSettleActions{
    .name = "settle_actions",
    .period = std::chrono::minutes(1),
    .budget = 200,
    .run = [](store::SweepStore& store, const Options& options, std::size_t budget,
              Reply<store::SweepReport> reply) { store.settle_actions(options.retention, budget, std::move(reply)); },
};

}  // namespace

const Sweep& settle_actions() { return kSettleActions; }

}  // namespace muster::engine
