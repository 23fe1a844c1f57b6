// What the events of an agent's run are called on every wire: the run's words are output of its job (channel llm), and a chunk
// that is a JSON object names itself by its `type`.
#pragma once

#include <string>

#include "model/output.h"

namespace muster::command {

// A word of letters, digits, '_', '.' and '-'. Empty: the chunk is no event of a run, and is shown as the output that it is.
std::string run_event_name(const OutputChunk& chunk);

}  // namespace muster::command
