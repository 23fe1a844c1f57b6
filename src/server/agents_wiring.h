// From settings to the options of agents and of their model's API.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agents/claude/client.h"
#include "agents/settings.h"
#include "base/status.h"
#include "server/config.h"

namespace muster::server {

agents::Settings agent_settings(const Config& config);
// Nothing: there is neither a key nor an API of the operator's own, so nothing can be run. unavailable: the file with the key
// cannot be read.
Result<std::optional<claude::Config>> claude_config(const Config& config);
// "team=1000000/5000000": tokens and microdollars of a day.
Result<std::map<std::string, AgentBudget>> agent_budgets(const std::vector<std::string>& rows);

}  // namespace muster::server
