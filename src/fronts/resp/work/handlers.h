// The commands of this folder that stand alone.
#pragma once

#include "fronts/resp/call.h"

namespace muster::resp::work {

void register_worker(const CallRef& call);    // WORKER.REGISTER <json>
void heartbeat_worker(const CallRef& call);   // WORKER.HEARTBEAT <id> [stats]
void unregister_worker(const CallRef& call);  // WORKER.UNREGISTER <id>
void verify_worker(const CallRef& call);      // WORKER.VERIFY, of the operator and of the worker
void list_workers(const CallRef& call);       // WORKER.LIST [STATE s] [TOOL t] [TAG k=v] [LIMIT n] [CURSOR c]

}  // namespace muster::resp::work
