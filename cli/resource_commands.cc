// `muster resource list|get|delete`: what workers keep for later tasks.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/format.h"
#include "cli/jobs.h"
#include "cli/table.h"

namespace muster::cli {
namespace {

struct ResourceListArguments {
  sdk::ResourceQuery query;
  bool all = false;
};

Table resources_table(std::span<const sdk::Resource> resources, sdk::Instant now) {
  Table table(
      {{"RESOURCE"}, {"TYPE"}, {"STATE"}, {"WORKER"}, {"LIVE"}, {"BYTES", Align::right}, {"CREATED", Align::right}, {"EXPIRES"}});
  for (const sdk::Resource& resource : resources)
    table.add({{resource.id},
               {resource.type},
               {resource.state, resource.state == "active" ? Color::none : Color::dim},
               {resource.worker_name},
               {resource.in_result     ? "in result"
                : resource.worker_live ? "yes"
                                       : "no"},
               {resource.size_bytes ? std::to_string(*resource.size_bytes) : ""},
               {format_age(resource.created_at, now)},
               {resource.expires_at ? sdk::format_instant(*resource.expires_at) : "", Color::dim}});
  return table;
}

sdk::Result<sdk::ResourcePage> fetch_resources(sdk::Client& client, sdk::ResourceQuery query, bool all) {
  sdk::ResourcePage out;
  do {
    sdk::Result<sdk::ResourcePage> page = client.resources(query);
    if (!page.ok()) return page;
    std::move(page->resources.begin(), page->resources.end(), std::back_inserter(out.resources));
    out.next = query.cursor = page->next;
  } while (!out.next.empty() && (all || out.resources.empty()));
  return out;
}

int list_resources(Context& context, ResourceListArguments arguments) {
  arguments.query.ns = context.globals().ns;
  if (arguments.all && !arguments.query.limit) arguments.query.limit = kPageMax;
  const auto page = context.ask([&](sdk::Client& client) { return fetch_resources(client, arguments.query, arguments.all); });
  if (!page.ok()) return context.fail("list resources", page.error());
  if (!context.wants_table()) {
    context.listing("resources", page->resources, page->next);
    return to_int(Exit::ok);
  }
  context.table(resources_table(page->resources, now()));
  if (!page->next.empty()) context.note(fmt::format("more: --cursor {}, or --all", page->next));
  return to_int(Exit::ok);
}

int get_resource(Context& context, const std::string& id) {
  const auto resource = context.ask([&](sdk::Client& client) { return client.resource({.ns = context.globals().ns, .id = id}); });
  return context.show("get resource " + id, resource,
                      [&](const sdk::Resource& found) { context.table(resources_table(std::span(&found, 1), now())); });
}

int delete_resource(Context& context, const std::string& id) {
  const auto resource =
      context.ask([&](sdk::Client& client) { return client.delete_resource({.ns = context.globals().ns, .id = id}); });
  return context.show("delete resource " + id, resource,
                      [&](const sdk::Resource& gone) { context.note(fmt::format("resource {} forgotten", gone.id)); });
}

}  // namespace

void add_resource_commands(CLI::App& app, Context& context) {
  CLI::App& group = add_group(app, {.name = "resource",
                                    .summary = "what workers keep for later tasks, and where",
                                    .example = "muster resource list --worker gpu-a"});
  auto [list, listing] = add_command(
      group, context, {.name = "list", .summary = "resources, by id", .example = "muster resource list --type model -o json"},
      list_resources);
  list.add_option("--type", listing.query.type, "only of this type");
  list.add_option("--worker", listing.query.worker, "only of this worker: its name or instance");
  add_paging(list, "resources", {listing.query.limit, listing.query.cursor, listing.all});
  add_command_about(group, context,
                    {.name = "get", .summary = "one resource and where it is", .example = "muster resource get model-7"},
                    "the resource", get_resource);
  add_command_about(
      group, context,
      {.name = "delete", .summary = "forget one; tasks that refer to it fail", .example = "muster resource delete model-7"},
      "the resource", delete_resource);
}

}  // namespace muster::cli
