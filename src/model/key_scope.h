// Keys that a wire keeps for its callers begin with a scope, so that equal keys of two wires are two keys. The scope is ours: it
// neither counts against what callers may name nor shows where people read.
#pragma once

#include <string_view>

namespace muster {

inline constexpr const char* kKagziKeys = "kagzi:";  // idempotency keys and external ids of runs
inline constexpr const char* kChildKeys = "child:";  // of runs that a run started; the parent's id and ':' follow

// What the caller named.
std::string_view without_scope(std::string_view key);

}  // namespace muster
