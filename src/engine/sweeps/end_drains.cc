// Workers whose drain deadline came hand back what they still run, without cost, and go offline (rule 6).
#include <chrono>
#include <utility>

#include "engine/sweeps/catalogue.h"

namespace muster::engine {
namespace {

// A worker brings all its leases along, so the budget is smaller than that of passes over jobs.
constexpr Sweep kEndDrains{
    .name = "end_drains",
    .period = std::chrono::seconds(1),
    .budget = 200,
    .run = [](store::SweepStore& store, const Options&, std::size_t budget,
              Reply<store::SweepReport> reply) { store.end_drains(budget, std::move(reply)); },
};

}  // namespace

const Sweep& end_drains() { return kEndDrains; }

}  // namespace muster::engine
