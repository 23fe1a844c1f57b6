// Following an action to its end: a bar over its jobs, then a table of them.
#pragma once

#include <functional>
#include <string>

#include "sdk/cpp/client.h"

namespace muster::cli {

class Context;

// Looks at once, then at growing intervals, until every job is finished; survives a server that is away for a while. `seen` is
// called after every look.
sdk::Result<sdk::Action> wait_for_action(sdk::Client& client, const std::string& ns, const std::string& id,
                                         const std::function<void(const sdk::Action&)>& seen);

// `action watch`. Progress goes to stderr, the jobs to stdout; the exit code says whether all of them completed.
int watch_action(Context& context, const std::string& id);

}  // namespace muster::cli
