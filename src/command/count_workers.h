// How many workers are there: shared by the commands that describe the server.
#pragma once

#include <cstdint>

#include "base/reply.h"
#include "engine/engine.h"

namespace muster::command {

// Online or draining, in all namespaces. The engine outlives the reply.
void count_workers(engine::Engine& engine, Reply<std::uint64_t> reply);

}  // namespace muster::command
