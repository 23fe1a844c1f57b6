// Leases that ran out are lost: the job is rescued, or dead when its rescues are used up. A renewal that comes in between wins,
// because the store judges each lease by itself inside the pass.
#include <chrono>
#include <utility>

#include "engine/sweeps/catalogue.h"

namespace muster::engine {
namespace {

constexpr Sweep kExpireLeases{
    .name = "expire_leases",
    .period = std::chrono::seconds(1),
    .budget = 1'000,
    .run = [](store::SweepStore& store, const Options&, std::size_t budget,
              Reply<store::SweepReport> reply) { store.expire_leases(budget, std::move(reply)); },
};

}  // namespace

const Sweep& expire_leases() { return kExpireLeases; }

}  // namespace muster::engine
