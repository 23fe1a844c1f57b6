// `muster workers list|get|drain|watch`.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <mutex>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/format.h"
#include "cli/job_table.h"
#include "cli/terminal.h"
#include "cli/workers_table.h"

namespace muster::cli {
namespace {

constexpr std::uint32_t kPageMax = 1'000;  // of the protocol

struct ListArguments {
  sdk::WorkerQuery query;
  bool all = false;
  bool all_namespaces = false;
  std::optional<sdk::Duration> interval;
};

void describe_list(CLI::App& command, ListArguments& arguments) {
  command.add_option("--state", arguments.query.state, "online, draining or offline")
      ->check(CLI::IsMember({"online", "draining", "offline"}));
  command.add_option("--capability", arguments.query.capability, "only those that offer kind:name");
  command.add_option("--label", arguments.query.label, "only those with KEY=VALUE")->type_name("KEY=VALUE");
  command.add_option("--queue", arguments.query.queue, "only those that serve this queue");
  command.add_flag("-A,--all-namespaces", arguments.all_namespaces, "of every namespace");
}

sdk::Result<sdk::WorkerPage> fetch(sdk::Client& client, sdk::WorkerQuery query, bool all) {
  sdk::WorkerPage out;
  do {
    sdk::Result<sdk::WorkerPage> page = client.workers(query);
    if (!page.ok()) return page;
    std::move(page->workers.begin(), page->workers.end(), std::back_inserter(out.workers));
    out.next = query.cursor = page->next;
  } while (!out.next.empty() && (all || out.workers.empty()));
  return out;
}

int list(Context& context, ListArguments arguments) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("list workers", client.error());
  arguments.query.ns = context.scope(arguments.all_namespaces);
  if (arguments.all && !arguments.query.limit) arguments.query.limit = kPageMax;
  const sdk::Result<sdk::WorkerPage> page = fetch(**client, arguments.query, arguments.all);
  if (!page.ok()) return context.fail("list workers", page.error());
  if (context.wants_table()) {
    context.table(workers_table(page->workers, now()));
    if (!page->next.empty()) context.note(fmt::format("more: --cursor {}, or --all", page->next));
    return to_int(Exit::ok);
  }
  Context::Listing listing{.key = "workers", .documents = {}, .next = page->next};
  for (const sdk::WorkerInfo& worker : page->workers) listing.documents.push_back(worker.document);
  context.listing(listing);
  return to_int(Exit::ok);
}

int show(Context& context, const char* doing, const sdk::Result<sdk::WorkerInfo>& worker, const std::string& id) {
  if (!worker.ok()) return context.fail(fmt::format("{} worker {}", doing, id), worker.error());
  if (context.wants_table())
    context.table(worker_details(*worker, now()));
  else
    context.document(worker->document);
  return to_int(Exit::ok);
}

int get(Context& context, const std::string& id) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("get worker " + id, client.error());
  return show(context, "get", (*client)->worker({.ns = context.globals().ns, .worker = id, .session = {}}), id);
}

struct DrainArguments {
  std::string id;
  std::optional<sdk::Duration> deadline;
  std::string reason;
};

int drain(Context& context, const DrainArguments& arguments) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("drain worker " + arguments.id, client.error());
  return show(
      context, "drain",
      (*client)->drain_worker(
          {.ns = context.globals().ns, .worker = arguments.id, .deadline = arguments.deadline, .reason = arguments.reason}),
      arguments.id);
}

// What the refreshing thread leaves for the drawing one.
struct Shown {
  std::mutex mutex;
  std::vector<sdk::WorkerInfo> workers;
  std::string problem;
};

std::vector<std::string> draw(Context& context, Shown& shown, TerminalSize size) {
  const std::lock_guard lock(shown.mutex);
  std::vector<std::string> lines;
  const std::string title = fmt::format("workers at {}  {}  q quits", context.globals().server, sdk::format_instant(now()));
  lines.push_back(colored(shortened(title, size.columns), Color::bold, context.globals().color));
  lines.push_back(colored(shortened(printable(shown.problem), size.columns), Color::red, context.globals().color));
  for (std::string& line :
       workers_table(shown.workers, now()).lines({.color = context.globals().color, .width_max = size.columns}))
    lines.push_back(std::move(line));
  return lines;
}

int watch(Context& context, ListArguments arguments) {
  if (!stdout_is_terminal() || !stdin_is_terminal() || !context.wants_table()) return list(context, arguments);
  const auto opened = context.client();
  if (!opened.ok()) return context.fail("watch workers", opened.error());
  sdk::Client& client = **opened;
  arguments.query.ns = context.scope(arguments.all_namespaces);
  arguments.query.limit = kPageMax;
  Shown shown;
  LiveView view;
  if (arguments.interval) view.interval = *arguments.interval;
  view.refresh = [&] {
    sdk::Result<sdk::WorkerPage> page = fetch(client, arguments.query, false);
    const std::lock_guard lock(shown.mutex);
    shown.problem = page.ok() ? "" : page.error().text();
    if (page.ok()) shown.workers = std::move(page->workers);
    return true;
  };
  view.draw = [&](TerminalSize size) { return draw(context, shown, size); };
  view.interrupt = [&client] { client.interrupt(); };
  run_live(view);
  return to_int(Exit::ok);
}

}  // namespace

void add_workers_commands(CLI::App& app, Context& context) {
  CLI::App* group = add_group(
      app, {.name = "workers", .summary = "look at and drain workers", .example = "muster workers list --state online"});

  CLI::App* list_command = add_command(
      *group, {.name = "list", .summary = "workers that match", .example = "muster workers list --capability tool:ffmpeg"});
  auto arguments = std::make_shared<ListArguments>();
  describe_list(*list_command, *arguments);
  list_command->add_option("--limit", arguments->query.limit, "workers a page")->check(CLI::Range(1U, kPageMax));
  list_command->add_option("--cursor", arguments->query.cursor, "go on after an earlier page");
  list_command->add_flag("--all", arguments->all, "every page");
  list_command->callback([&context, arguments] { context.chosen = [&context, arguments] { return list(context, *arguments); }; });

  CLI::App* get_command =
      add_command(*group, {.name = "get", .summary = "one worker in full", .example = "muster workers get encoder-1"});
  auto id = std::make_shared<std::string>();
  get_command->add_option("id", *id, "the worker")->required();
  get_command->callback([&context, id] { context.chosen = [&context, id] { return get(context, *id); }; });

  CLI::App* drain_command =
      add_command(*group, {.name = "drain",
                           .summary = "no new work; running jobs finish, or are handed back at the deadline",
                           .example = "muster workers drain encoder-1 --deadline 5m --reason upgrade"});
  auto draining = std::make_shared<DrainArguments>();
  drain_command->add_option("id", draining->id, "the worker")->required();
  add_duration(*drain_command, {.name = "--deadline", .help = "from now; then its jobs are handed back"}, draining->deadline);
  drain_command->add_option("--reason", draining->reason, "shown to the worker and in lists");
  drain_command->callback([&context, draining] { context.chosen = [&context, draining] { return drain(context, *draining); }; });

  CLI::App* watch_command = add_command(
      *group, {.name = "watch", .summary = "live table of workers; q quits", .example = "muster workers watch --queue mail"});
  auto watching = std::make_shared<ListArguments>();
  describe_list(*watch_command, *watching);
  add_duration(*watch_command, {.name = "--interval", .help = "time between two looks (1s)"}, watching->interval);
  watch_command->callback([&context, watching] { context.chosen = [&context, watching] { return watch(context, *watching); }; });
}

}  // namespace muster::cli
