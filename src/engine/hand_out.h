// Jobs that were granted and could not be shown to their worker, because the server made a mistake on the way.
//
// Handed back without cost they would be granted again at once, and fail again, for ever. So each spends a rescue: a mistake that
// passes costs the job nothing, one that stays makes it dead, with the incident as its cause.
#pragma once

#include <vector>

#include "base/status.h"
#include "engine/engine.h"
#include "model/job.h"

namespace muster::engine {

// `why`: of the incident (base/incident.h). Any thread; returns at once.
void hand_out_failed(Engine& engine, const std::vector<LeaseRef>& leases, const Status& why);
std::vector<LeaseRef> leases_of(const std::vector<Grant>& grants);

}  // namespace muster::engine
