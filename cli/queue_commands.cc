// `muster queue list|pause|resume|limit` and `muster namespace list|create|delete`.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/format.h"
#include "cli/job_table.h"
#include "cli/workers_table.h"

namespace muster::cli {
namespace {

int list_queues(Context& context, bool all_namespaces) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("list queues", client.error());
  const sdk::Result<std::vector<sdk::Queue>> queues = (*client)->queues(context.scope(all_namespaces));
  if (!queues.ok()) return context.fail("list queues", queues.error());
  if (context.wants_table()) {
    context.table(queues_table(*queues, now()));
    return to_int(Exit::ok);
  }
  Context::Listing listing{.key = "queues", .documents = {}, .next = {}};
  for (const sdk::Queue& queue : *queues) listing.documents.push_back(queue.document);
  context.listing(listing);
  return to_int(Exit::ok);
}

int show(Context& context, const std::string& doing, const sdk::Result<sdk::Queue>& queue) {
  if (!queue.ok()) return context.fail(doing, queue.error());
  if (context.wants_table())
    context.table(queues_table(std::span(&*queue, 1), now()));
  else
    context.document(queue->document);
  return to_int(Exit::ok);
}

struct QueueArguments {
  std::string name;
  std::string reason;
  sdk::QueueLimits limits;
  std::optional<std::uint32_t> burst;
};

int pause(Context& context, const QueueArguments& arguments) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("pause queue " + arguments.name, client.error());
  return show(context, "pause queue " + arguments.name,
              (*client)->pause_queue({.ns = context.globals().ns, .queue = arguments.name}, arguments.reason));
}

int resume(Context& context, const QueueArguments& arguments) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("resume queue " + arguments.name, client.error());
  return show(context, "resume queue " + arguments.name,
              (*client)->resume_queue({.ns = context.globals().ns, .queue = arguments.name}));
}

int limit(Context& context, QueueArguments arguments) {
  sdk::QueueLimits& limits = arguments.limits;
  if (!limits.running_max && limits.running_max_by_type.empty() && !limits.rate)
    return context.usage("give at least one of --running-max, --type-max and --rate");
  if (arguments.burst && !limits.rate) return context.usage("--burst belongs to --rate");
  if (arguments.burst) limits.rate->burst = *arguments.burst;
  limits.ns = context.globals().ns;
  const auto client = context.client();
  if (!client.ok()) return context.fail("limit queue " + arguments.name, client.error());
  return show(context, "limit queue " + arguments.name, (*client)->limit_queue(arguments.name, limits));
}

int show_namespaces(Context& context, const std::vector<sdk::Namespace>& namespaces) {
  Table table({{"NAMESPACE"}, {"CREATED", Align::right}, {"DESCRIPTION"}});
  for (const sdk::Namespace& ns : namespaces) table.add({{ns.name}, {format_age(ns.created_at, now())}, {ns.description}});
  context.table(table);
  return to_int(Exit::ok);
}

int list_namespaces(Context& context) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("list namespaces", client.error());
  const sdk::Result<std::vector<sdk::Namespace>> namespaces = (*client)->namespaces();
  if (!namespaces.ok()) return context.fail("list namespaces", namespaces.error());
  if (context.wants_table()) return show_namespaces(context, *namespaces);
  Context::Listing listing{.key = "namespaces", .documents = {}, .next = {}};
  for (const sdk::Namespace& ns : *namespaces) listing.documents.push_back(ns.document);
  context.listing(listing);
  return to_int(Exit::ok);
}

int show_namespace(Context& context, const std::string& doing, const sdk::Result<sdk::Namespace>& ns) {
  if (!ns.ok()) return context.fail(doing, ns.error());
  if (context.wants_table()) return show_namespaces(context, {*ns});
  context.document(ns->document);
  return to_int(Exit::ok);
}

struct NamespaceArguments {
  std::string name;
  std::string description;
};

int create_namespace(Context& context, const NamespaceArguments& arguments) {
  const std::string doing = "create namespace " + arguments.name;
  const auto client = context.client();
  if (!client.ok()) return context.fail(doing, client.error());
  return show_namespace(context, doing,
                        (*client)->create_namespace({.name = arguments.name, .description = arguments.description}));
}

int delete_namespace(Context& context, const std::string& name) {
  const std::string doing = "delete namespace " + name;
  const auto client = context.client();
  if (!client.ok()) return context.fail(doing, client.error());
  return show_namespace(context, doing, (*client)->delete_namespace(name));
}

}  // namespace

void add_queue_commands(CLI::App& app, Context& context) {
  CLI::App* group =
      add_group(app, {.name = "queue", .summary = "look at, pause and limit queues", .example = "muster queue list"});

  CLI::App* list_command = add_command(
      *group,
      {.name = "list", .summary = "queues with depth, oldest waiting job and rate", .example = "muster queue list -A -o json"});
  auto all_namespaces = std::make_shared<bool>(false);
  list_command->add_flag("-A,--all-namespaces", *all_namespaces, "of every namespace");
  list_command->callback([&context, all_namespaces] {
    context.chosen = [&context, all_namespaces] { return list_queues(context, *all_namespaces); };
  });

  CLI::App* pause_command = add_command(*group, {.name = "pause",
                                                 .summary = "stop claiming from a queue; running jobs finish",
                                                 .example = "muster queue pause mail --reason 'provider is down'"});
  auto pausing = std::make_shared<QueueArguments>();
  pause_command->add_option("queue", pausing->name, "the queue")->required();
  pause_command->add_option("--reason", pausing->reason, "shown in lists and by `muster why`");
  pause_command->callback([&context, pausing] { context.chosen = [&context, pausing] { return pause(context, *pausing); }; });

  CLI::App* resume_command =
      add_command(*group, {.name = "resume", .summary = "claim from a queue again", .example = "muster queue resume mail"});
  auto resuming = std::make_shared<QueueArguments>();
  resume_command->add_option("queue", resuming->name, "the queue")->required();
  resume_command->callback(
      [&context, resuming] { context.chosen = [&context, resuming] { return resume(context, *resuming); }; });

  CLI::App* limit_command = add_command(
      *group, {.name = "limit",
               .summary = "bound how much of a queue runs, and how fast; 0 or off removes a bound",
               .example = "muster queue limit mail --running-max 20 --type-max mail.bulk=5 --rate 100/s --burst 200"});
  auto limiting = std::make_shared<QueueArguments>();
  limit_command->add_option("queue", limiting->name, "the queue")->required();
  limit_command->add_option("--running-max", limiting->limits.running_max, "jobs running at one time; 0 removes it");
  add_limits_by_type(*limit_command, {.name = "--type-max", .help = "the same for one type (repeatable); TYPE=0 removes it"},
                     limiting->limits.running_max_by_type);
  add_rate(*limit_command, {.name = "--rate", .help = "claims per time, such as 100/s or 30/1m; off removes it"},
           limiting->limits.rate);
  limit_command->add_option("--burst", limiting->burst, "claims at once within --rate")->check(CLI::PositiveNumber);
  limit_command->callback([&context, limiting] { context.chosen = [&context, limiting] { return limit(context, *limiting); }; });
}

void add_namespace_commands(CLI::App& app, Context& context) {
  CLI::App* group =
      add_group(app, {.name = "namespace", .summary = "list, create and delete namespaces", .example = "muster namespace list"});

  CLI::App* list_command =
      add_command(*group, {.name = "list", .summary = "every namespace", .example = "muster namespace list -o json"});
  list_command->callback([&context] { context.chosen = [&context] { return list_namespaces(context); }; });

  CLI::App* create_command = add_command(
      *group,
      {.name = "create", .summary = "make a namespace", .example = "muster namespace create team-a --description 'team A'"});
  auto creating = std::make_shared<NamespaceArguments>();
  create_command->add_option("name", creating->name, "the namespace")->required();
  create_command->add_option("--description", creating->description, "for people");
  create_command->callback(
      [&context, creating] { context.chosen = [&context, creating] { return create_namespace(context, *creating); }; });

  CLI::App* delete_command = add_command(
      *group, {.name = "delete", .summary = "remove an empty namespace", .example = "muster namespace delete team-a"});
  auto name = std::make_shared<std::string>();
  delete_command->add_option("name", *name, "the namespace")->required();
  delete_command->callback([&context, name] { context.chosen = [&context, name] { return delete_namespace(context, *name); }; });
}

}  // namespace muster::cli
