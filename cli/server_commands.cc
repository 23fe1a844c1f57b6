// `muster why`, `muster server`, `muster backup`, `muster cluster`, and the remote half of `muster doctor`.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/browser.h"
#include "cli/cluster.h"
#include "cli/commands.h"
#include "cli/format.h"
#include "cli/jobs.h"
#include "cli/terminal.h"

namespace muster::cli {
namespace {

using namespace std::chrono_literals;

constexpr sdk::Duration kClockSkewMax = 2s;
// A few missed beats at the default interval of five seconds.
constexpr sdk::Duration kSeenLate = 15s;
constexpr sdk::Duration kSeenLost = 60s;

Color color_of_seen(const sdk::ClusterNode& node, sdk::Instant now) {
  if (!node.seen_at || now - *node.seen_at < kSeenLate) return Color::none;
  return now - *node.seen_at < kSeenLost ? Color::yellow : Color::red;
}

sdk::Instant now_of(const sdk::Cluster& cluster) { return cluster.now.value_or(sdk::Instant{}); }

std::string detail_text(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string out;
  for (const nlohmann::ordered_json& element : value)
    out += (out.empty() ? "" : " ") + (element.is_string() ? element.get<std::string>() : element.dump());
  return out;
}

int explain_job(Context& context, const std::string& id) {
  using Json = nlohmann::ordered_json;
  const auto answer = ask_about_job(context, id, [](sdk::Client& client, const std::string& whole) { return client.why(whole); });
  return context.show("explain job " + id, answer, [&](const sdk::Why& why) {
    const bool color = context.globals().color;
    context.line(fmt::format("{}  {}  {}", why.id, colored(why.state, color_of_state(why.state), color),
                             colored(why.code, Color::bold, color)));
    context.line(printable(why.text));
    const Json details = Json::parse(why.document, nullptr, false).value("details", Json::object());
    Table table({{"DETAIL"}, {"VALUE"}});
    for (const auto& [key, value] : details.items())
      if (!value.is_null() && !(value.is_array() && value.empty())) table.add({{key, Color::dim}, {detail_text(value)}});
    if (table.rows() == 0) return;
    context.line("");
    context.table(table);
  });
}

Table server_table(const sdk::ServerInfo& info) {
  Table table({{"FIELD"}, {"VALUE"}});
  const auto put = [&table](const char* field, const std::string& value, Color color = Color::none) {
    if (!value.empty()) table.add({{field, Color::dim}, {value, color}});
  };
  put("version", info.version);
  put("up", format_age(info.started_at, now()));
  put("store", fmt::format("{} {}", info.store_kind, info.store_location));
  put("schema", std::to_string(info.schema_version));
  put("size", format_bytes(info.store_bytes));
  put("writable", info.writable ? "yes" : "no: " + info.reason, info.writable ? Color::green : Color::red);
  put("jobs live", std::to_string(info.jobs_live));
  put("jobs finished", std::to_string(info.jobs_finished));
  put("workers", std::to_string(info.workers));
  put("commits", fmt::format("{} of {:.1f} changes on average", info.commits, info.group_size_mean));
  for (const auto& [name, address] : info.listeners) put(name.c_str(), address);
  return table;
}

int show_server(Context& context) {
  return context.show("ask the server", context.ask([](sdk::Client& client) { return client.server(); }),
                      [&](const sdk::ServerInfo& info) { context.table(server_table(info)); });
}

struct ServerArguments {
  bool settings = false;
  bool checks = false;
};

int show_settings(Context& context) {
  const auto config = context.ask([](sdk::Client& client) { return client.server_config(); });
  return context.show("read the server's configuration", config, [&](const sdk::ServerConfig& found) {
    Table table({{"SETTING"}, {"VALUE"}, {"DEFAULT"}, {"FROM"}});
    for (const sdk::ServerSetting& setting : found.settings)
      table.add({{setting.section + "." + setting.key},
                 {setting.value, setting.value == setting.fallback ? Color::none : Color::bold},
                 {setting.fallback, Color::dim},
                 {setting.source, Color::dim}});
    context.table(table);
  });
}

Color color_of_check(const std::string& state) {
  if (state == "ok") return Color::green;
  return state == "warn" ? Color::yellow : Color::red;
}

// Exits as `muster doctor` does.
int show_checks(Context& context) {
  const auto found = context.ask([](sdk::Client& client) { return client.server_checks(); });
  const int shown = context.show("have the server checked", found, [&](const sdk::CheckUp& checkup) {
    Table table({{"STATE"}, {"CHECK"}, {"SEEN"}, {"REMEDY"}});
    for (const sdk::Check& check : checkup.checks)
      table.add({{check.state, color_of_check(check.state)}, {check.name}, {check.text}, {check.remedy}});
    context.table(table);
  });
  if (shown != to_int(Exit::ok)) return shown;
  const bool failed =
      std::any_of(found->checks.begin(), found->checks.end(), [](const sdk::Check& check) { return check.state == "fail"; });
  return to_int(failed ? Exit::failure : Exit::ok);
}

int show_server_as_asked(Context& context, const ServerArguments& arguments) {
  if (arguments.settings && arguments.checks) return context.usage("--settings and --checks: one of them");
  if (arguments.settings) return show_settings(context);
  return arguments.checks ? show_checks(context) : show_server(context);
}

struct DashboardArguments {
  bool only_print = false;
};

int show_dashboard(Context& context, const DashboardArguments& arguments) {
  const auto link = context.ask([](sdk::Client& client) { return client.sign_in_link(); });
  if (!link.ok()) return context.fail("make a link to the dashboard", link.error());
  std::string address = context.globals().server;
  while (address.ends_with('/')) address.pop_back();
  address += link->path;
  if (!context.wants_table()) {
    context.document(nlohmann::ordered_json{{"url", address}}.dump());
    return to_int(Exit::ok);
  }
  context.line(address);
  // Only for somebody who sits there.
  if (!arguments.only_print && stdout_is_terminal() && open_in_browser(address)) context.note("opened in the browser");
  if (link->expires_at) context.note(fmt::format("signs in once, until {}", sdk::format_instant(*link->expires_at)));
  return to_int(Exit::ok);
}

struct BackupArguments {
  std::string name;
};

int back_up(Context& context, const BackupArguments& arguments) {
  const auto report = context.ask([&](sdk::Client& client) { return client.backup(arguments.name); });
  return context.show(fmt::format("back up to {}", arguments.name), report, [&](const sdk::Backup& done) {
    context.line(fmt::format("{}  {} in {}", done.path, format_bytes(done.bytes), format_duration(done.took)));
  });
}

int show_cluster(Context& context) {
  const auto cluster = context.ask([](sdk::Client& client) { return client.cluster(); });
  if (cluster.ok() && context.globals().output == Output::jsonl) {
    for (const sdk::ClusterNode& node : cluster->nodes) context.line(node.document);
    return to_int(Exit::ok);
  }
  return context.show("ask for the cluster", cluster, [&](const sdk::Cluster& found) {
    context.table(cluster_table(found));
    context.note(printable(cluster_summary(found)));
  });
}

int show_cluster_settings(Context& context) {
  const auto settings = context.ask([](sdk::Client& client) { return client.cluster_settings(); });
  if (settings.ok() && context.globals().output == Output::jsonl) {
    for (const sdk::SettingDifference& one : settings->settings) context.line(one.document);
    return to_int(Exit::ok);
  }
  return context.show("compare the nodes' settings", settings, [&](const sdk::ClusterSettings& found) {
    if (!found.settings.empty()) context.table(settings_table(found));
    context.note(printable(settings_summary(found)));
  });
}

std::string comma_list(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

// How it stands with a setting, in a word.
std::string standing_of(const sdk::SettingDifference& one) {
  if (one.own) return "own";
  return one.known ? "differs" : "unknown";
}

}  // namespace

Table settings_table(const sdk::ClusterSettings& found) {
  Table table({{"SETTING"}, {"STATE"}, {"VALUE"}, {"NODES"}});
  for (const sdk::SettingDifference& one : found.settings) {
    std::map<std::uint32_t, std::pair<std::string, std::vector<std::string>>> groups;  // value, nodes
    for (const sdk::ValueOfNode& value : one.values) {
      groups[value.group].first = value.value;
      groups[value.group].second.push_back(value.node);
    }
    const Color color = one.own ? Color::dim : one.known ? Color::yellow : Color::none;
    bool first = true;
    for (const auto& [group, held] : groups) {
      table.add({{first ? one.name : "", one.own ? Color::dim : Color::bold},
                 {first ? standing_of(one) : "", color},
                 {held.first.empty() ? "-" : held.first, one.own ? Color::dim : Color::none},
                 {comma_list(held.second)}});
      first = false;
    }
  }
  return table;
}

std::string settings_summary(const sdk::ClusterSettings& found) {
  const std::string silent = found.silent.empty()
                                 ? std::string()
                                 : fmt::format("; {} told nothing: a program of an older version, or one that has just started",
                                               comma_list(found.silent));
  if (found.nodes.empty() && found.silent.empty()) return "nothing to compare: this server is alone on its store";
  if (found.nodes.size() < 2)
    return fmt::format("nothing to compare: {} told its settings{}", found.nodes.empty() ? "no node" : "one node", silent);
  const std::string count = found.differing == 0   ? "no setting differs"
                            : found.differing == 1 ? "1 setting differs"
                                                   : fmt::format("{} settings differ", found.differing);
  const bool unknown =
      std::any_of(found.settings.begin(), found.settings.end(), [](const auto& one) { return !one.known && !one.own; });
  return fmt::format("{} between {} nodes{}{}", count, found.nodes.size(),
                     unknown ? "; secrets cannot be compared before auth.session_key is the same on all of them" : "", silent);
}

Table cluster_table(const sdk::Cluster& cluster) {
  Table table({{"NODE"},
               {"LEADER"},
               {"ADDRESS"},
               {"VERSION"},
               {"SEEN", Align::right},
               {"UP", Align::right},
               {"LAG", Align::right},
               {"PENDING", Align::right},
               {"WORKERS", Align::right}});
  const sdk::Instant now = now_of(cluster);
  for (const sdk::ClusterNode& node : cluster.nodes)
    table.add({{node.name},
               {node.leader ? "leader" : "", Color::green},
               {node.address.empty() ? "-" : node.address},
               {node.version},
               {format_age(node.seen_at, now), color_of_seen(node, now)},
               {format_age(node.started_at, now)},
               {node.listening ? format_duration(node.notify_lag) : "polls", node.listening ? Color::none : Color::yellow},
               {format_count(node.pending)},
               {format_count(node.workers)}});
  return table;
}

std::string cluster_summary(const sdk::Cluster& cluster) {
  if (cluster.leader.empty()) return fmt::format("nobody leads at the moment; answered by {}", cluster.self);
  const std::string until =
      cluster.leader_until ? fmt::format(", for {} unless refreshed", format_duration(*cluster.leader_until - now_of(cluster)))
                           : std::string();
  return fmt::format("{} leads in term {}{}; answered by {}", cluster.leader, cluster.term, until, cluster.self);
}

std::vector<RemoteCheck> check_server(const Globals& globals) {
  std::vector<RemoteCheck> checks;
  Globals own = globals;
  Context context(own);
  const auto client = context.client();
  if (!client.ok()) {
    checks.push_back({.name = "address", .ok = false, .text = client.error().detail, .remedy = "give --server http://HOST:PORT"});
    return checks;
  }
  const sdk::Result<sdk::ServerInfo> info = (*client)->server();
  if (!info.ok() && (info.error().status == 0 || info.error().code == sdk::Code::bad_reply)) {
    checks.push_back({.name = "reachable", .ok = false, .text = info.error().detail, .remedy = advice_for(info.error(), own)});
    return checks;
  }
  checks.push_back({.name = "reachable", .ok = true, .text = fmt::format("{} answers", own.server), .remedy = ""});
  if (!info.ok()) {
    // A server whose database is away says so here: it knows the caller, and cannot look anything up.
    const bool stranger = info.error().code == sdk::Code::unauthenticated || info.error().code == sdk::Code::permission_denied;
    checks.push_back({.name = stranger ? "authenticated" : "able to answer",
                      .ok = false,
                      .text = info.error().text(),
                      .remedy = advice_for(info.error(), own)});
    return checks;
  }
  checks.push_back({.name = "authenticated",
                    .ok = true,
                    .text = own.token.empty() ? "no token needed" : "the token is accepted",
                    .remedy = ""});
  checks.push_back({.name = "version",
                    .ok = true,
                    .text = fmt::format("server {}, {} store, schema {}", info->version, info->store_kind, info->schema_version),
                    .remedy = ""});
  checks.push_back({.name = "writable",
                    .ok = info->writable,
                    .text = info->writable ? fmt::format("{} in the store", format_bytes(info->store_bytes)) : info->reason,
                    .remedy = info->writable ? ""
                              : info->store_kind == "postgres"
                                  ? "mend what the reason names; the server goes on by itself"
                                  : "free disk space or fix the data folder; the server goes on by itself"});
  if (info->started_at) {
    // A start in the future is the one sign of a clock that differs which a client can see for certain.
    const bool ahead = *info->started_at - now() > kClockSkewMax;
    checks.push_back({.name = "clock",
                      .ok = !ahead,
                      .text = ahead ? fmt::format("the server says it started {}", format_age(info->started_at, now()))
                                    : "not behind the server's",
                      .remedy = ahead ? "synchronise the clocks of both machines (NTP)" : ""});
  }
  const sdk::Result<std::vector<sdk::Queue>> queues = (*client)->queues("");
  if (queues.ok()) {
    std::uint64_t ready = 0;
    for (const sdk::Queue& queue : *queues) ready += queue.paused ? 0 : queue.ready;
    const bool stuck = ready > 0 && info->workers == 0;
    checks.push_back({.name = "workers",
                      .ok = !stuck,
                      .text = fmt::format("{} workers, {} jobs ready", info->workers, ready),
                      .remedy = stuck ? "start a worker; `muster why JOB` names what a job needs" : ""});
  }
  return checks;
}

void add_why_command(CLI::App& app, Context& context) {
  add_command_about(app, context, {.name = "why", .summary = "why a job is not running", .example = "muster why JOB"},
                    "the job, or the first digits of its id", explain_job);
}

void add_server_commands(CLI::App& app, Context& context) {
  auto [server, showing] = add_command(
      app, context, {.name = "server", .summary = "what the server says about itself", .example = "muster server --checks"},
      show_server_as_asked);
  server.add_flag("--settings", showing.settings, "instead: its configuration, and where each value comes from");
  server.add_flag("--checks", showing.checks, "instead: a check-up of its disk, clock, store, limits and files");

  auto [dashboard, opening] =
      add_command(app, context,
                  {.name = "dashboard",
                   .summary = "opens the dashboard, by a link that signs a browser in once and within five minutes",
                   .example = "muster dashboard"},
                  show_dashboard);
  dashboard.add_flag("--no-open", opening.only_print, "only print the link; so it is without a desktop or a terminal");

  auto [backup, arguments] = add_command(app, context,
                                         {.name = "backup",
                                          .summary = "a consistent copy of the store, made by the server while work goes on",
                                          .example = "muster backup monday.db"},
                                         back_up);
  backup.add_option("name", arguments.name, "of a file in the server's folder of backups (server.backup_dir); must not exist")
      ->required();
}

void add_cluster_commands(CLI::App& app, Context& context) {
  CLI::App& group =
      add_group(app, {.name = "cluster", .summary = "the nodes that share the store", .example = "muster cluster status"});
  add_command(group, context,
              {.name = "status",
               .summary = "list nodes, leader, lag, verbs that wait and workers",
               .example = "muster cluster status -o jsonl"},
              [&context] { return show_cluster(context); });
  add_command(group, context,
              {.name = "settings",
               .summary = "settings that differ between the nodes; secrets are compared and not shown",
               .example = "muster cluster settings -o json"},
              [&context] { return show_cluster_settings(context); });
}

}  // namespace muster::cli
