// `muster store copy`: moves everything from one store to another, without a server.
#pragma once

#include "server/commands.h"

namespace muster::server {

Command store_command(const Surroundings& surroundings);

}  // namespace muster::server
