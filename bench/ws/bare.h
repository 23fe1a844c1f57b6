// The other side of the WebSocket rows: a Boost.Beast server that sends and takes the same frames and does nothing with them. It
// reads no JSON, keeps nothing and writes nothing down.
#pragma once

#include <cstddef>

namespace muster::bench::ws {

// `muster_bench ws-bare DEPTH`: serves until it is ended, and prints a ready line with `ws=127.0.0.1:PORT`. Each connection gets
// DEPTH dispatches, and one more for each result.
int serve_bare(std::size_t depth);

}  // namespace muster::bench::ws
