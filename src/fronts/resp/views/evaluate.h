// Reading commands over views: the same questions that the keyspace answers from its rows.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "command/keys.h"
#include "fronts/resp/views/view.h"

namespace muster::resp::views {

inline constexpr const char* kWrongType = "WRONGTYPE Operation against a key holding the wrong kind of value";

// How to read a view so that the command can be answered. Nothing: the command does not only read.
std::optional<Want> want_of(const store::KeyCommand& command);

// `views` are those of the command's keys, in order. REQUIRES: want_of() has a value, and they were read accordingly.
store::KeyAnswer evaluate(const store::KeyCommand& command, std::span<const View> views, Instant now);

}  // namespace muster::resp::views
