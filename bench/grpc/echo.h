// A server that answers the calls of a life with what a client needs to go on and does nothing else: what gRPC alone allows.
#pragma once

namespace muster::bench::grpc_suite {

// The child side: serves on a free port, prints `echo ready grpc=127.0.0.1:PORT` and runs until it is ended.
int serve_echo();

}  // namespace muster::bench::grpc_suite
