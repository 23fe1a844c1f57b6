// The one place where this suite makes the store it measures.
#pragma once

#include <cstddef>
#include <string>

#include "bench/rig.h"

namespace muster::bench::postgres {

// As many as the bare loop gets; one group is in flight on each.
inline constexpr std::size_t kConnections = 2;

// The store on an empty schema of its own. What an earlier measurement left under that name is dropped.
OpenStore store_in(const std::string& url, const std::string& schema);

}  // namespace muster::bench::postgres
