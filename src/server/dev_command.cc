// `muster dev`: the server in this process, with a worker and work, for a first look.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "base/log.h"
#include "server/command_flags.h"
#include "server/running.h"
#include "server/serve_command.h"

namespace muster::server {
namespace {

constexpr Duration kReportEvery{1'000};

struct DevFlags {
  SettingFlags settings;
  std::string run_for;
  bool no_demo = false;
};

// The demo keeps out of the folder of a real server, and takes another port when the usual one is busy.
LoadRequest with_demo_defaults(LoadRequest request) {
  const LoadedConfig loaded = load_config(request);
  if (loaded.config.entry("server", "data_dir").source == "default")
    request.flags["server.data_dir"] = loaded.config.data_dir() + "-dev";
  if (loaded.config.entry("log", "level").source == "default") request.flags["log.level"] = "warn";
  return request;
}

// The usual ports where they are free, any others where they are not. A port that was asked for is the only one that will do.
// Each attempt has a model of its own: a server that could not start has stopped the one it was given, for good.
using MakeModel = std::function<std::shared_ptr<claude::Api>()>;
Result<std::unique_ptr<Server>> start_on_some_port(Config& config, LoadRequest& request, const Clock& clock,
                                                   const MakeModel& model) {
  auto server = Server::start(config, clock, model());
  if (server.ok() || server.code() != Code::unavailable) return server;
  const std::vector<std::vector<std::string>> attempts{
      {"resp"}, {"http"}, {"grpc"}, {"http", "resp"}, {"http", "grpc"}, {"resp", "grpc"}, {"http", "resp", "grpc"}};
  for (const std::vector<std::string>& listeners : attempts) {
    LoadRequest other = request;
    for (const std::string& name : listeners)
      if (config.entry("listen", name).source == "default") other.flags["listen." + name] = "127.0.0.1:0";
    if (other.flags == request.flags) continue;
    Config changed = load_config(other).config;
    auto next = Server::start(changed, clock, model());
    if (!next.ok()) continue;
    say(stderr, fmt::format("muster: {}; took another port\n", server.status().message()));
    request = std::move(other);
    config = std::move(changed);
    return next;
  }
  // When no port was what stood in the way, the first answer says more.
  return server;
}

// An operator who has a model of their own is not shown another one.
bool wants_model(const Config& config) {
  const auto unset = [&config](const char* key) { return config.text("agents", key).empty(); };
  return config.flag("agents", "enabled") && unset("api_key") && unset("api_key_file") && unset("base_url") &&
         unset("replay_file");
}

class Reporter {
 public:
  explicit Reporter(const Demo* demo) : demo_(demo), terminal_(::isatty(STDOUT_FILENO) == 1) {}
  ~Reporter() {
    if (terminal_ && demo_ != nullptr) say(stdout, "\n");
  }

  void print(Duration passed) {
    if (demo_ == nullptr) return;
    const Demo::Counts counts = demo_->counts();
    const double seconds = static_cast<double>((passed - last_passed_).count()) / 1'000.0;
    const double rate = seconds > 0 ? static_cast<double>(counts.completed - last_.completed) / seconds : 0;
    say(stdout, fmt::format("{}submitted {}  completed {}  failed {}  {:.0f} jobs/s{}", terminal_ ? "\r\033[K" : "",
                            counts.submitted, counts.completed, counts.failed, rate, terminal_ ? "" : "\n"));
    last_ = counts;
    last_passed_ = passed;
  }

 private:
  const Demo* demo_;
  bool terminal_;
  Demo::Counts last_;
  Duration last_passed_{0};
};

void introduce(Server& server, const Config& config) {
  std::string text = fmt::format("muster ready {}\n", server.addresses());
  if (const std::string url = server.http_url(); !url.empty())
    text += fmt::format(
        "  dashboard {1}\n  jobs      {0}/api/v1/jobs\n  workers   {0}/api/v1/workers\n  openapi   {0}/api/v1/openapi.json\n"
        "  events    {0}/events\n  metrics   {0}/metrics\n",
        url, server.dashboard_url());
  if (const std::string address = server.resp_address(); !address.empty())
    text += fmt::format("  resp      {}  (AUTH with the key in {})\n", address,
                        server.key().path.empty() ? "the configuration" : server.key().path);
  if (const std::string address = server.grpc_address(); !address.empty()) text += fmt::format("  grpc      {}\n", address);
  text += fmt::format("  data      {}\n  stop      Ctrl-C\n", config.data_dir());
  say(stdout, text);
}

// How to answer the agent of the demo, which waits for it.
void introduce_agent(const Demo& demo, const std::string& url) {
  const std::string run = demo.agent_run();
  if (run.empty()) return;
  say(stdout, fmt::format("  agent     run {0} asks before it publishes; in another terminal:\n"
                          "            muster --server {1} run get {0}\n            muster --server {1} run approve {0}\n"
                          "            muster --server {1} run watch {0}\n",
                          run, url));
}

int run_dev(const DevFlags& flags, const Surroundings& surroundings) {
  std::optional<Duration> run_for;
  if (!flags.run_for.empty()) {
    const auto ms = parse_duration_ms(flags.run_for);
    if (!ms.ok()) return report({{.where = "flag --for", .message = ms.status().message(), .usage = true}});
    run_for = Duration(*ms);
  }
  LoadRequest request = with_demo_defaults(flags.settings.request());
  LoadedConfig loaded = load_config(request);
  if (!loaded.problems.empty()) return report(loaded.problems);
  Config config = std::move(loaded.config);
  log::set_level(*log::parse_level(config.text("log", "level")));

  raise_descriptor_limit();
  const Signals signals;
  const RealClock clock;
  const bool with_agent = !flags.no_demo && wants_model(config);
  auto server =
      start_on_some_port(config, request, clock, with_agent ? surroundings.demo_model : MakeModel([] { return nullptr; }));
  if (!server.ok()) {
    report_start_failure(server.status());
    return kExitFailure;
  }
  introduce(**server, config);
  announce_key(**server);
  std::unique_ptr<Demo> demo;
  if (!flags.no_demo && !(*server)->http_url().empty())
    demo = surroundings.start_demo({.url = (*server)->http_url(), .token = (*server)->key().text, .with_agent = with_agent});
  if (demo) introduce_agent(*demo, (*server)->http_url());

  {
    Reporter reporter(demo.get());
    const Ticks begun = clock.elapsed();
    while (true) {
      const auto passed = std::chrono::duration_cast<Duration>(clock.elapsed() - begun);
      if (run_for && passed >= *run_for) break;
      const Signal signal = signals.next(run_for ? std::min(kReportEvery, *run_for - passed) : kReportEvery);
      if (signal == Signal::stop) break;
      if (signal == Signal::reload) reload(**server, config, request);
      (*server)->keep_when_due();
      reporter.print(std::chrono::duration_cast<Duration>(clock.elapsed() - begun));
    }
  }
  demo.reset();
  return stop(**server, config, signals);
}

}  // namespace

Command dev_command(const Surroundings& surroundings) {
  auto flags = std::make_shared<DevFlags>();  // shared by the two closures
  return {.name = "dev",
          .summary = "Run a server with a demo worker, demo jobs and a demo agent",
          .describe =
              [flags](CLI::App& app) {
                flags->settings.describe(app);
                app.add_option("--for", flags->run_for, "stop by itself after this long, for example 10s")->type_name("DURATION");
                app.add_flag("--no-demo", flags->no_demo, "neither worker nor jobs nor agent");
                app.footer("Example:\n  muster dev --for 30s");
              },
          .run = [flags, surroundings] { return run_dev(*flags, surroundings); }};
}

}  // namespace muster::server
