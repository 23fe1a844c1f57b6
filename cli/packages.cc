#include "cli/packages.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/format.h"

namespace muster::cli {
namespace {

Cell package_status(const std::string& status) {
  if (status == "failed" || status == "missing") return {status, Color::red};
  if (status == "installed" || status == "removed") return {status, Color::green};
  return {status, Color::yellow};
}

Cell drift_cell(std::uint64_t drift) { return {std::to_string(drift), drift > 0 ? Color::yellow : Color::none}; }

std::string target_of(const sdk::PackageWish& wish) {
  if (!wish.worker.empty()) return wish.worker;
  if (wish.selector.empty()) return "all";
  std::string out;
  for (const auto& [key, value] : wish.selector) out += (out.empty() ? "" : ",") + key + "=" + value;
  return out;
}

std::string has_text(const sdk::PackageAt& at) {
  std::string out;
  for (const sdk::PackageHas& has : at.has)
    out += (out.empty() ? "" : " ") + has.version + (has.status == "installed" ? "" : " (" + has.status + ")");
  return out.empty() ? "-" : out;
}

std::string wanted_text(const sdk::PackageAt& at) {
  if (at.wanted.empty()) return "-";
  if (at.wanted == "uninstall") return at.wanted_version.empty() ? "none" : "not " + at.wanted_version;
  return at.wanted_version;
}

Cell operation_cell(const sdk::PackageAt& at) {
  if (!at.operation) return {at.drift ? "waits for the worker" : ""};
  if (at.operation->failed) return {fmt::format("failed: {}", at.operation->message), Color::red};
  return {fmt::format("{} sent, attempt {}", at.operation->op, at.operation->attempts), Color::yellow};
}

}  // namespace

Table packages_table(std::span<const sdk::PackageSummary> packages) {
  Table table({{"PACKAGE"},
               {"LATEST"},
               {"VERSIONS", Align::right},
               {"WORKERS", Align::right},
               {"WISHES", Align::right},
               {"DRIFT", Align::right},
               {"DESCRIPTION"}});
  for (const sdk::PackageSummary& package : packages)
    table.add({{package.name},
               {package.latest_version.empty() ? "-" : package.latest_version},
               {std::to_string(package.versions.size())},
               {std::to_string(package.workers)},
               {std::to_string(package.wishes)},
               drift_cell(package.drift),
               {package.description}});
  return table;
}

Table package_versions_table(const sdk::Package& package, sdk::Instant now) {
  Table table({{"VERSION"},
               {"INSTALLED", Align::right},
               {"MISSING", Align::right},
               {"FAILED", Align::right},
               {"SEEN", Align::right},
               {"NODES"}});
  for (const sdk::PackageVersion& version : package.versions)
    table.add({{version.version},
               {std::to_string(version.installed)},
               {std::to_string(version.missing)},
               {std::to_string(version.failed)},
               {format_age(version.seen_at, now)},
               {version.manifest_problem.empty() ? fmt::format("{}", fmt::join(version.nodes, " "))
                                                 : "manifest: " + version.manifest_problem,
                Color::dim}});
  return table;
}

Table package_workers_table(const sdk::Package& package) {
  Table table({{"WORKER"}, {"NAME"}, {"HAS"}, {"WANTED"}, {"DRIFT"}, {"OPERATION"}});
  for (const sdk::PackageAt& at : package.workers)
    table.add({{at.worker},
               {at.worker_name},
               {has_text(at)},
               {wanted_text(at)},
               {at.drift ? "yes" : "no", at.drift ? Color::yellow : Color::none},
               operation_cell(at)});
  return table;
}

Table package_wishes_table(std::span<const sdk::PackageWish> wishes, sdk::Instant now) {
  Table table({{"WISH"}, {"VERSION"}, {"FOR"}, {"BY"}, {"AGE", Align::right}, {"URL"}});
  for (const sdk::PackageWish& wish : wishes)
    table.add({{wish.op},
               {wish.version.empty() ? "every" : wish.version},
               {target_of(wish)},
               {wish.by},
               {format_age(wish.at, now)},
               {wish.url, Color::dim}});
  return table;
}

Table package_events_table(std::span<const sdk::PackageEvent> events, sdk::Instant now) {
  Table table({{"AGE", Align::right}, {"PACKAGE"}, {"VERSION"}, {"OP"}, {"STATUS"}, {"WORKER"}, {"BY"}, {"MESSAGE"}});
  for (const sdk::PackageEvent& event : events)
    table.add({{format_age(event.at, now)},
               {event.package},
               {event.version.empty() ? "every" : event.version},
               {event.op.empty() ? "-" : event.op},
               package_status(event.status),
               {event.worker_name.empty() ? event.worker : event.worker_name},
               {event.by.empty() ? "-" : event.by},
               {event.message}});
  return table;
}

}  // namespace muster::cli
