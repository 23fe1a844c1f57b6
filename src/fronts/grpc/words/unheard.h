// Runs that were handed out in the last moments of a server that was killed. The answer of their poll may have died with it, and
// a client of the Kagzi dialects that lives on would keep their leases by its heartbeats for ever without knowing of them.
//
// Those that nobody has spoken about for a while after the restart are handed back. Only on a store of our own: on a cluster
// another node may have handed them out and may be well.
#pragma once

#include <memory>

#include "base/clock.h"
#include "fronts/grpc/core.h"

namespace muster::rpc {

// What came this close before the newest hand-out counts as the last moments.
inline constexpr Duration kLastMoments{2'000};

// Looks now and again after `wait`. `alive` keeps core for as long as answers are on their way.
void release_unheard(Core& core, Duration wait, std::shared_ptr<void> alive);

}  // namespace muster::rpc
