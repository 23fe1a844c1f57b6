#include "server/wiring.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>

#include "fronts/grpc/front.h"
#include "server/version.h"

namespace muster::server {
namespace {

Duration duration(const Config& config, std::string_view section, std::string_view key) {
  return Duration(config.number(section, key));
}

std::size_t count(const Config& config, std::string_view section, std::string_view key) {
  return static_cast<std::size_t>(config.number(section, key));
}

std::uint32_t number32(const Config& config, std::string_view section, std::string_view key) {
  return static_cast<std::uint32_t>(config.number(section, key));
}

net::TlsOptions tls_options(const Config& config) {
  return {.certificate_file = config.text("tls", "cert"),
          .key_file = config.text("tls", "key"),
          .client_ca_file = config.text("tls", "client_ca")};
}

resp::Limits resp_limits(const Config& config) {
  resp::Limits limits;
  limits.message_bytes_max = count(config, "resp", "message_bytes_max");
  limits.value_bytes_max = count(config, "resp", "value_bytes_max");
  limits.output_bytes_max = count(config, "resp", "output_bytes_max");
  limits.connections_max = count(config, "resp", "connections_max");
  limits.connections_per_address_max = count(config, "resp", "connections_per_address_max");
  limits.pipeline_max = count(config, "resp", "pipeline_max");
  limits.idle = duration(config, "resp", "idle");
  limits.unauthenticated_idle = duration(config, "resp", "unauthenticated_idle");
  limits.authenticate_within = duration(config, "resp", "authenticate_within");
  limits.frame_read = duration(config, "resp", "frame_read");
  limits.channel_bytes_max = count(config, "resp", "channel_bytes_max");
  limits.channel_bytes_in_all_max = count(config, "resp", "channel_bytes_in_all_max");
  limits.plan_submits_per_minute = number32(config, "resp", "plan_submits_per_minute");
  limits.action_submits_per_minute = number32(config, "resp", "action_submits_per_minute");
  limits.job_gets_per_minute = number32(config, "resp", "job_gets_per_minute");
  limits.heartbeats_per_minute = number32(config, "resp", "heartbeats_per_minute");
  limits.workers_max = count(config, "resp", "workers_max");
  limits.action_inputs_max = count(config, "resp", "action_inputs_max");
  return limits;
}

resp::CompatFlags resp_compat_flags(const Config& config) {
  return {.pop_answers_pair = config.flag("resp", "pop_answers_pair"),
          .pop_moves_document = config.flag("resp", "pop_moves_document"),
          .ranges_with_scores = config.flag("resp", "ranges_with_scores"),
          .empty_inputs_run_once = config.flag("resp", "empty_inputs_run_once"),
          .plans_overwrite = config.flag("resp", "plans_overwrite"),
          .jobs_are_tasks = config.flag("resp", "jobs_are_tasks"),
          .failures_retry = config.flag("resp", "failures_retry"),
          .flush_allowed = config.flag("resp", "flush_allowed"),
          .auth_optional = config.flag("resp", "auth_optional")};
}

HeartbeatPolicy policy(const Config& config, Dialect dialect) {
  const std::string name(to_string(dialect));
  const Duration dead_after = duration(config, "heartbeat", name + "_dead_after");
  Duration interval = duration(config, "heartbeat", name + "_interval");
  // Three beats before death whatever is configured: an interval that leaves room for two alone is shortened.
  if (interval * 3 > dead_after) interval = std::chrono::floor<std::chrono::seconds>(dead_after / 3);
  return {.interval = interval, .dead_after = dead_after};
}

engine::LoadLimits load_limits(const Config& config, std::string_view ns) {
  const auto value = [&](const char* key) { return static_cast<std::uint32_t>(config.number_in(ns, "load", key)); };
  return {.mem_pct = value("mem_pct"),
          .disk_pct = value("disk_pct"),
          .margin_pct = value("margin_pct"),
          .calm_beats = value("calm_beats")};
}

// A key that nobody asked for does not lock a machine's own user out; a listener that others can reach always asks.
// HTTP and gRPC come by each other's listeners, so what one needs both need.
bool token_needed(const Config& config) {
  const bool configured = !config.credentials.empty() || !config.text("auth", "session_key").empty();
  return configured || (config.is_exposed() && !config.flag("server", "insecure"));
}

rpc::Limits grpc_limits(const Config& config) {
  rpc::Limits limits;
  limits.message_bytes_max = count(config, "grpc", "message_bytes_max");
  limits.payload_bytes_max = count(config, "grpc", "payload_bytes_max");
  limits.calls_max = count(config, "grpc", "calls_max");
  limits.watches_max = count(config, "grpc", "watches_max");
  limits.watches_per_address_max = count(config, "grpc", "watches_per_address_max");
  limits.streams_per_connection_max = count(config, "grpc", "streams_per_connection_max");
  limits.connections_max = count(config, "limits", "connections_max");
  limits.keepalive = duration(config, "grpc", "keepalive");
  limits.keepalive_accepted = duration(config, "grpc", "keepalive_accepted");
  return limits;
}

rpc::CompatFlags grpc_compat_flags(const Config& config) {
  const HeartbeatPolicy beats = policy(config, Dialect::grpc);
  const auto lease = [&](const char* key, Duration otherwise) {
    const Duration given = duration(config, "grpc", key);
    return std::min<Duration>(given > Duration(0) ? given : otherwise, limits::kLeaseMax);
  };
  return {.poll_wait = duration(config, "grpc", "poll_wait"),
          .refused_poll_hold = duration(config, "grpc", "refused_poll_hold"),
          .steps_retry = config.flag("grpc", "steps_retry"),
          .plain_errors = config.flag("grpc", "plain_errors"),
          .heartbeat_every = beats.interval,
          .dead_after = beats.dead_after,
          .run_lease = lease("run_lease", 2 * beats.dead_after),
          .run_lease_per_beat = lease("run_lease_per_beat", 3 * beats.dead_after / 2),
          .run_lease_max = lease("run_lease_max", 10 * beats.dead_after)};
}

Ticks processor_time() {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return Ticks(0);
  const auto ticks = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  return ticks(usage.ru_utime) + ticks(usage.ru_stime);
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0' ? std::string(name.data()) : "localhost";
}

// Where people reach this node. A listener on every address is reached by the machine's name; one on a port that is not known yet
// is left out.
std::string node_address(const Config& config) {
  const std::string& configured = config.text("postgres", "address");
  if (!configured.empty()) return configured;
  const bool own = config.http().has_value();
  const auto http = own ? config.http() : config.everything();
  if (!http || http->port == 0) return {};
  const bool everywhere = http->host == "0.0.0.0" || http->host == "::";
  return everywhere ? fmt::format("{}:{}", host_name(), http->port) : config.text("listen", own ? "http" : "all");
}

store::postgres::Preparing preparing(std::string_view choice) {
  if (choice == "always") return store::postgres::Preparing::always;
  return choice == "never" ? store::postgres::Preparing::never : store::postgres::Preparing::automatic;
}

}  // namespace

store::sqlite::Options sqlite_options(const Config& config) {
  store::sqlite::Options options;
  options.path = config.database_path();
  options.durability =
      config.text("server", "durability") == "normal" ? store::sqlite::Durability::normal : store::sqlite::Durability::full;
  options.pending_max = count(config, "limits", "writes_pending_max");
  return options;
}

store::postgres::Options postgres_options(const Config& config) {
  store::postgres::Options options;
  options.url = config.text("server", "store");
  options.listen_url = config.text("postgres", "listen_url");
  options.schema = config.text("postgres", "schema");
  options.node = config.text("postgres", "node");
  options.address = node_address(config);
  options.version = std::string(kVersion);
  options.connections = count(config, "postgres", "connections");
  options.preparing = preparing(config.text("postgres", "preparing"));
  options.connect_timeout = duration(config, "postgres", "connect_timeout");
  options.statement_timeout = duration(config, "postgres", "statement_timeout");
  options.leader_ttl = duration(config, "postgres", "leader_ttl");
  options.node_beat_every = duration(config, "postgres", "node_beat_every");
  options.poll_every = duration(config, "postgres", "poll_every");
  options.poll_every_listening = duration(config, "postgres", "poll_every_listening");
  options.pending_max = count(config, "limits", "writes_pending_max");
  return options;
}

std::string node_name(const Config& config) {
  const std::string& configured = config.text("postgres", "node");
  return configured.empty() ? host_name() : configured;
}

engine::Options engine_options(const Config& config) {
  engine::Options options;
  for (const Dialect dialect : {Dialect::http, Dialect::resp, Dialect::grpc, Dialect::ws, Dialect::agent})
    options.policies[static_cast<std::size_t>(dialect)] = policy(config, dialect);
  options.retention.completed_kept = duration(config, "retention", "completed_kept");
  options.retention.dead_kept = duration(config, "retention", "dead_kept");
  options.retention.finished_count_max = static_cast<std::uint64_t>(config.number("retention", "finished_count_max"));
  options.offline_kept = duration(config, "retention", "offline_workers_kept");
  options.audit_kept = duration(config, "audit", "kept");
  options.events_kept = count(config, "limits", "events_kept");
  options.parked_max = count(config, "limits", "parked_claims_max");
  options.scheduler_every = duration(config, "scheduler", "interval");
  options.scheduler_batch = count(config, "scheduler", "batch");
  options.scheduler_fires_max = count(config, "scheduler", "fires_max");
  options.load = load_limits(config, {});
  for (const NamespaceEntry& own : config.namespace_entries) options.load_by_namespace[own.ns] = load_limits(config, own.ns);
  // SQLite tells every commit itself; jobs that another node made ready without a word are found by looking.
  if (config.on_postgres()) options.claim_poll_every = duration(config, "postgres", "poll_every");
  options.history = true;
  options.processor_time = processor_time;
  options.packages.answer = duration(config, "packages", "timeout");
  // On PostgreSQL another node may have handed them out.
  if (config.serves_grpc() && !config.on_postgres()) options.orphaned_runs_after = policy(config, Dialect::grpc).dead_after;
  return options;
}

command::Archives::Options archive_options(const Config& config) {
  const std::string& folder = config.text("packages", "folder");
  return {.folder = folder.empty() ? config.data_dir() + "/packages" : folder,
          .url = config.text("packages", "url"),
          .bytes_max = count(config, "packages", "archive_bytes_max")};
}

std::vector<auth::Token> all_tokens(const Config& config, const std::string& operator_key) {
  std::vector<auth::Token> tokens;
  tokens.push_back({.name = "operator", .role = command::Role::operator_role, .secret = operator_key, .worker = WorkerId()});
  for (const Credential& credential : config.credentials)
    if (credential.certificate.empty())
      tokens.push_back({.name = credential.name,
                        .role = credential.role,
                        .secret = credential.secret,
                        .worker = WorkerId(credential.worker),
                        .namespaces = credential.namespaces,
                        .sha256 = credential.sha256});
  return tokens;
}

auth::BrakeOptions brake_options(const Config& config) {
  return {.failures_max = count(config, "resp", "auth_failures_max"), .delay_max = duration(config, "resp", "auth_delay_max")};
}

net::BudgetBounds budget_bounds(const Config& config) {
  return {.connection_bytes = count(config, "limits", "connection_bytes"), .node_bytes = count(config, "limits", "node_bytes")};
}

http::AuthOptions auth_options(const Config& config, const std::string& operator_key) {
  http::AuthOptions options;
  options.tokens = all_tokens(config, operator_key);
  for (const Credential& credential : config.credentials)
    if (!credential.certificate.empty())
      options.certificates.push_back({.name = credential.name,
                                      .role = credential.role,
                                      .sha256 = credential.certificate,
                                      .worker = WorkerId(credential.worker),
                                      .namespaces = credential.namespaces});
  options.required = token_needed(config);
  return options;
}

rpc::GrpcOptions grpc_options(const Config& config, const std::string& operator_key) {
  rpc::GrpcOptions options;
  const HostPort address = config.grpc().value_or(HostPort());
  options.address = address.host;
  options.port = address.port;
  options.tls = tls_options(config);
  auth::AuthOptions tokens = auth_options(config, operator_key);
  options.tokens = std::move(tokens.tokens);
  options.auth_required = tokens.required;
  options.limits = grpc_limits(config);
  options.compat_flags = grpc_compat_flags(config);
  options.insecure = config.flag("server", "insecure");
  return options;
}

ws::WsOptions ws_options(const Config& config, const std::string& operator_key) {
  ws::WsOptions options;
  options.auth = auth_options(config, operator_key);
  options.session_secret = config.text("ws", "session_secret");
  // Nobody who does not know the key can sign, and every node that has the same key can read.
  if (options.session_secret.empty()) options.session_secret = "muster session " + operator_key;
  options.token_life = std::chrono::duration_cast<std::chrono::seconds>(duration(config, "ws", "session_life"));
  options.limits.sockets_max = count(config, "ws", "sockets_max");
  options.limits.dispatch_ack = duration(config, "ws", "dispatch_ack");
  options.strict_results = config.flag("ws", "strict_results");
  return options;
}

resp::RespOptions resp_options(const Config& config, const std::string& operator_key) {
  resp::RespOptions options;
  for (ListenAddress& address : config.resp())
    options.addresses.push_back({.host = std::move(address.host), .port = address.port, .is_unix = address.is_unix});
  options.tls = tls_options(config);
  options.keys = all_tokens(config, operator_key);
  options.limits = resp_limits(config);
  options.compat_flags = resp_compat_flags(config);
  options.job_timeout = duration(config, "resp", "job_timeout");
  options.job_attempts = number32(config, "resp", "job_attempts");
  options.job_rescues = number32(config, "resp", "job_rescues");
  options.output_kept = duration(config, "resp", "output_kept");
  options.insecure = config.flag("server", "insecure");
  return options;
}

http::HttpOptions http_options(const Config& config, const std::string& operator_key) {
  http::HttpOptions options;
  const HostPort address = config.http().value_or(HostPort());
  options.address = address.host;
  options.port = address.port;
  options.tls = tls_options(config);
  options.auth = auth_options(config, operator_key);
  options.limits.header_bytes_max = count(config, "limits", "header_bytes_max");
  options.limits.body_bytes_max = count(config, "limits", "body_bytes_max");
  options.limits.connections_max = count(config, "limits", "connections_max");
  if (config.serves_grpc()) options.other_streams = rpc::http2_limits(grpc_limits(config));
  options.cors_origins = config.list("http", "cors_origins");
  options.rpc_origins = config.list("grpc", "web_origins");
  options.host_names = config.list("http", "host_names");
  options.exposed = config.is_exposed();
  options.insecure = config.flag("server", "insecure");
  return options;
}

Status prepare_data_dir(const Config& config) {
  const std::filesystem::path folder = config.data_dir();
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) {
    if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), error);
    if (error || (::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST))
      return Status::unavailable(
          fmt::format("cannot create the data folder {}: {}", folder.string(), error ? error.message() : std::strerror(errno)));
  }
  if (!std::filesystem::is_directory(folder, error))
    return Status::unavailable(fmt::format("the data folder {} is not a folder", folder.string()));
  if (::access(folder.c_str(), R_OK | W_OK | X_OK) != 0)
    return Status::unavailable(fmt::format("cannot write to the data folder {}: {}; give another --data-dir or change its owner",
                                           folder.string(), std::strerror(errno)));
  return {};
}

}  // namespace muster::server
