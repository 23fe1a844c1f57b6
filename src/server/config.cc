#include "server/config.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "agents/prices.h"
#include "base/check.h"
#include "server/agents_wiring.h"
#include "server/config_file.h"
#include "server/kagzi_environment.h"

namespace muster::server {
namespace {

constexpr std::string_view kDefaultSource = "default";
constexpr std::int64_t kKagziSilenceMinMs = 3'000;  // three beats of a second, the shortest there is
constexpr std::string_view kSqliteScheme = "sqlite:";
constexpr std::string_view kSchemaCharacters = "abcdefghijklmnopqrstuvwxyz0123456789_";
constexpr std::string_view kNodeCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

constexpr const char* kApiKeyVariable = "ANTHROPIC_API_KEY";

std::string variable(const std::map<std::string, std::string>& environment, const std::string& name) {
  const auto at = environment.find(name);
  return at == environment.end() ? std::string() : at->second;
}

class Loader {
 public:
  explicit Loader(const LoadRequest& request) : request_(request) {}

  LoadedConfig load() {
    out_.config.file = request_.file;
    for (const Setting& setting : settings())
      out_.config.entries.push_back({.setting = &setting, .value = fallback(setting), .source = std::string(kDefaultSource)});
    if (!request_.file.empty()) take_file();
    take_environment();
    take_flags();
    fill_derived();
    check_relations();
    return std::move(out_);
  }

 private:
  static SettingValue fallback(const Setting& setting) {
    auto value = parse_setting(setting, setting.fallback);
    check(value.ok(), "a default is a value its own setting accepts");
    return std::move(value).value();
  }

  void set(const Setting& setting, std::string_view text, const std::string& where, bool usage) {
    auto value = parse_setting(setting, text);
    if (!value.ok()) {
      out_.problems.push_back({.where = where, .message = value.status().message(), .usage = usage});
      return;
    }
    ConfigEntry& entry = mutable_entry(setting);
    entry.value = std::move(value).value();
    entry.source = where;
  }

  ConfigEntry& mutable_entry(const Setting& setting) {
    return out_.config.entries[static_cast<std::size_t>(&setting - settings().data())];
  }

  void take_file() {
    ConfigFile file = read_config_file(request_.file);
    for (const FileValue& value : file.values) set(*value.setting, value.text, value.where, false);
    for (Problem& problem : file.problems) out_.problems.push_back(std::move(problem));
    out_.config.credentials = std::move(file.credentials);
    for (const FileValue& value : file.namespace_values) {
      auto parsed = parse_setting(*value.setting, value.text);
      if (parsed.ok())
        out_.config.namespace_entries.push_back(
            {.ns = value.ns, .entry = {.setting = value.setting, .value = *std::move(parsed), .source = value.where}});
      else
        out_.problems.push_back({.where = value.where, .message = parsed.status().message()});
    }
  }

  void take_environment() {
    // AGQ_SESSION_KEY is the name that existing deployments of the RESP dialect set; ours wins when both are there.
    const std::string foreign_key = variable(request_.environment, "AGQ_SESSION_KEY");
    if (!foreign_key.empty()) set(*find_setting("auth", "session_key"), foreign_key, "environment AGQ_SESSION_KEY", false);

    const std::string api_key = variable(request_.environment, kApiKeyVariable);
    if (!api_key.empty()) set(*find_setting("agents", "api_key"), api_key, std::string("environment ") + kApiKeyVariable, false);

    ForeignValues kagzi = kagzi_values(request_.environment);
    for (const ForeignValue& value : kagzi.values) set(*value.setting, value.text, value.where, false);
    for (Problem& problem : kagzi.problems) out_.problems.push_back(std::move(problem));

    std::set<std::string> known;
    for (const Setting& setting : settings()) {
      const std::string name = environment_name(setting);
      known.insert(name);
      if (const auto at = request_.environment.find(name); at != request_.environment.end())
        set(setting, at->second, "environment " + name, false);
    }
    refuse_unknown_variables(known);
  }

  void refuse_unknown_variables(const std::set<std::string>& known) {
    const std::vector<std::string_view> candidates(known.begin(), known.end());
    std::set<std::string> prefixes;
    for (const std::string_view name : candidates) prefixes.insert(std::string(name.substr(0, name.find('_', 7) + 1)));
    for (const auto& entry : request_.environment) {
      const std::string& name = entry.first;
      const bool ours = std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& p) { return name.starts_with(p); });
      if (!ours || known.contains(name)) continue;
      const std::string_view near = closest(name, candidates);
      out_.problems.push_back({.where = "environment " + name,
                               .message = near.empty() ? "no such setting: see `muster config show`"
                                                       : fmt::format("no such setting: did you mean {}?", near)});
    }
  }

  void take_flags() {
    for (const auto& [name, text] : request_.flags) {
      const std::size_t dot = name.find('.');
      const Setting* setting = find_setting(name.substr(0, dot), name.substr(dot + 1));
      check(setting != nullptr, "a flag stands for a setting of the table");
      set(*setting, text, "flag " + std::string(setting->flag), true);
    }
  }

  // Defaults that depend on the machine or on other settings.
  void fill_derived() {
    ConfigEntry& data_dir = mutable_entry(*find_setting("server", "data_dir"));
    if (std::get<std::string>(data_dir.value).empty()) {
      const std::string xdg = variable(request_.environment, "XDG_DATA_HOME");
      const std::string home = variable(request_.environment, "HOME");
      if (!xdg.empty())
        data_dir.value = xdg + "/muster";
      else if (!home.empty())
        data_dir.value = home + "/.local/share/muster";
      else
        out_.problems.push_back(
            {.where = "", .message = "no data folder: give --data-dir, or set XDG_DATA_HOME or HOME", .usage = true});
    }
    ConfigEntry& store = mutable_entry(*find_setting("server", "store"));
    if (std::get<std::string>(store.value).empty())
      store.value = std::string(kSqliteScheme) + std::get<std::string>(data_dir.value) + "/muster.db";
  }

  void problem_at(std::string_view section, std::string_view key, std::string message) {
    const ConfigEntry& entry = out_.config.entry(section, key);
    out_.problems.push_back({.where = entry.source == kDefaultSource ? std::string() : entry.source,
                             .message = std::move(message),
                             .usage = entry.source.starts_with("flag ")});
  }

  void check_relations() {
    const Config& config = out_.config;
    check_store();
    check_postgres();

    const bool cert = !config.text("tls", "cert").empty();
    const bool key = !config.text("tls", "key").empty();
    if (cert != key)
      problem_at("tls", cert ? "cert" : "key",
                 fmt::format("tls.{} needs tls.{} too", cert ? "cert" : "key", cert ? "key" : "cert"));
    if (!cert && !config.text("tls", "client_ca").empty())
      problem_at("tls", "client_ca", "tls.client_ca needs tls.cert and tls.key too");

    for (const char* wire : {"http", "grpc", "all"}) {
      const auto address = config.listen_on(wire);
      if (address && !is_loopback(address->host) && !cert && !config.flag("server", "insecure"))
        problem_at("listen", wire,
                   fmt::format("refusing to listen on {} without TLS: it is not a loopback address; give --tls-cert and "
                               "--tls-key, or --insecure if the network is trusted",
                               config.text("listen", wire)));
    }
    check_resp(cert);
    check_grpc();
    check_heartbeats();
    check_load();
    check_agents();
    check_credentials();
    check_origins();
  }

  // Any page would be the operator on a server that asks for no token.
  void check_origins() {
    const Config& config = out_.config;
    if (!config.credentials.empty() || !config.text("auth", "session_key").empty()) return;
    if (config.is_exposed() && !config.flag("server", "insecure")) return;
    for (const auto& [section, key] : {std::pair("http", "cors_origins"), std::pair("grpc", "web_origins")}) {
      const std::vector<std::string> origins = config.list(section, key);
      if (std::find(origins.begin(), origins.end(), "*") != origins.end())
        problem_at(
            section, key,
            fmt::format("{}.{}: \"*\" is accepted only together with tokens: configure [auth] session_key or [auth.tokens], "
                        "or name the origins",
                        section, key));
    }
  }

  void check_resp(bool tls) {
    const Config& config = out_.config;
    for (const ListenAddress& address : config.resp()) {
      if (address.is_unix || is_loopback(address.host) || config.flag("server", "insecure")) continue;
      if (!tls)
        problem_at("listen", "resp",
                   fmt::format("refusing to listen on {} port {} without TLS: it is not a loopback address; give --tls-cert and "
                               "--tls-key, or --insecure if the network is trusted",
                               address.host, address.port));
      if (config.flag("resp", "auth_optional"))
        problem_at("resp", "auth_optional",
                   fmt::format("resp.auth_optional: {} port {} is not a loopback address; commands from there need AUTH",
                               address.host, address.port));
    }
    const std::int64_t value = config.number("resp", "value_bytes_max");
    const std::int64_t message = config.number("resp", "message_bytes_max");
    if (value > message)
      problem_at(
          "resp", "value_bytes_max",
          fmt::format("resp.value_bytes_max of {} bytes is above message_bytes_max of {}: no command could hold such a value",
                      value, message));
  }

  void check_grpc() {
    const Config& config = out_.config;
    const std::int64_t payload = config.number("grpc", "payload_bytes_max");
    const std::int64_t message = config.number("grpc", "message_bytes_max");
    if (payload > message)
      problem_at("grpc", "payload_bytes_max",
                 fmt::format("grpc.payload_bytes_max of {} bytes is above message_bytes_max of {}: no request could hold that",
                             payload, message));
    // What nobody set grows with the silence.
    const std::int64_t lease = config.number("grpc", "run_lease");
    const std::int64_t silence = config.number("heartbeat", "grpc_dead_after");
    if (lease != 0 && lease < silence)
      problem_at("grpc", "run_lease",
                 fmt::format("grpc.run_lease of {} ms is below heartbeat.grpc_dead_after of {} ms: runs would be taken from "
                             "workers that live",
                             lease, silence));
  }

  // The value may be a URL with a password: a message repeats its kind only.
  void check_store() {
    const std::string& store = out_.config.text("server", "store");
    if (is_postgres_url(store) || (store.starts_with(kSqliteScheme) && store.size() > kSqliteScheme.size())) return;
    problem_at("server", "store",
               fmt::format("a store of kind \"{}\" is not accepted: give sqlite:PATH or postgres://[USER@]HOST[:PORT]/DATABASE",
                           store.substr(0, std::min(store.find(':'), store.size()))));
  }

  void check_postgres() {
    const Config& config = out_.config;
    const std::string& listen_url = config.text("postgres", "listen_url");
    if (!listen_url.empty() && !is_postgres_url(listen_url))
      problem_at("postgres", "listen_url", "postgres.listen_url: give postgres://[USER@]HOST[:PORT]/DATABASE");

    const std::string& schema = config.text("postgres", "schema");
    // Names that PostgreSQL takes without quotes, so that people can write them without quotes too.
    if (schema.empty() || schema.size() > kSchemaNameBytesMax || schema.find_first_not_of(kSchemaCharacters) != schema.npos ||
        (schema.front() >= '0' && schema.front() <= '9') || schema.starts_with("pg_"))
      problem_at(
          "postgres", "schema",
          fmt::format("postgres.schema: \"{}\" is not accepted: give 1 to {} of a-z, 0-9 and _, not beginning with a digit or "
                      "pg_",
                      schema, kSchemaNameBytesMax));

    const std::string& node = config.text("postgres", "node");
    if (node.size() > kNodeNameBytesMax || node.find_first_not_of(kNodeCharacters) != node.npos)
      problem_at("postgres", "node",
                 fmt::format("postgres.node: \"{}\" is not accepted: give at most {} of letters, digits, '.', '_' and '-'", node,
                             kNodeNameBytesMax));

    const std::string& address = config.text("postgres", "address");
    if (address.size() > kNodeAddressBytesMax)
      problem_at("postgres", "address",
                 fmt::format("postgres.address has {} bytes: give at most {}", address.size(), kNodeAddressBytesMax));

    const std::int64_t polling = config.number("postgres", "poll_every");
    const std::int64_t listening = config.number("postgres", "poll_every_listening");
    if (polling > listening)
      problem_at("postgres", "poll_every_listening",
                 fmt::format("postgres.poll_every_listening of {} ms is below poll_every of {} ms", listening, polling));
  }

  void check_heartbeats() {
    for (const std::string dialect : {"http", "resp", "grpc", "ws", "agent"}) {
      const std::int64_t interval = out_.config.number("heartbeat", dialect + "_interval");
      const std::int64_t dead_after = out_.config.number("heartbeat", dialect + "_dead_after");
      // Three beats fit into the silence that counts as death, so that one lost message never kills a worker. Deployments of
      // Kagzi may have two; their workers are then told to beat more often.
      const bool two_will_do = dialect == "grpc" && dead_after >= kKagziSilenceMinMs;
      if (interval * (two_will_do ? 2 : 3) > dead_after)
        problem_at("heartbeat", dialect + "_dead_after",
                   fmt::format("heartbeat.{}_dead_after of {} ms is below {} times {}_interval of {} ms", dialect, dead_after,
                               two_will_do ? "two" : "three", dialect, interval));
    }
  }

  // A worker below its threshold by the margin must be possible, or none would ever work again.
  void check_load() {
    const Config& config = out_.config;
    std::set<std::string> namespaces{{}};
    for (const NamespaceEntry& own : config.namespace_entries) namespaces.insert(own.ns);
    for (const std::string& ns : namespaces) {
      const std::int64_t margin = config.number_in(ns, "load", "margin_pct");
      for (const char* key : {"mem_pct", "disk_pct"}) {
        const std::int64_t threshold = config.number_in(ns, "load", key);
        if (threshold == 0 || margin < threshold) continue;
        problem_at("load", "margin_pct",
                   fmt::format("load.margin_pct of {} is not below {} of {}{}", margin, key, threshold,
                               ns.empty() ? "" : fmt::format(" in namespace \"{}\"", ns)));
      }
    }
  }

  void check_agents() {
    const Config& config = out_.config;
    if (const auto prices = agents::Prices::parse(config.list("agents", "prices")); !prices.ok())
      problem_at("agents", "prices", prices.status().message());
    if (const auto budgets = agent_budgets(config.list("agents", "budgets")); !budgets.ok())
      problem_at("agents", "budgets", budgets.status().message());
    if (!config.text("agents", "record_file").empty() && !config.text("agents", "replay_file").empty())
      problem_at("agents", "record_file",
                 "agents.record_file and agents.replay_file are not used together: a replay makes no call");
  }

  void check_credentials() {
    std::map<std::string, std::string> owners;  // secret → name
    for (const Credential& credential : out_.config.credentials) {
      const auto [at, inserted] = owners.emplace(credential.secret + credential.sha256 + credential.certificate, credential.name);
      if (!inserted)
        out_.problems.push_back({.where = credential.source,
                                 .message = fmt::format("\"{}\" has the same secret as \"{}\"", credential.name, at->second)});
    }
  }

  const LoadRequest& request_;
  LoadedConfig out_;
};

}  // namespace

const ConfigEntry& Config::entry(std::string_view section, std::string_view key) const {
  const Setting* setting = find_setting(section, key);
  check(setting != nullptr, "the setting is in the table");
  return entries[static_cast<std::size_t>(setting - settings().data())];
}

const std::string& Config::text(std::string_view section, std::string_view key) const {
  return std::get<std::string>(entry(section, key).value);
}

std::int64_t Config::number(std::string_view section, std::string_view key) const {
  return std::get<std::int64_t>(entry(section, key).value);
}

std::int64_t Config::number_in(std::string_view ns, std::string_view section, std::string_view key) const {
  const Setting* setting = find_setting(section, key);
  for (const NamespaceEntry& own : namespace_entries)
    if (own.ns == ns && own.entry.setting == setting) return std::get<std::int64_t>(own.entry.value);
  return number(section, key);
}

bool Config::flag(std::string_view section, std::string_view key) const { return std::get<bool>(entry(section, key).value); }

std::vector<std::string> Config::list(std::string_view section, std::string_view key) const {
  std::vector<std::string> out;
  std::string_view rest = text(section, key);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    if (end > 0) out.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

bool Config::on_postgres() const { return is_postgres_url(text("server", "store")); }

std::string Config::database_path() const {
  check(!on_postgres(), "only a SQLite store has a path");
  return text("server", "store").substr(kSqliteScheme.size());
}

std::string Config::backup_dir() const {
  const std::string& configured = text("server", "backup_dir");
  return configured.empty() ? data_dir() + "/backups" : configured;
}

std::optional<HostPort> Config::listen_on(std::string_view key) const {
  const std::string& text_form = text("listen", key);
  if (text_form == "off") return std::nullopt;
  auto address = parse_host_port(text_form);
  check(address.ok(), "a listen address was checked when it was read");
  return std::move(address).value();
}

bool Config::is_exposed() const {
  for (const std::optional<HostPort>& address : {http(), grpc(), everything()})
    if (address && !is_loopback(address->host)) return true;
  return false;
}

std::vector<ListenAddress> Config::resp() const {
  auto addresses = parse_listeners(text("listen", "resp"));
  check(addresses.ok(), "listen addresses were checked when they were read");
  return std::move(addresses).value();
}

LoadedConfig load_config(const LoadRequest& request) { return Loader(request).load(); }

std::map<std::string, std::string> process_environment() {
  std::map<std::string, std::string> out;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view pair = *at;
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = pair.substr(0, equals);
    if (name.starts_with("MUSTER_") || name.starts_with("KAGZI_") || name == "AGQ_SESSION_KEY" || name == kApiKeyVariable ||
        name == "XDG_DATA_HOME" || name == "HOME")
      out.emplace(name, pair.substr(equals + 1));
  }
  return out;
}

bool is_postgres_url(std::string_view text) { return text.starts_with("postgres://") || text.starts_with("postgresql://"); }

bool is_loopback(std::string_view host) {
  if (host == "localhost" || host == "::1") return true;
  // A name may start with 127. too, and resolve to anywhere.
  return host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace muster::server
