// `muster audit list`.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <iterator>

#include "cli/audit.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/format.h"

namespace muster::cli {
namespace {

struct AuditArguments {
  sdk::AuditQuery query;
  bool all = false;
  bool all_namespaces = false;
};

// A page may be empty while more follow; people want to see rows.
sdk::Result<sdk::AuditPage> fetch_audit(sdk::Client& client, sdk::AuditQuery query, bool all) {
  sdk::AuditPage out;
  do {
    sdk::Result<sdk::AuditPage> page = client.audit(query);
    if (!page.ok()) return page;
    std::move(page->rows.begin(), page->rows.end(), std::back_inserter(out.rows));
    out.next = query.cursor = page->next;
  } while (!out.next.empty() && (all || out.rows.empty()));
  return out;
}

int list_audit(Context& context, AuditArguments arguments) {
  arguments.query.ns = context.scope(arguments.all_namespaces);
  if (arguments.all && !arguments.query.limit) arguments.query.limit = kPageMax;
  const auto page = context.ask([&](sdk::Client& client) { return fetch_audit(client, arguments.query, arguments.all); });
  if (!page.ok()) return context.fail("list the audit rows", page.error());
  if (!context.wants_table()) {
    context.listing("audit", page->rows, page->next);
    return to_int(Exit::ok);
  }
  context.table(audit_table(page->rows));
  if (!page->next.empty()) context.note(fmt::format("more: --cursor {}, or --all", page->next));
  return to_int(Exit::ok);
}

}  // namespace

Table audit_table(std::span<const sdk::AuditRow> rows) {
  Table table({{"AT"}, {"WHO"}, {"ACTION"}, {"TARGET"}, {"OUTCOME"}, {"NAMESPACE"}, {"WORKER"}, {"ADDRESS"}, {"CORR"}});
  for (const sdk::AuditRow& row : rows)
    table.add({{row.at ? sdk::format_instant(*row.at) : "-", Color::dim},
               {row.who},
               {row.action},
               {shortened(row.target, kNoteWidth)},
               {row.outcome, row.outcome == "ok" ? Color::green : Color::red},
               {row.ns.empty() ? "-" : row.ns},
               {row.worker.empty() ? "-" : row.worker},
               {row.address.empty() ? "-" : row.address, Color::dim},
               {row.corr.empty() ? "-" : shortened(row.corr, kNoteWidth), Color::dim}});
  return table;
}

void add_audit_commands(CLI::App& app, Context& context) {
  CLI::App& group =
      add_group(app, {.name = "audit", .summary = "who did what", .example = "muster audit list --action queue.pause"});
  auto [list, arguments] =
      add_command(group, context,
                  {.name = "list",
                   .summary = "what operators did and what workers were given, newest first",
                   .example = "muster audit list -A --action queue --who operator --since 2026-11-15T00:00:00Z"},
                  list_audit);
  sdk::AuditQuery& query = arguments.query;
  list.add_option("--action", query.action, "only this command (queue.pause), or all of a noun (queue)");
  list.add_option("--who", query.who, "only by the token of this name");
  list.add_option("--worker", query.worker, "only by this worker, or given to it");
  list.add_option("--target", query.target, "only what begins with this");
  list.add_option("--outcome", query.outcome, "only with this outcome: ok, permission_denied, E.DISPATCH.UNAVAILABLE, ...");
  add_instant(list, {.name = "--since", .help = "only at this time or later"}, query.since);
  add_instant(list, {.name = "--until", .help = "only before this time"}, query.until);
  list.add_flag("-A,--all-namespaces", arguments.all_namespaces, "of every namespace, and what belongs to none");
  add_paging(list, "rows", {.limit = query.limit, .cursor = query.cursor, .all = arguments.all});
}

}  // namespace muster::cli
