// What a connection may do as whom. Rights by role are the session's (Entry::access); here is what depends on the worker.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "fronts/resp/call.h"
#include "model/ids.h"

namespace muster::resp::work {

// permission_denied when the connection's key is another worker's.
Status may_act_as(const Client& client, const WorkerId& worker);
// "-ERR NOPERM …" and so on.
void refuse(const CallRef& call, const Status& status);

// 1 to 64 of [A-Za-z0-9_-], in the words of PING: "worker_id must be …"; and not a name that is the front's own.
Status validate_pinged_id(std::string_view id);

}  // namespace muster::resp::work
