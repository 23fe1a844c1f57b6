// An Api in front of another one that writes every exchange to a cassette (cassette.h) as it ends.
//
// The file belongs to its owner alone (0600) and is appended to. The key never gets into it: calls carry it beside their params,
// and where a prompt or an answer repeats it, it is cut out. A file that cannot be written to costs a warning, never a call.
#pragma once

#include <memory>
#include <string>

#include "agents/claude/api.h"
#include "base/status.h"

namespace muster::claude {

// unavailable: the file cannot be opened. `api` is shared with nobody else.
Result<std::shared_ptr<Api>> record_calls(std::shared_ptr<Api> api, const std::string& path, std::string key);

}  // namespace muster::claude
