// From what went wrong to what the shell sees, and to what the person in front of it should do next.
#pragma once

#include <string>

#include "cli/cli.h"
#include "sdk/cpp/result.h"

namespace muster::cli {

Exit exit_for(const sdk::Error& error);
inline int to_int(Exit exit) { return static_cast<int>(exit); }

// One sentence of advice for the code; empty when the detail says it all.
std::string advice_for(const sdk::Error& error, const Globals& globals);

}  // namespace muster::cli
