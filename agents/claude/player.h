// An Api that answers from a cassette (cassette.h): no network, no key, no thread. A request that was not recorded fails at once.
#pragma once

#include <memory>
#include <string>

#include "agents/claude/api.h"
#include "agents/claude/cassette.h"
#include "base/status.h"

namespace muster::claude {

// Calls are answered before they return. Batches have ended when they are looked at; the newest kPlayerBatchesMax are known.
std::shared_ptr<Api> replay_calls(Cassette cassette);
// unavailable: the file cannot be read. invalid_argument: it is no cassette, or longer than kCassetteBytesMax.
Result<std::shared_ptr<Api>> replay_calls(const std::string& path);

}  // namespace muster::claude
