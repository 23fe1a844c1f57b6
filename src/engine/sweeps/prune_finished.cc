// Finished jobs are removed by age and by count, as the operator's retention says. Nobody waits for it, so the steps are small
// and leave the writer to those who do.
#include <chrono>
#include <utility>

#include "engine/sweeps/catalogue.h"

namespace muster::engine {
namespace {

constexpr Sweep kPruneFinished{
    .name = "prune_finished",
    .period = std::chrono::minutes(1),
    .budget = 500,
    .counted_as = JobEvent::pruned,
    .run = [](store::SweepStore& store, const Options& options, std::size_t budget,
              Reply<store::SweepReport> reply) { store.prune_finished(options.retention, budget, std::move(reply)); },
};

}  // namespace

const Sweep& prune_finished() { return kPruneFinished; }

}  // namespace muster::engine
