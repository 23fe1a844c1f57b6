// The other side of the first-token row: a relay that hands bytes on as they come, both ways, and does nothing with them.
#pragma once

namespace muster::bench::agents {

// `muster_bench agents-relay PORT`: between whoever connects and 127.0.0.1:PORT, until it is ended. Prints a ready line with
// `http=127.0.0.1:PORT`.
int serve_relay(int port);

}  // namespace muster::bench::agents
