// `muster cluster status`.
#include <CLI/CLI.hpp>

#include "cli/arguments.h"
#include "cli/cluster_table.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/format.h"

namespace muster::cli {
namespace {

int status(Context& context) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("ask for the cluster", client.error());
  const sdk::Result<sdk::Cluster> cluster = (*client)->cluster();
  if (!cluster.ok()) return context.fail("ask for the cluster", cluster.error());
  switch (context.globals().output) {
    case Output::table:
      context.table(cluster_table(*cluster));
      context.note(printable(cluster_summary(*cluster)));
      break;
    case Output::json: context.document(cluster->document); break;
    case Output::jsonl:
      for (const sdk::ClusterNode& node : cluster->nodes) context.line(node.document);
      break;
  }
  return to_int(Exit::ok);
}

}  // namespace

void add_cluster_commands(CLI::App& app, Context& context) {
  CLI::App* group =
      add_group(app, {.name = "cluster", .summary = "the nodes that share the store", .example = "muster cluster status"});
  CLI::App* command = add_command(*group, {.name = "status",
                                           .summary = "list nodes, leader, lag, verbs that wait and workers",
                                           .example = "muster cluster status -o jsonl"});
  command->callback([&context] { context.chosen = [&context] { return status(context); }; });
}

}  // namespace muster::cli
