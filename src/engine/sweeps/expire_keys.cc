// Keys whose time has come are removed. Reads do not depend on it: an expired key reads as absent before it is swept.
#include <chrono>
#include <utility>

#include "engine/sweeps/catalogue.h"

namespace muster::engine {
namespace {

constexpr Sweep kExpireKeys{
    .name = "expire_keys",
    .period = std::chrono::seconds(1),
    .budget = 1'000,
    .run = [](store::SweepStore& store, const Options&, std::size_t budget,
              Reply<store::SweepReport> reply) { store.expire_keys(budget, std::move(reply)); },
};

}  // namespace

const Sweep& expire_keys() { return kExpireKeys; }

}  // namespace muster::engine
