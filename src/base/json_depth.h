// How deep JSON of users may be, for every reader of it.
#pragma once

#include <cstddef>

namespace muster::json {

// Arrays and objects in each other. A deeper text is never made into a tree: walking it could exhaust the stack.
inline constexpr std::size_t kDepthMax = 128;

}  // namespace muster::json
