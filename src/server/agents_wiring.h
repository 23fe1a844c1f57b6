// From settings to the options of agents and of their model's API.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/claude/client.h"
#include "agents/settings.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/status.h"
#include "server/config.h"

namespace muster::server {

agents::Settings agent_settings(const Config& config);
// Nothing: there is neither a key nor an API of the operator's own, so nothing can be run. unavailable: the file with the key
// cannot be read.
Result<std::optional<claude::Config>> claude_config(const Config& config);
// How this server reaches its model: over HTTP, recorded or not, or from a cassette. Null: not at all. unavailable,
// invalid_argument: a file that is named cannot be used.
Result<std::shared_ptr<claude::Api>> model_api(const Config& config, const Clock& clock, Metrics& metrics);
// "team=1000000/5000000": tokens and microdollars of a day.
Result<std::map<std::string, AgentBudget>> agent_budgets(const std::vector<std::string>& rows);

}  // namespace muster::server
