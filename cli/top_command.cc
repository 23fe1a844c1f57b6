// `muster top`: the live view of queues, workers and throughput. Without a terminal, or with --output json, one snapshot.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <mutex>
#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/job_table.h"
#include "cli/top_view.h"
#include "cli/workers_table.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kWorkersShown = 200;

struct TopArguments {
  std::optional<sdk::Duration> interval;
  bool one_namespace = false;
};

sdk::Result<TopSnapshot> look(sdk::Client& client, const std::string& ns) {
  TopSnapshot snapshot;
  sdk::Result<sdk::ServerInfo> server = client.server();
  if (!server.ok()) return server.error();
  sdk::Result<std::vector<sdk::Queue>> queues = client.queues(ns);
  if (!queues.ok()) return queues.error();
  // Live workers only: the offline ones are history.
  for (const char* state : {"online", "draining"}) {
    sdk::WorkerQuery query{
        .ns = ns, .state = state, .capability = {}, .label = {}, .queue = {}, .limit = kWorkersShown, .cursor = {}};
    sdk::Result<sdk::WorkerPage> page = client.workers(query);
    if (!page.ok()) return page.error();
    std::move(page->workers.begin(), page->workers.end(), std::back_inserter(snapshot.workers));
  }
  if (server->workers > snapshot.workers.size() && snapshot.workers.size() >= kWorkersShown)
    snapshot.workers_more = server->workers - snapshot.workers.size();
  snapshot.server = std::move(*server);
  snapshot.queues = std::move(*queues);
  snapshot.at = now();
  return snapshot;
}

int show_once(Context& context, sdk::Client& client, const std::string& ns) {
  const sdk::Result<TopSnapshot> snapshot = look(client, ns);
  if (!snapshot.ok()) return context.fail("look at the server", snapshot.error());
  if (context.wants_table()) {
    context.table(queues_table(snapshot->queues, snapshot->at));
    context.line("");
    context.table(workers_table(snapshot->workers, snapshot->at));
    return to_int(Exit::ok);
  }
  Json json{
      {"server", Json::parse(snapshot->server.document, nullptr, false)}, {"queues", Json::array()}, {"workers", Json::array()}};
  for (const sdk::Queue& queue : snapshot->queues) json["queues"].push_back(Json::parse(queue.document, nullptr, false));
  for (const sdk::WorkerInfo& worker : snapshot->workers) json["workers"].push_back(Json::parse(worker.document, nullptr, false));
  context.document(json.dump());
  return to_int(Exit::ok);
}

// What the refreshing thread leaves for the drawing one.
struct Shown {
  std::mutex mutex;
  TopSnapshot snapshot;
  TopHistory history;
  std::string problem;
};

int top(Context& context, const TopArguments& arguments) {
  const auto opened = context.client();
  if (!opened.ok()) return context.fail("look at the server", opened.error());
  sdk::Client& client = **opened;
  const std::string ns = context.scope(!arguments.one_namespace);
  if (!stdout_is_terminal() || !stdin_is_terminal() || !context.wants_table()) return show_once(context, client, ns);

  Shown shown;
  sdk::Result<TopSnapshot> first = look(client, ns);
  if (!first.ok()) return context.fail("look at the server", first.error());
  shown.snapshot = *first;
  shown.history.add(*first);
  LiveView view;
  if (arguments.interval) view.interval = *arguments.interval;
  view.refresh = [&] {
    sdk::Result<TopSnapshot> snapshot = look(client, ns);
    const std::lock_guard lock(shown.mutex);
    shown.problem = snapshot.ok() ? "" : snapshot.error().text();
    if (snapshot.ok()) {
      shown.history.add(*snapshot);
      shown.snapshot = std::move(*snapshot);
    }
    return true;
  };
  view.draw = [&](TerminalSize size) {
    const std::lock_guard lock(shown.mutex);
    return render_top(shown.snapshot, shown.history,
                      {.size = size,
                       .color = context.globals().color,
                       .unicode = terminal_is_unicode(),
                       .address = context.globals().server,
                       .problem = shown.problem});
  };
  view.interrupt = [&client] { client.interrupt(); };
  run_live(view);
  return to_int(Exit::ok);
}

}  // namespace

void add_top_command(CLI::App& app, Context& context) {
  CLI::App* command = add_command(app, {.name = "top",
                                        .summary = "live view of queues, workers and throughput; q quits",
                                        .example = "muster top --interval 500ms"});
  auto arguments = std::make_shared<TopArguments>();
  add_duration(*command, {.name = "--interval", .help = "time between two looks (1s)"}, arguments->interval);
  command->add_flag("--one-namespace", arguments->one_namespace, "only the namespace of --namespace");
  command->callback([&context, arguments] { context.chosen = [&context, arguments] { return top(context, *arguments); }; });
}

}  // namespace muster::cli
