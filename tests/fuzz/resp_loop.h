// An I/O loop without a thread and without sockets, so that the RESP front can be driven by a fuzzer: what is posted runs when it
// is told to, timers never fire. Linked instead of src/net, whose coroutines clang 14 cannot instrument.
#pragma once

#include "net/io_loop.h"

namespace muster::net {

// Runs what is posted, and what that posts, at most `rounds` times. True: nothing is left.
bool run_posted(IoLoop& loop, int rounds);

}  // namespace muster::net
