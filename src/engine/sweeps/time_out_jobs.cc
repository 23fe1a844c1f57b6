// Attempts that ran longer than their job's timeout fail, and spend an attempt. Heartbeats do not protect from it: a worker that
// is alive may still be stuck.
#include <chrono>
#include <utility>

#include "engine/sweeps/catalogue.h"

namespace muster::engine {
namespace {

constexpr Sweep kTimeOutJobs{
    .name = "time_out_jobs",
    .period = std::chrono::seconds(1),
    .budget = 1'000,
    .run = [](store::SweepStore& store, const Options&, std::size_t budget,
              Reply<store::SweepReport> reply) { store.time_out_jobs(budget, std::move(reply)); },
};

}  // namespace

const Sweep& time_out_jobs() { return kTimeOutJobs; }

}  // namespace muster::engine
