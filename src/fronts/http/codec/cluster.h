// The cluster as JSON.
#pragma once

#include "command/cluster.h"
#include "fronts/http/json/fields.h"
#include "fronts/http/json/writer.h"

namespace muster::http {

const Object<command::Cluster>& object_of(Of<command::Cluster>);

}  // namespace muster::http
