// The flags that stand for settings, shared by the commands that read the configuration.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "server/config.h"

namespace CLI {
class App;
}

namespace muster::server {

class SettingFlags {
 public:
  // Adds --config and every flag of the settings table. The app and this object outlive the parse.
  void describe(CLI::App& app);

  // Loads what the flags, the environment and the file say. REQUIRES: describe() and a parse.
  LoadedConfig load() const { return load_config(request()); }
  LoadRequest request() const;

 private:
  CLI::App* app_ = nullptr;
  std::string file_;
  std::map<std::string, std::string> texts_;  // "listen.http" → what was given
  std::string store_;                         // of --store-file; --store wins
  bool insecure_ = false;
};

// Prints the problems on stderr and returns the exit code they call for.
int report(const std::vector<Problem>& problems);

}  // namespace muster::server
