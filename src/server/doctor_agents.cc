#include "server/agents_wiring.h"
#include "server/config_command.h"
#include "server/doctor.h"

namespace muster::server {

// Nothing is sent: a key is proved by its first use, which costs.
std::vector<Finding> check_agents(const Config& config) {
  if (!config.flag("agents", "enabled")) return {good("agents", "off")};
  if (const std::string& cassette = config.text("agents", "replay_file"); !cassette.empty())
    return {good("agents", "answered from the cassette " + cassette)};
  const auto api = claude_config(config);
  if (!api.ok())
    return {{.name = "agents", .grade = Grade::fail, .text = api.status().message(), .remedy = "check agents.api_key_file"}};
  if (!*api)
    return {good("agents", "kept, not run: there is no key (agents.api_key_file, ANTHROPIC_API_KEY) and no agents.base_url")};
  return {good("agents", "run at " + without_user((*api)->base_url) + ((*api)->api_key.empty() ? ", without a key" : ""))};
}

}  // namespace muster::server
