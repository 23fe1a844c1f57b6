// Waiting for a run and showing how it ended; shared by `workflow result` and `workflow start --wait`.
#pragma once

#include <optional>
#include <string>

#include "cli/context.h"

namespace muster::cli {

// Prints the result of a completed run: 0. Any other end, or none within `wait`: a note and 1.
int show_result(Context& context, sdk::Client& client, const std::string& run, std::optional<sdk::Duration> wait);

}  // namespace muster::cli
