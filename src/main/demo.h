// The demo of `muster dev`: a worker, a source of jobs and, where it has a model, an agent, all clients of the HTTP API through
// the SDK like any program of a user. main.cc hands it to the server's commands.
#pragma once

#include <memory>
#include <string>

#include "server/commands.h"

namespace muster {

// Runs until it is destroyed. What goes wrong is said on stderr; the server is not disturbed by it.
std::unique_ptr<server::Demo> start_demo(const server::DemoRequest& request);

}  // namespace muster
