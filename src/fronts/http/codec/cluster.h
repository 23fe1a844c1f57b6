// The cluster as JSON.
#pragma once

#include "command/cluster.h"
#include "fronts/http/json/writer.h"

namespace muster::http {

void write(JsonWriter& out, const command::Cluster& cluster);

}  // namespace muster::http
