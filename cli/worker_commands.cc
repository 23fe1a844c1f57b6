// `muster workers list|get|drain|resume|watch`, `muster queue list|pause|resume|limit` and `muster namespace list|create|delete`.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <mutex>

#include "cli/commands.h"
#include "cli/format.h"
#include "cli/jobs.h"
#include "cli/terminal.h"
#include "cli/workers.h"

namespace muster::cli {
namespace {

struct WorkerListArguments {
  sdk::WorkerQuery query;
  bool all = false;
  bool all_namespaces = false;
  std::optional<sdk::Duration> interval;
};

void describe_worker_list(CLI::App& command, WorkerListArguments& arguments) {
  command.add_option("--state", arguments.query.state, "online, draining or offline")
      ->check(CLI::IsMember({"online", "draining", "offline"}));
  command.add_option("--capability", arguments.query.capability, "only those that offer kind:name");
  command.add_option("--label", arguments.query.label, "only those with KEY=VALUE")->type_name("KEY=VALUE");
  command.add_option("--queue", arguments.query.queue, "only those that serve this queue");
  command.add_flag("-A,--all-namespaces", arguments.all_namespaces, "of every namespace");
}

sdk::Result<sdk::WorkerPage> fetch_workers(sdk::Client& client, sdk::WorkerQuery query, bool all) {
  sdk::WorkerPage out;
  do {
    sdk::Result<sdk::WorkerPage> page = client.workers(query);
    if (!page.ok()) return page;
    std::move(page->workers.begin(), page->workers.end(), std::back_inserter(out.workers));
    out.next = query.cursor = page->next;
  } while (!out.next.empty() && (all || out.workers.empty()));
  return out;
}

int list_workers(Context& context, WorkerListArguments arguments) {
  arguments.query.ns = context.scope(arguments.all_namespaces);
  if (arguments.all && !arguments.query.limit) arguments.query.limit = kPageMax;
  const auto page = context.ask([&](sdk::Client& client) { return fetch_workers(client, arguments.query, arguments.all); });
  if (!page.ok()) return context.fail("list workers", page.error());
  if (!context.wants_table()) {
    context.listing("workers", page->workers, page->next);
    return to_int(Exit::ok);
  }
  context.table(workers_table(page->workers, now()));
  if (!page->next.empty()) context.note(fmt::format("more: --cursor {}, or --all", page->next));
  return to_int(Exit::ok);
}

int show_worker(Context& context, const std::string& doing, const sdk::Result<sdk::WorkerInfo>& worker) {
  return context.show(doing, worker, [&](const sdk::WorkerInfo& found) { context.table(worker_details(found, now())); });
}

int get_worker(Context& context, const std::string& id) {
  return show_worker(context, "get worker " + id, context.ask([&](sdk::Client& client) {
    return client.worker({.ns = context.globals().ns, .worker = id, .session = {}});
  }));
}

struct DrainArguments {
  std::string id;
  std::optional<sdk::Duration> deadline;
  std::string reason;
};

int drain_worker(Context& context, const DrainArguments& arguments) {
  return show_worker(context, "drain worker " + arguments.id, context.ask([&](sdk::Client& client) {
    return client.drain_worker(
        {.ns = context.globals().ns, .worker = arguments.id, .deadline = arguments.deadline, .reason = arguments.reason});
  }));
}

int resume_worker(Context& context, const std::string& id) {
  return show_worker(context, "resume worker " + id, context.ask([&](sdk::Client& client) {
    return client.resume_worker({.ns = context.globals().ns, .worker = id, .session = {}});
  }));
}

// What the refreshing thread leaves for the drawing one.
struct ShownWorkers {
  std::mutex mutex;
  std::vector<sdk::WorkerInfo> workers;
  std::string problem;
};

std::vector<std::string> draw_workers(Context& context, ShownWorkers& shown, TerminalSize size) {
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

int watch_workers(Context& context, WorkerListArguments arguments) {
  if (!stdout_is_terminal() || !stdin_is_terminal() || !context.wants_table()) return list_workers(context, arguments);
  const auto opened = context.client();
  if (!opened.ok()) return context.fail("watch workers", opened.error());
  sdk::Client& client = **opened;
  arguments.query.ns = context.scope(arguments.all_namespaces);
  arguments.query.limit = kPageMax;
  ShownWorkers shown;
  LiveView view;
  if (arguments.interval) view.interval = *arguments.interval;
  view.refresh = [&] {
    sdk::Result<sdk::WorkerPage> page = fetch_workers(client, arguments.query, false);
    const std::lock_guard lock(shown.mutex);
    shown.problem = page.ok() ? "" : page.error().text();
    if (page.ok()) shown.workers = std::move(page->workers);
    return true;
  };
  view.draw = [&](TerminalSize size) { return draw_workers(context, shown, size); };
  view.interrupt = [&client] { client.interrupt(); };
  run_live(view);
  return to_int(Exit::ok);
}

// --- queues --------------------------------------------------------------------------------------------------------

struct QueueListArguments {
  bool all_namespaces = false;
};

int list_queues(Context& context, const QueueListArguments& arguments) {
  const auto queues = context.ask([&](sdk::Client& client) { return client.queues(context.scope(arguments.all_namespaces)); });
  if (!queues.ok()) return context.fail("list queues", queues.error());
  if (context.wants_table())
    context.table(queues_table(*queues, now()));
  else
    context.listing("queues", *queues);
  return to_int(Exit::ok);
}

struct LaneListArguments {
  sdk::LaneQuery query;
  bool all_namespaces = false;
};

int list_lanes(Context& context, LaneListArguments arguments) {
  arguments.query.ns = context.scope(arguments.all_namespaces);
  const auto listed = context.ask([&](sdk::Client& client) { return client.lanes(arguments.query); });
  if (!listed.ok()) return context.fail("list lanes", listed.error());
  if (!context.wants_table()) {
    context.listing("lanes", listed->lanes);
    return to_int(Exit::ok);
  }
  context.table(lanes_table(listed->lanes, now()));
  if (listed->unserved > 0) context.note(fmt::format("{} of {} lanes have no worker", listed->unserved, listed->total));
  if (listed->more) context.note("there are more; --limit, --queue or --unserved show others");
  return to_int(Exit::ok);
}

int show_queue(Context& context, const std::string& doing, const sdk::Result<sdk::Queue>& queue) {
  return context.show(doing, queue, [&](const sdk::Queue& found) { context.table(queues_table(std::span(&found, 1), now())); });
}

struct QueueArguments {
  std::string name;
  std::string reason;
  sdk::QueueLimits limits;
  std::optional<std::uint32_t> burst;
};

int pause_queue(Context& context, const QueueArguments& arguments) {
  return show_queue(context, "pause queue " + arguments.name, context.ask([&](sdk::Client& client) {
    return client.pause_queue({.ns = context.globals().ns, .queue = arguments.name}, arguments.reason);
  }));
}

int resume_queue(Context& context, const QueueArguments& arguments) {
  return show_queue(context, "resume queue " + arguments.name, context.ask([&](sdk::Client& client) {
    return client.resume_queue({.ns = context.globals().ns, .queue = arguments.name});
  }));
}

int limit_queue(Context& context, QueueArguments arguments) {
  sdk::QueueLimits& limits = arguments.limits;
  if (!limits.running_max && limits.running_max_by_type.empty() && !limits.rate)
    return context.usage("give at least one of --running-max, --type-max and --rate");
  if (arguments.burst && !limits.rate) return context.usage("--burst belongs to --rate");
  if (arguments.burst) limits.rate->burst = *arguments.burst;
  limits.ns = context.globals().ns;
  return show_queue(context, "limit queue " + arguments.name,
                    context.ask([&](sdk::Client& client) { return client.limit_queue(arguments.name, limits); }));
}

// --- namespaces ----------------------------------------------------------------------------------------------------

void show_namespaces(Context& context, std::span<const sdk::Namespace> namespaces) {
  Table table({{"NAMESPACE"}, {"CREATED", Align::right}, {"DESCRIPTION"}});
  for (const sdk::Namespace& ns : namespaces) table.add({{ns.name}, {format_age(ns.created_at, now())}, {ns.description}});
  context.table(table);
}

int list_namespaces(Context& context) {
  const auto namespaces = context.ask([](sdk::Client& client) { return client.namespaces(); });
  if (!namespaces.ok()) return context.fail("list namespaces", namespaces.error());
  if (context.wants_table())
    show_namespaces(context, *namespaces);
  else
    context.listing("namespaces", *namespaces);
  return to_int(Exit::ok);
}

int show_namespace(Context& context, const std::string& doing, const sdk::Result<sdk::Namespace>& ns) {
  return context.show(doing, ns, [&](const sdk::Namespace& found) { show_namespaces(context, std::span(&found, 1)); });
}

struct NamespaceArguments {
  std::string name;
  std::string description;
};

int create_namespace(Context& context, const NamespaceArguments& arguments) {
  return show_namespace(context, "create namespace " + arguments.name, context.ask([&](sdk::Client& client) {
    return client.create_namespace({.name = arguments.name, .description = arguments.description});
  }));
}

int delete_namespace(Context& context, const NamespaceArguments& arguments) {
  return show_namespace(context, "delete namespace " + arguments.name,
                        context.ask([&](sdk::Client& client) { return client.delete_namespace(arguments.name); }));
}

}  // namespace

void add_workers_commands(CLI::App& app, Context& context) {
  CLI::App& group = add_group(
      app, {.name = "workers", .summary = "look at and drain workers", .example = "muster workers list --state online"});
  auto [list, listing] = add_command(
      group, context,
      {.name = "list", .summary = "workers that match", .example = "muster workers list --capability tool:ffmpeg"}, list_workers);
  describe_worker_list(list, listing);
  add_paging(list, "workers", {.limit = listing.query.limit, .cursor = listing.query.cursor, .all = listing.all});
  add_command_about(group, context, {.name = "get", .summary = "one worker in full", .example = "muster workers get encoder-1"},
                    "the worker", get_worker);

  auto [drain, draining] = add_command(group, context,
                                       {.name = "drain",
                                        .summary = "no new work; running jobs finish, or are handed back at the deadline",
                                        .example = "muster workers drain encoder-1 --deadline 5m --reason upgrade"},
                                       drain_worker);
  drain.add_option("id", draining.id, "the worker")->required();
  add_duration(drain, {.name = "--deadline", .help = "from now; then its jobs are handed back"}, draining.deadline);
  drain.add_option("--reason", draining.reason, "shown to the worker and in lists");

  add_command_about(group, context,
                    {.name = "resume",
                     .summary = "take a drain back: new work again, whatever its load until that has fallen",
                     .example = "muster workers resume encoder-1"},
                    "the worker", resume_worker);

  auto [watch, watching] =
      add_command(group, context,
                  {.name = "watch", .summary = "live table of workers; q quits", .example = "muster workers watch --queue mail"},
                  watch_workers);
  describe_worker_list(watch, watching);
  add_duration(watch, {.name = "--interval", .help = "time between two looks (1s)"}, watching.interval);
}

void add_queue_commands(CLI::App& app, Context& context) {
  CLI::App& group =
      add_group(app, {.name = "queue", .summary = "look at, pause and limit queues", .example = "muster queue list"});
  auto [list, listing] = add_command(
      group, context,
      {.name = "list", .summary = "queues with depth, oldest waiting job and rate", .example = "muster queue list -A -o json"},
      list_queues);
  list.add_flag("-A,--all-namespaces", listing.all_namespaces, "of every namespace");

  auto [lanes, lane_listing] = add_command(group, context,
                                           {.name = "lanes",
                                            .summary = "what live jobs need and who serves them; what nobody serves first",
                                            .example = "muster queue lanes --unserved -A"},
                                           list_lanes);
  lanes.add_option("--queue", lane_listing.query.queue, "only of this queue");
  lanes.add_flag("--unserved", lane_listing.query.unserved, "only those that no online worker serves");
  lanes.add_option("--limit", lane_listing.query.limit, "lanes to show (100)")->check(CLI::Range(1U, kPageMax));
  lanes.add_flag("-A,--all-namespaces", lane_listing.all_namespaces, "of every namespace");

  auto [pause, pausing] = add_command(group, context,
                                      {.name = "pause",
                                       .summary = "stop claiming from a queue; running jobs finish",
                                       .example = "muster queue pause mail --reason 'provider is down'"},
                                      pause_queue);
  pause.add_option("queue", pausing.name, "the queue")->required();
  pause.add_option("--reason", pausing.reason, "shown in lists and by `muster why`");

  auto [resume, resuming] =
      add_command(group, context,
                  {.name = "resume", .summary = "claim from a queue again", .example = "muster queue resume mail"}, resume_queue);
  resume.add_option("queue", resuming.name, "the queue")->required();

  auto [limit, limiting] =
      add_command(group, context,
                  {.name = "limit",
                   .summary = "bound how much of a queue runs, and how fast; 0 or off removes a bound",
                   .example = "muster queue limit mail --running-max 20 --type-max mail.bulk=5 --rate 100/s --burst 200"},
                  limit_queue);
  limit.add_option("queue", limiting.name, "the queue")->required();
  limit.add_option("--running-max", limiting.limits.running_max, "jobs running at one time; 0 removes it");
  add_limits_by_type(limit, {.name = "--type-max", .help = "the same for one type (repeatable); TYPE=0 removes it"},
                     limiting.limits.running_max_by_type);
  add_rate(limit, {.name = "--rate", .help = "claims per time, such as 100/s or 30/1m; off removes it"}, limiting.limits.rate);
  limit.add_option("--burst", limiting.burst, "claims at once within --rate")->check(CLI::PositiveNumber);
}

void add_namespace_commands(CLI::App& app, Context& context) {
  CLI::App& group =
      add_group(app, {.name = "namespace", .summary = "list, create and delete namespaces", .example = "muster namespace list"});
  add_command(group, context, {.name = "list", .summary = "every namespace", .example = "muster namespace list -o json"},
              [&context] { return list_namespaces(context); });

  auto [create, creating] = add_command(
      group, context,
      {.name = "create", .summary = "make a namespace", .example = "muster namespace create team-a --description 'team A'"},
      create_namespace);
  create.add_option("name", creating.name, "the namespace")->required();
  create.add_option("--description", creating.description, "for people");

  auto [remove, removing] = add_command(
      group, context, {.name = "delete", .summary = "remove an empty namespace", .example = "muster namespace delete team-a"},
      delete_namespace);
  remove.add_option("name", removing.name, "the namespace")->required();
}

}  // namespace muster::cli
