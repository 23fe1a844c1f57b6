// The artifacts of a result as resources: what the worker keeps of a task for later ones. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "base/json_reader.h"
#include "fronts/ws/registration.h"
#include "model/job.h"
#include "model/resource.h"

namespace muster::ws {

inline constexpr std::size_t kArtifactsMax = 64;  // of one result that are known afterwards; the others stand in nothing but it

// Those that the worker has itself: what it says about another worker's is that one's to tell. REQUIRES: the payload passed its
// schema.
std::vector<Resource> artifacts_of(const Identity& worker, const json::Tree& result, const JobId& job);

}  // namespace muster::ws
