// Figures over time as JSON: queries in, series out.
#pragma once

#include <vector>

#include "base/status.h"
#include "command/watch/history.h"
#include "fronts/http/json/fields.h"
#include "fronts/http/json/writer.h"
#include "fronts/http/target.h"

namespace muster::http {

Result<command::ServerHistoryRequest> decode_server_history(const std::vector<QueryParameter>& query);

const Object<command::ServerHistoryReply>& object_of(Of<command::ServerHistoryReply>);

}  // namespace muster::http
