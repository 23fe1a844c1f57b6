// `muster config check|show`.
#pragma once

#include <string>
#include <string_view>

#include "server/commands.h"
#include "server/config.h"

namespace muster::server {

// What stands where a secret would.
inline constexpr std::string_view kRedacted = "(redacted)";

Command config_command(const Surroundings& surroundings);

// The effective values as a TOML file whose comments say where each came from. Secrets are redacted.
std::string show_toml(const Config& config);
std::string show_json(const Config& config);
// One value, as both of them show it.
std::string shown_setting(const ConfigEntry& entry);
// An address without who may use it: http://user:password@host becomes http://(redacted)@host. A proxy needs no scheme, so
// neither does this.
std::string without_user(std::string text);

}  // namespace muster::server
