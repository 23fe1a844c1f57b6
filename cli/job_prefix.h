// A job named by the first digits of its id, as long as no other job begins so.
#pragma once

#include <string>

#include "sdk/cpp/client.h"

namespace muster::cli {

// The whole id. A text that is no beginning of one is given back as it is: the server judges it. not_found: no job begins so.
// conflict: several do; the message names them.
sdk::Result<std::string> whole_id(sdk::Client& client, const std::string& text);

}  // namespace muster::cli
