// Lanes as JSON: queries in, lists out.
#pragma once

#include <vector>

#include "base/status.h"
#include "command/queues.h"
#include "fronts/http/json/fields.h"
#include "fronts/http/json/writer.h"
#include "fronts/http/target.h"

namespace muster::http {

Result<command::QueueLanesRequest> decode_queue_lanes(const std::vector<QueryParameter>& query);

const Object<engine::LaneService>& object_of(Of<engine::LaneService>);
const Object<engine::LanesListed>& object_of(Of<engine::LanesListed>);

}  // namespace muster::http
