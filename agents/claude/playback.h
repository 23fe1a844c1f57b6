// An answer that is known as a whole, told as the stream that it would have come in.
#pragma once

#include <cstddef>

#include "agents/claude/api.h"

namespace muster::claude {

// The deltas of the answer's blocks, at most `most` of them. started() and ended() are the caller's.
void play(const Answer& answer, StreamSink& sink, std::size_t most = static_cast<std::size_t>(-1));

}  // namespace muster::claude
