// `muster why`, `muster server`, `muster backup`, and the remote half of `muster doctor`.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/format.h"
#include "cli/job_prefix.h"
#include "cli/job_table.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;
using namespace std::chrono_literals;

constexpr sdk::Duration kClockSkewMax = 2s;

std::string detail_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string out;
  for (const Json& element : value)
    out += (out.empty() ? "" : " ") + (element.is_string() ? element.get<std::string>() : element.dump());
  return out;
}

int why(Context& context, const std::string& id) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("explain job " + id, client.error());
  const sdk::Result<std::string> whole = whole_id(**client, id);
  if (!whole.ok()) return context.fail("explain job " + id, whole.error());
  const sdk::Result<sdk::Why> answer = (*client)->why(*whole);
  if (!answer.ok()) return context.fail("explain job " + id, answer.error());
  if (!context.wants_table()) {
    context.document(answer->document);
    return to_int(Exit::ok);
  }
  const bool color = context.globals().color;
  context.line(fmt::format("{}  {}  {}", answer->id, colored(answer->state, color_of_state(answer->state), color),
                           colored(answer->code, Color::bold, color)));
  context.line(printable(answer->text));
  const Json details = Json::parse(answer->document, nullptr, false).value("details", Json::object());
  Table table({{"DETAIL"}, {"VALUE"}});
  for (const auto& [key, value] : details.items())
    if (!value.is_null() && !(value.is_array() && value.empty())) table.add({{key, Color::dim}, {detail_text(value)}});
  if (table.rows() > 0) {
    context.line("");
    context.table(table);
  }
  return to_int(Exit::ok);
}

int show_server(Context& context) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("ask the server", client.error());
  const sdk::Result<sdk::ServerInfo> info = (*client)->server();
  if (!info.ok()) return context.fail("ask the server", info.error());
  if (!context.wants_table()) {
    context.document(info->document);
    return to_int(Exit::ok);
  }
  Table table({{"FIELD"}, {"VALUE"}});
  const auto put = [&table](const char* field, const std::string& value, Color color = Color::none) {
    if (!value.empty()) table.add({{field, Color::dim}, {value, color}});
  };
  put("version", info->version);
  put("up", format_age(info->started_at, now()));
  put("store", fmt::format("{} {}", info->store_kind, info->store_location));
  put("schema", std::to_string(info->schema_version));
  put("size", format_bytes(info->store_bytes));
  put("writable", info->writable ? "yes" : "no: " + info->reason, info->writable ? Color::green : Color::red);
  put("jobs live", std::to_string(info->jobs_live));
  put("jobs finished", std::to_string(info->jobs_finished));
  put("workers", std::to_string(info->workers));
  put("commits", fmt::format("{} of {:.1f} changes on average", info->commits, info->group_size_mean));
  for (const auto& [name, address] : info->listeners) put(name.c_str(), address);
  context.table(table);
  return to_int(Exit::ok);
}

int backup(Context& context, const std::string& name) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("back up", client.error());
  const sdk::Result<sdk::Backup> report = (*client)->backup(name);
  if (!report.ok()) return context.fail(fmt::format("back up to {}", name), report.error());
  if (context.wants_table())
    context.line(fmt::format("{}  {} in {}", report->path, format_bytes(report->bytes), format_duration(report->took)));
  else
    context.document(report->document);
  return to_int(Exit::ok);
}

}  // namespace

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
  CLI::App* command = add_command(app, {.name = "why", .summary = "why a job is not running", .example = "muster why JOB"});
  auto id = std::make_shared<std::string>();
  command->add_option("id", *id, "the job, or the first digits of its id")->required();
  command->callback([&context, id] { context.chosen = [&context, id] { return why(context, *id); }; });
}

void add_server_commands(CLI::App& app, Context& context) {
  CLI::App* server_command =
      add_command(app, {.name = "server", .summary = "what the server says about itself", .example = "muster server -o json"});
  server_command->callback([&context] { context.chosen = [&context] { return show_server(context); }; });

  CLI::App* backup_command = add_command(app, {.name = "backup",
                                               .summary = "a consistent copy of the store, made by the server while work goes on",
                                               .example = "muster backup monday.db"});
  auto name = std::make_shared<std::string>();
  backup_command->add_option("name", *name, "of a file in the server's folder of backups (server.backup_dir); must not exist")
      ->required();
  backup_command->callback([&context, name] { context.chosen = [&context, name] { return backup(context, *name); }; });
}

}  // namespace muster::cli
