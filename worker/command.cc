#include "worker/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>

#include "base/log.h"
#include "worker/confinement.h"
#include "worker/exit.h"
#include "worker/settings.h"
#include "worker/tool_nodes.h"
#include "worker/tool_rules.h"

namespace muster::worker {
namespace {

// SIGTERM and SIGINT as values. Blocked before the first thread, so that no handler interrupts anything.
class Stops {
 public:
  Stops() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGTERM);
    sigaddset(&set_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
  }
  bool next(Duration wait) const {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait);
    timespec timeout{};
    timeout.tv_sec = seconds.count();
    timeout.tv_nsec = std::chrono::nanoseconds(wait - seconds).count();
    return sigtimedwait(&set_, nullptr, &timeout) > 0;
  }

 private:
  sigset_t set_{};
};

std::optional<std::string> from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

int complain(const Status& status) {
  fmt::print(stderr, "muster: {}\n", status.message());
  return status.code() == Code::invalid_argument ? kExitUsage : kExitFailure;
}

// What holds the tools; an error when namespaces must and cannot.
Result<Confinement> choose_confinement(SandboxMode mode, const std::string& folder) {
  if (mode == SandboxMode::off) return Confinement{};
  Confinement found = probe_confinement(folder);
  if (found.namespaces) return found;
  if (mode == SandboxMode::require) return Status::unavailable(fmt::format("--sandbox require: {}", found.trouble.message()));
  log::warn("tools run without a sandbox", {{"error", found.trouble.message()}});
  return found;
}

// Tools that only an operator can ask for, and why.
void warn_of(const Toolbox& tools) {
  for (const std::string& tool : tools.dangerous())
    log::warn(fmt::format("{} {}", tool, danger_of(tool)), {{"tool", tool}, {"detail", "announced because --tools names it"}});
}

// The worker this process is: named by the operator, remembered by the spool, or new.
Status settle_identity(Settings& settings, Spool& spool) {
  const auto kept = spool.identity();
  std::string& id = settings.agent.identity.id;
  settings.agent.adopts = !id.empty() || kept.has_value();
  if (id.empty()) id = kept.value_or(fresh_id());
  if (kept == id) return {};
  return spool.keep_identity(id);
}

// The worker over WebSocket: its session drains at the same signals, and what it runs are the same tools.
int serve_ws(sdk::ws::WorkerOptions options, const Executor& executor, const Clock& clock) {
  std::signal(SIGPIPE, SIG_IGN);
  options.log = [](std::string_view line) { log::warn(line); };
  auto worker = sdk::ws::Worker::open(std::move(options));
  if (!worker.ok()) return complain(Status::invalid_argument(worker.error().detail));
  register_tools(**worker, executor, clock);
  const auto ended = (*worker)->run();
  // Tools that were cancelled are ended by force after a moment; until then they use the executor.
  if (!(*worker)->wait_for_handlers(2 * kKillGrace)) log::warn("a tool outlives its worker");
  if (!ended.ok()) {
    fmt::print(stderr, "muster: {}\n", ended.error().detail);
    return ended.error().code == sdk::Code::unauthenticated ? kExitRefused : kExitFailure;
  }
  return (*worker)->status().abandoned > 0 ? kExitFailure : kExitOk;
}

int serve(const Flags& flags, const std::string& ca_file) {
  auto settings = make_settings(flags, ca_file, from_environment);
  if (!settings.ok()) return complain(settings.status());
  log::set_level(*log::parse_level(flags.log_level));
  std::optional<Stops> stops;
  if (!settings->ws) stops.emplace();
  auto spool = settings->spool.empty() ? Spool::open_any(settings->spool_parent) : Spool::open(settings->spool);
  if (!spool.ok()) return complain(spool.status());
  if (Status status = settle_identity(*settings, **spool); !status.ok()) return complain(status);
  const auto confinement = choose_confinement(settings->sandbox, settings->executor.temp_folder);
  if (!confinement.ok()) return complain(confinement.status());
  settings->executor.sandboxed = confinement->namespaces;
  settings->executor.landlock = confinement->landlock > 0;
  warn_of(settings->tools);

  const RealClock clock;
  log::info("worker starts",
            {{"worker_id", settings->agent.identity.id},
             {"address", settings->ws ? settings->ws->url : settings->agent.client.address.text()},
             {"tools", static_cast<std::int64_t>(settings->tools.tools().size() + settings->tools.units().size())},
             {"sandbox", confinement->namespaces},
             {"confinement", describe(*confinement)},
             {"spool", (*spool)->folder()},
             {"version", std::string(kVersion)}});
  const Executor executor(std::move(settings->tools), std::move(settings->executor), clock);
  if (settings->ws) {
    const Identity& identity = settings->agent.identity;
    settings->ws->instance_id = identity.id;
    settings->ws->name = identity.name.empty() ? identity.id : identity.name;
    settings->ws->data_folder = (*spool)->folder();
    return serve_ws(*std::move(settings->ws), executor, clock);
  }
  Agent agent(std::move(settings->agent), executor, **spool, clock);
  return agent.run([&stops](Duration wait) { return stops->next(wait); });
}

}  // namespace

Command worker_command(Surroundings surroundings) {
  auto flags = std::make_shared<Flags>();  // shared by the two closures
  return {.name = "worker",
          .summary = "Run a worker that executes plans of tools, or tools one by one over WebSocket",
          .describe = [flags](CLI::App& app) { describe_flags(app, *flags); },
          .run = [flags, surroundings = std::move(
                             surroundings)] { return serve(*flags, surroundings.ca_file ? surroundings.ca_file() : ""); }};
}

}  // namespace muster::worker
