// `muster migrate status|up`: the schema of the database, without a server.
#pragma once

#include "server/commands.h"

namespace muster::server {

Command migrate_command(const Surroundings& surroundings);

}  // namespace muster::server
