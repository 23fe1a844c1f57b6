// A whole message as the events of a stream, each with its blank line.
#pragma once

#include <string>
#include <vector>

#include "tests/claude/script.h"

namespace muster::stand_in {

// `rule` says how it is cut: token_bytes, input_pieces, unknown_events.
std::vector<std::string> write_events(const Json& message, const Json& rule);
std::string write_event(const std::string& name, const Json& data);

}  // namespace muster::stand_in
