// Jobs that waited for a preferred worker long enough may be taken by any able one.
#include <chrono>
#include <utility>

#include "engine/sweeps/catalogue.h"

namespace muster::engine {
namespace {

constexpr Sweep kEndPreferences{
    .name = "end_preferences",
    .period = std::chrono::seconds(1),
    .budget = 1'000,
    .run = [](store::SweepStore& store, const Options&, std::size_t budget,
              Reply<store::SweepReport> reply) { store.end_preferences(budget, std::move(reply)); },
};

}  // namespace

const Sweep& end_preferences() { return kEndPreferences; }

}  // namespace muster::engine
