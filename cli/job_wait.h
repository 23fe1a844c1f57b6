// Waiting for a job to finish, by looking again and again: always correct, whatever happens to a stream.
#pragma once

#include <functional>
#include <string>

#include "sdk/cpp/client.h"

namespace muster::cli {

// Looks at once, then at growing intervals; survives a server that is away for a while. `seen` is called after every look.
// Returns the finished job.
sdk::Result<sdk::Job> wait_for_job(sdk::Client& client, const std::string& id, const std::function<void(const sdk::Job&)>& seen);

}  // namespace muster::cli
