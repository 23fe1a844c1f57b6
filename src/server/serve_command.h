// `muster serve` and `muster dev`.
#pragma once

#include "server/commands.h"

namespace muster::server {

Command serve_command();
Command dev_command(const Surroundings& surroundings);

}  // namespace muster::server
