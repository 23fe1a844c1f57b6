#include "server/running.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include "base/log.h"
#include "server/commands.h"
#include "server/notify.h"

namespace muster::server {

void say(std::FILE* stream, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  // Refused: the lower limit stays, and accepting says so when it is reached.
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) log::warn("the limit of open files cannot be raised");
}

void report_start_failure(const Status& status) { say(stderr, fmt::format("muster: {}\n", status.message())); }

void announce_key(const Server& server) {
  const SessionKey& key = server.key();
  if (key.path.empty()) return;
  say(stderr, fmt::format("muster: operator key {} {}\n", key.generated ? "generated into" : "is in", key.path));
  if (server.clustered()) say(stderr, "muster: other nodes do not know this key; give all of them the same [auth] session_key\n");
}

void reload(Server& server, Config& config, const LoadRequest& request) {
  notify_manager("RELOADING=1");
  LoadedConfig loaded = load_config(request);
  if (!loaded.problems.empty()) {
    for (const Problem& problem : loaded.problems) log::error("configuration not reloaded", {{"problem", problem.text()}});
    notify_manager("READY=1");
    return;
  }
  for (std::size_t i = 0; i < config.entries.size(); ++i) {
    const ConfigEntry& before = config.entries[i];
    const ConfigEntry& after = loaded.config.entries[i];
    if (before.value == after.value) continue;
    if (after.setting->reloadable)
      log::info("setting changed", {{"setting", full_name(*after.setting)}});
    else
      log::warn("setting changed; it takes effect at the next start", {{"setting", full_name(*after.setting)}});
  }
  if (const Status status = server.reload(loaded.config); !status.ok()) {
    log::error("configuration not reloaded", {{"code", std::string(to_string(status.code()))}, {"problem", status.message()}});
  } else {
    log::set_level(*log::parse_level(loaded.config.text("log", "level")));
    config = std::move(loaded.config);
    log::info("configuration reloaded");
  }
  notify_manager("READY=1");
}

int stop(Server& server, const Config& config, const Signals& signals) {
  log::info("stopping", {{"grace_ms", config.number("server", "stop_grace")}});
  notify_manager("STOPPING=1");
  const SecondSignalWatch watch(signals);
  const Status status = server.stop(Duration(config.number("server", "stop_grace")));
  if (!status.ok()) {
    log::error("the store did not close", {{"code", std::string(to_string(status.code()))}, {"problem", status.message()}});
    return kExitFailure;
  }
  log::info("stopped");
  return kExitOk;
}

}  // namespace muster::server
