// Writes to views that mean something: they become what the registry or the queue calls it. Everything else is refused.
#pragma once

#include <string_view>

#include "fronts/resp/call.h"
#include "fronts/resp/views/view_key.h"

namespace muster::resp::views {

// True: the call is a write of this folder's and was taken care of; it is answered now or later.
bool take_write(const CallRef& call, const ViewKey& key);

// "'<key>' is a view of the registry; use <command>"
void refuse_write(const CallRef& call, std::string_view key, Kind kind);

// --- its parts ---
void set_view(const CallRef& call, const ViewKey& key);        // SET
void delete_view(const CallRef& call, const ViewKey& key);     // DEL, UNLINK
void remove_waiting(const CallRef& call, const ViewKey& key);  // LREM queue:<name>, ZREM queue:scheduled
void schedule(const CallRef& call);                            // ZADD queue:scheduled

}  // namespace muster::resp::views
