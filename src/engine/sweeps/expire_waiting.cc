// Jobs that are still waiting when their expires_in is over are dead: nobody wants the answer any more.
#include <chrono>
#include <utility>

#include "engine/sweeps/catalogue.h"

namespace muster::engine {
namespace {

constexpr Sweep kExpireWaiting{
    .name = "expire_waiting",
    .period = std::chrono::seconds(1),
    .budget = 1'000,
    .run = [](store::SweepStore& store, const Options&, std::size_t budget,
              Reply<store::SweepReport> reply) { store.expire_waiting(budget, std::move(reply)); },
};

}  // namespace

const Sweep& expire_waiting() { return kExpireWaiting; }

}  // namespace muster::engine
