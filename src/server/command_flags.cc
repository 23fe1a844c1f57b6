#include "server/command_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>

#include "server/commands.h"

namespace muster::server {

namespace {

std::string store_in(const std::string& path) {
  std::ifstream in(path);
  std::string text;
  if (!(in >> text)) throw CLI::ValidationError("--store-file", fmt::format("`{}` cannot be read or holds no store", path));
  return text;
}

}  // namespace

void SettingFlags::describe(CLI::App& app) {
  app_ = &app;
  app.add_option("--config", file_, "configuration file (TOML)")->type_name("FILE");
  app.add_option_function<std::string>(
         "--store-file", [this](const std::string& path) { store_ = store_in(path); },
         "file whose first word is what --store would say; keeps a password off the command line")
      ->type_name("FILE");
  for (const Setting& setting : settings()) {
    if (setting.flag.empty()) continue;
    const std::string flag(setting.flag);
    if (setting.type == SettingType::boolean) {
      app.add_flag(flag, insecure_, std::string(setting.help));
      continue;
    }
    std::string help(setting.help);
    if (!setting.fallback.empty()) help += fmt::format(" (default {})", setting.fallback);
    const char* const type = setting.type == SettingType::listen      ? "HOST:PORT|off"
                             : setting.type == SettingType::listeners ? "ADDRESS,…|off"
                             : setting.type == SettingType::path      ? "PATH"
                                                                      : "TEXT";
    app.add_option(flag, texts_[full_name(setting)], help)
        ->type_name(setting.choices.empty() ? std::string(type) : std::string(setting.choices));
  }
}

LoadRequest SettingFlags::request() const {
  LoadRequest request{.file = file_, .environment = process_environment(), .flags = {}};
  if (!store_.empty()) request.flags["server.store"] = store_;
  for (const Setting& setting : settings()) {
    if (setting.flag.empty() || app_->count(std::string(setting.flag)) == 0) continue;
    const std::string name = full_name(setting);
    request.flags[name] = setting.type == SettingType::boolean ? (insecure_ ? "true" : "false") : texts_.at(name);
  }
  return request;
}

int report(const std::vector<Problem>& problems) {
  for (const Problem& problem : problems) fmt::print(stderr, "muster: {}\n", problem.text());
  if (problems.empty()) return kExitOk;
  const bool usage = std::any_of(problems.begin(), problems.end(), [](const Problem& problem) { return problem.usage; });
  return usage ? kExitUsage : kExitFailure;
}

}  // namespace muster::server
