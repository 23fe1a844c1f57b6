// The TOML file as flat values with their positions. Only config.cc calls it; the TOML library stays in its .cc.
#pragma once

#include <string>
#include <vector>

#include "server/config.h"

namespace muster::server {

struct FileValue {
  const Setting* setting = nullptr;
  std::string text;
  std::string where;  // "muster.toml:3:8"
  std::string ns{};   // of [load.namespaces]
};

struct ConfigFile {
  std::vector<FileValue> values;
  std::vector<FileValue> namespace_values;
  std::vector<Credential> credentials;
  std::vector<Problem> problems;
};

ConfigFile read_config_file(const std::string& path);

}  // namespace muster::server
