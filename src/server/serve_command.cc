#include "server/serve_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/log.h"
#include "server/command_flags.h"
#include "server/notify.h"
#include "server/running.h"
#include "server/version.h"

namespace muster::server {
namespace {

constexpr Duration kSignalWait{1'000};

int serve_until_stopped(Server& server, Config& config, const Signals& signals, const LoadRequest& request) {
  const auto watchdog = watchdog_interval();
  const Duration wait = watchdog ? std::min(*watchdog, kSignalWait) : kSignalWait;
  while (true) {
    switch (signals.next(wait)) {
      case Signal::stop: return stop(server, config, signals);
      case Signal::reload: reload(server, config, request); break;
      case Signal::none: break;
    }
    server.keep_when_due();
    // A server whose background work stands still says nothing, and the manager starts it again.
    if (watchdog && server.alive()) notify_manager("WATCHDOG=1");
  }
}

int serve(const SettingFlags& flags) {
  const LoadRequest request = flags.request();
  LoadedConfig loaded = load_config(request);
  if (!loaded.problems.empty()) return report(loaded.problems);
  Config config = std::move(loaded.config);
  log::set_level(*log::parse_level(config.text("log", "level")));

  raise_descriptor_limit();
  const Signals signals;
  const RealClock clock;
  auto server = Server::start(config, clock);
  if (!server.ok()) {
    report_start_failure(server.status());
    return kExitFailure;
  }
  announce_key(**server);
  log::info("started",
            {{"version", std::string(kVersion)}, {"data_dir", config.data_dir()}, {"addresses", (*server)->addresses()}});
  say(stdout, fmt::format("muster ready {}\n", (*server)->addresses()));
  notify_manager("READY=1");
  return serve_until_stopped(**server, config, signals, request);
}

}  // namespace

Command serve_command() {
  auto flags = std::make_shared<SettingFlags>();  // shared by the two closures
  return {.name = "serve",
          .summary = "Run the server",
          .describe =
              [flags](CLI::App& app) {
                flags->describe(app);
                app.footer(
                    "Example:\n  muster serve --data-dir /var/lib/muster --http 127.0.0.1:8080\n\n"
                    "Prints one line on stdout when it accepts; SIGTERM drains, SIGHUP reloads.");
              },
          .run = [flags] { return serve(*flags); }};
}

}  // namespace muster::server
