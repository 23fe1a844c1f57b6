// What this node tells the others about its configuration (store/node_settings.h): every setting as `muster config show` has it,
// and what that leaves out as a seal.
//
// Seals are made with a key derived from the operator's. All nodes have the same one, or else that is the first difference;
// whoever reads the database alone has 256 bits to guess before the first secret can be tried.
#pragma once

#include <cstddef>

#include "server/config.h"
#include "server/session_key.h"
#include "store/node_settings.h"

namespace muster::server {

inline constexpr std::size_t kSettingToldBytesMax = 1'024;  // of one value; a longer one is cut, and sealed as a whole

// Of a setting that every node rightly has for itself: addresses, folders and files, its name, and how it reaches the database.
bool is_own(const Setting& setting);

store::NodeSettings told_settings(const Config& config, const SessionKey& key);

}  // namespace muster::server
