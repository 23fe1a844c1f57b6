// `muster package list|get|install|uninstall|events`: what AstraFlow's workers have installed, and what they shall have.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/format.h"
#include "cli/jobs.h"
#include "cli/packages.h"

namespace muster::cli {
namespace {

struct PackageListArguments {
  sdk::PackageQuery query;
  bool all = false;
};

int list_packages(Context& context, PackageListArguments arguments) {
  sdk::PackageQuery& query = arguments.query;
  query.ns = context.globals().ns;
  std::vector<sdk::PackageSummary> packages;
  std::string next;
  do {
    const auto page = context.ask([&](sdk::Client& client) { return client.packages(query); });
    if (!page.ok()) return context.fail("list packages", page.error());
    packages.insert(packages.end(), page->packages.begin(), page->packages.end());
    query.cursor = next = page->next;
  } while (arguments.all && !next.empty());
  if (context.wants_table())
    context.table(packages_table(packages));
  else
    context.listing("packages", packages, next);
  if (context.wants_table() && !next.empty()) context.note("more: --cursor " + next);
  return to_int(Exit::ok);
}

struct PackageGetArguments {
  std::string name, version;
  bool manifest = false;
};

int get_package(Context& context, const PackageGetArguments& arguments) {
  const auto package = context.ask([&](sdk::Client& client) {
    return client.package({.ns = context.globals().ns, .name = arguments.name, .version = arguments.version});
  });
  if (package.ok() && arguments.manifest) {
    context.line(package->manifest);
    return to_int(Exit::ok);
  }
  return context.show("get package " + arguments.name, package, [&](const sdk::Package& found) {
    context.table(package_versions_table(found, now()));
    if (!found.wishes.empty()) {
      context.line("");
      context.table(package_wishes_table(found.wishes, now()));
    }
    if (!found.workers.empty()) {
      context.line("");
      context.table(package_workers_table(found));
    }
    if (found.workers_total > found.workers.size())
      context.note(fmt::format("{} more workers", found.workers_total - found.workers.size()));
  });
}

template <class Request>
void describe_target(CLI::App& command, Request& request) {
  command.add_option("--worker", request.worker, "this worker alone");
  add_pairs(command, {.name = "--label", .help = "workers with this label, also later ones; repeatable"}, request.selector);
  command.add_flag("--all", request.all, "every worker, also later ones");
}

int install_package(Context& context, sdk::PackageInstall request) {
  request.ns = context.globals().ns;
  const auto wish = context.ask([&](sdk::Client& client) { return client.install_package(request); });
  return context.show("install package " + request.name, wish, [&](const sdk::PackageWish& made) {
    context.line(fmt::format("{} {} is wanted: {} workers, {} to do", made.name, made.version, made.workers, made.drift));
  });
}

int uninstall_package(Context& context, sdk::PackageUninstall request) {
  request.ns = context.globals().ns;
  const auto wish = context.ask([&](sdk::Client& client) { return client.uninstall_package(request); });
  return context.show("uninstall package " + request.name, wish, [&](const sdk::PackageWish& made) {
    if (made.forgotten) return context.line(fmt::format("{} is not wanted any more; workers keep what they have", made.name));
    context.line(fmt::format("{} {} is to go: {} workers, {} to do", made.name, made.version, made.workers, made.drift));
  });
}

int list_package_events(Context& context, sdk::PackageEventQuery query) {
  query.ns = context.globals().ns;
  const auto events = context.ask([&](sdk::Client& client) { return client.package_events(query); });
  if (!events.ok()) return context.fail("list package events", events.error());
  if (context.wants_table())
    context.table(package_events_table(*events, now()));
  else
    context.listing("events", *events);
  return to_int(Exit::ok);
}

}  // namespace

void add_package_commands(CLI::App& app, Context& context) {
  CLI::App& group = add_group(app, {.name = "package",
                                    .summary = "packages of AstraFlow's workers: what they have and shall have",
                                    .example = "muster package install example.pkg 1.1.0 --label worker_name=gpu-1"});
  auto [list, listing] = add_command(group, context,
                                     {.name = "list",
                                      .summary = "packages, with how many workers differ from what is wanted",
                                      .example = "muster package list --worker W"},
                                     list_packages);
  list.add_option("--worker", listing.query.worker, "only what this one has or shall have");
  add_paging(list, "packages", {.limit = listing.query.limit, .cursor = listing.query.cursor, .all = listing.all});

  auto [get, getting] = add_command(group, context,
                                    {.name = "get",
                                     .summary = "one package: versions, who has it, what is wanted",
                                     .example = "muster package get example.pkg --manifest"},
                                    get_package);
  get.add_option("name", getting.name, "the package")->required();
  get.add_option("--version", getting.version, "whose manifest; the latest by default");
  get.add_flag("--manifest", getting.manifest, "the manifest as JSON and nothing else");

  auto [install, installing] =
      add_command(group, context,
                  {.name = "install",
                   .summary = "want a version on a worker, or on all with some labels",
                   .example = "muster package install example.pkg 1.1.0 --all --url file:///srv/example.zip"},
                  install_package);
  install.add_option("name", installing.name, "the package")->required();
  install.add_option("version", installing.version, "such as 1.1.0")->required();
  describe_target(install, installing);
  install.add_option("--url", installing.url, "where workers find it; an archive of the server's folder by default");
  install.add_option("--file", installing.file, "of the server's folder; the only one there by default");
  install.add_option("--sha256", installing.sha256, "what the archive must have");

  auto [uninstall, uninstalling] = add_command(group, context,
                                               {.name = "uninstall",
                                                .summary = "want a package off a worker, or off all with some labels",
                                                .example = "muster package uninstall example.pkg --worker W"},
                                               uninstall_package);
  uninstall.add_option("name", uninstalling.name, "the package")->required();
  uninstall.add_option("version", uninstalling.version, "every version by default");
  describe_target(uninstall, uninstalling);
  uninstall.add_flag("--forget", uninstalling.forget, "only drop what was wanted; workers keep what they have");

  auto [events, query] = add_command(group, context,
                                     {.name = "events",
                                      .summary = "what happened to packages, the newest first",
                                      .example = "muster package events --package example.pkg"},
                                     list_package_events);
  events.add_option("--package", query.package, "only of this package");
  events.add_option("--worker", query.worker, "only of this worker");
  events.add_option("--limit", query.limit, "events to show (100)")->check(CLI::Range(1U, kPageMax));
}

}  // namespace muster::cli
