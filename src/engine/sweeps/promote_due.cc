// Scheduled jobs whose time came become ready: delays, retries after their backoff, snoozes.
#include <chrono>
#include <utility>

#include "engine/sweeps/catalogue.h"

namespace muster::engine {
namespace {

// The period is only the upper bound: the store says when the next job is due, and a newly scheduled one has it asked again.
constexpr Sweep kPromoteDue{
    .name = "promote_due",
    .period = std::chrono::seconds(1),
    .budget = 2'000,
    .watches_schedule = true,
    .run = [](store::SweepStore& store, const Options&, std::size_t budget,
              Reply<store::SweepReport> reply) { store.promote_due(budget, std::move(reply)); },
};

}  // namespace

const Sweep& promote_due() { return kPromoteDue; }

}  // namespace muster::engine
