// What a run of an agent says, as a stream of messages.
#pragma once

#include <cstddef>
#include <memory>

#include "fronts/grpc/stream_call.h"

namespace muster::rpc::native {

inline constexpr std::size_t kRunWatchesMax = 5'000;  // of one node; RESOURCE_EXHAUSTED beyond

std::unique_ptr<StreamMethod> watch_agent_run(StreamCall& call);

}  // namespace muster::rpc::native
