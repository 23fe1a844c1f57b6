// What a filter's names and states stand for in statements that look through the view `jobs`.
#pragma once

#include <cstdint>
#include <vector>

#include "store/postgres/directory.h"
#include "store/verbs.h"

namespace muster::store::postgres {

// Bits by the view's `source` in which jobs of these states may be; all for none.
std::int64_t sources_of(const std::vector<JobState>& states);
// Bits by state; 0: any.
std::int64_t bits_of(const std::vector<JobState>& states);
// The lanes that fit namespace, queue and type, as far as the filter names them.
std::vector<LaneKey> lanes_for(const Directory& directory, const JobFilter& filter);

}  // namespace muster::store::postgres
