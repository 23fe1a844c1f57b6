// The names of the views, for KEYS and SCAN.
#pragma once

#include <string>
#include <vector>

#include "base/unique_function.h"
#include "fronts/resp/call.h"

namespace muster::resp {

// At most so many names are listed, of all views together.
inline constexpr std::size_t kViewNamesMax = 100'000;

// The view keys that match the glob, in byte order, on the loop's thread. A SCAN that goes on gets those that its next page
// needs. What is listed is decided by the literal start of the pattern (`worker:*:alive` asks the registry for live workers and
// nothing else); a pattern without one lists all. Failures of the store read as no names.
void list_view_keys(const CallRef& call, std::string pattern, UniqueFunction<void(std::vector<std::string>)> then);

}  // namespace muster::resp
