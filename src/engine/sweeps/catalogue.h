// Every sweep there is. A new one is a file beside this one and a line in catalogue.cc.
#pragma once

#include <span>

#include "engine/sweeps/sweep.h"

namespace muster::engine {

const Sweep& promote_due();
const Sweep& expire_leases();
const Sweep& time_out_jobs();
const Sweep& expire_waiting();
const Sweep& end_preferences();
const Sweep& bury_silent_workers();
const Sweep& end_drains();
const Sweep& prune_finished();
const Sweep& prune_workers();
const Sweep& settle_actions();
const Sweep& expire_keys();

std::span<const Sweep* const> all_sweeps();

}  // namespace muster::engine
