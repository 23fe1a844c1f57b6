#include "worker/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/log.h"
#include "plan/plan.h"

namespace muster::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kKeyBytesMin = 8;
constexpr std::size_t kTagBytesMax = 128;

Status wrong(std::string_view flag, std::string_view why) { return Status::invalid_argument(fmt::format("--{}: {}", flag, why)); }

std::string data_dir(const Flags& flags, const Environment& environment) {
  if (!flags.data_dir.empty()) return flags.data_dir;
  if (const auto set = environment("MUSTER_SERVER_DATA_DIR"); set && !set->empty()) return *set;
  if (const auto xdg = environment("XDG_DATA_HOME"); xdg && !xdg->empty()) return *xdg + "/muster";
  if (const auto home = environment("HOME"); home && !home->empty()) return *home + "/.local/share/muster";
  return "";
}

std::string first_word(const std::string& path) {
  std::ifstream in(path);
  std::string word;
  in >> word;
  return word;
}

constexpr std::string_view kDefaultAddress = "127.0.0.1:6380";
constexpr std::string_view kDefaultUrl = "ws://127.0.0.1:8080/ws/worker";

Via wire_of(const Flags& flags) {
  const bool is_url = flags.connect.starts_with("ws://") || flags.connect.starts_with("wss://");
  return flags.via.value_or(is_url ? Via::ws : Via::resp);
}

Result<std::string> session_key(const Flags& flags, const Environment& environment, const std::string& folder) {
  std::string key = flags.key;
  if (!flags.key_file.empty()) {
    key = first_word(flags.key_file);
    if (key.empty()) return wrong("key-file", fmt::format("`{}` holds no key", flags.key_file));
  }
  for (const char* name : {"MUSTER_AUTH_SESSION_KEY", "AGQ_SESSION_KEY"})
    if (key.empty()) key = environment(name).value_or("");
  if (key.empty() && !folder.empty()) key = first_word(folder + "/session.key");
  // Where a server asks for no token, a worker over WebSocket needs none.
  if (key.empty() && wire_of(flags) == Via::ws) return key;
  if (key.empty())
    return wrong("key",
                 "no session key: give --key-file, MUSTER_AUTH_SESSION_KEY, or the --data-dir of a server on this machine");
  if (key.size() < kKeyBytesMin) return wrong("key", fmt::format("a session key has at least {} characters", kKeyBytesMin));
  return key;
}

Status read_tags(const Flags& flags, std::map<std::string, std::string>& out) {
  if (flags.tags.size() > kTagsMax) return wrong("tags", fmt::format("{} are more than {}", flags.tags.size(), kTagsMax));
  for (const std::string& tag : flags.tags) {
    const std::size_t equals = tag.find('=');
    // The real AGW's tags are bare words.
    const std::string key = tag.substr(0, equals);
    const std::string value = equals == tag.npos ? "true" : tag.substr(equals + 1);
    if (key.empty() || key.size() > kTagBytesMax || value.size() > kTagBytesMax)
      return wrong("tags", fmt::format("`{}`: expected KEY=VALUE, each of at most {} bytes", tag, kTagBytesMax));
    out[key] = value;
  }
  return {};
}

Status check_numbers(const Flags& flags) {
  if (flags.max_concurrent < 1 || flags.max_concurrent > kConcurrentMax)
    return wrong("max-concurrent", fmt::format("{} is not from 1 to {}", flags.max_concurrent, kConcurrentMax));
  if (flags.heartbeat_seconds > kHeartbeatSecondsMax)
    return wrong("heartbeat", fmt::format("{} is not from 1 to {} seconds", flags.heartbeat_seconds, kHeartbeatSecondsMax));
  if (flags.shutdown_seconds > kShutdownSecondsMax)
    return wrong("shutdown-timeout", fmt::format("{} is not from 0 to {} seconds", flags.shutdown_seconds, kShutdownSecondsMax));
  if (flags.output_cap < kOutputCapMin || flags.output_cap > kOutputCapMax)
    return wrong("output-cap", fmt::format("{} is not from {} to {} bytes", flags.output_cap, kOutputCapMin, kOutputCapMax));
  if (flags.spill_cap != 0 && flags.spill_cap < flags.output_cap)
    return wrong("spill-cap", "it is not below --output-cap, or 0 for no cap");
  return {};
}

Status check_queues(const Flags& flags) {
  if (flags.queues.empty() || flags.queues.size() > kQueuesMax)
    return wrong("queue", fmt::format("expected 1 to {} names", kQueuesMax));
  for (const std::string& queue : flags.queues)
    if (queue.empty() || queue == "processing" || queue == "scheduled" || queue.find_first_of(" \t\r\n") != queue.npos)
      return wrong("queue", fmt::format("`{}` is not a queue that jobs are taken from", queue));
  return {};
}

Status check_paths(const Flags& flags) {
  for (const std::string& path : flags.allow)
    if (!path.starts_with('/')) return wrong("allow", fmt::format("`{}` is not an absolute path", path));
  return {};
}

Result<Toolbox> toolbox(const Flags& flags, const Environment& environment) {
  std::string path = environment("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  if (flags.tools.empty() || flags.discover) {
    Toolbox box = Toolbox::discovered(path);
    if (flags.tools.empty()) return box;
    std::vector<std::string> names = flags.tools;
    for (const std::vector<std::string>& found : {box.tools(), box.units()})
      names.insert(names.end(), found.begin(), found.end());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return Toolbox::listed(names, std::move(path));
  }
  return Toolbox::listed(flags.tools, std::move(path));
}

std::string temp_folder(const Flags& flags) {
  if (!flags.temp_dir.empty()) return flags.temp_dir;
  std::error_code ignored;
  const fs::path found = fs::temp_directory_path(ignored);
  return found.empty() ? "/tmp" : found.string();
}

}  // namespace

namespace {

Status check_wire(const Flags& flags) {
  const bool over_ws = wire_of(flags) == Via::ws;
  if (flags.protocol != 1 && flags.protocol != 2) return wrong("protocol", fmt::format("{} is not 1 or 2", flags.protocol));
  if (!over_ws && flags.mtls) return wrong("mtls", "it is a mode of --via ws");
  if (!over_ws) return {};
  if (flags.once) return wrong("once", "work is pushed over ws: there is no queue to find empty");
  if (flags.queues != Flags().queues)
    return wrong("queue", "over ws the server chooses the jobs; give each tool's job its needs");
  if (flags.tls) return wrong("tls", "give --connect wss://HOST:PORT/ws/worker");
  if (flags.mtls && flags.tls_cert.empty()) return wrong("mtls", "it needs --tls-cert");
  return {};
}

Result<sdk::ws::WorkerOptions> ws_options(const Flags& flags, const std::string& ca_file, std::string key) {
  sdk::ws::WorkerOptions out;
  out.url = flags.connect.empty() ? std::string(kDefaultUrl) : flags.connect;
  if (const auto endpoint = sdk::ws::check_url(out.url); !endpoint.ok()) return wrong("connect", endpoint.error().detail);
  out.protocol = flags.protocol == 1 ? sdk::ws::ProtocolVersion::v1 : sdk::ws::ProtocolVersion::v2;
  out.tenant = flags.tenant;
  out.auth = flags.mtls ? sdk::ws::AuthMode::mtls : sdk::ws::AuthMode::token;
  out.token = std::move(key);
  out.tls = {.ca_file = ca_file, .cert_file = flags.tls_cert, .key_file = flags.tls_key};
  out.max_parallel = static_cast<std::uint32_t>(flags.max_concurrent);
  out.runtimes = {"tool"};
  out.features = {"tools"};
  out.version = kVersion;
  out.packages = {{.name = "muster.tools", .version = std::string(kVersion), .manifest = {}}};
  if (flags.heartbeat_seconds > 0) {
    out.heartbeat = std::chrono::seconds(flags.heartbeat_seconds);
    out.heartbeat_jitter = out.heartbeat / 6;
  }
  out.drain_deadline = std::chrono::seconds(flags.shutdown_seconds);
  return out;
}

}  // namespace

Result<Settings> make_settings(const Flags& flags, const std::string& ca_file, const Environment& environment) {
  for (const Status& status : {check_numbers(flags), check_queues(flags), check_paths(flags), check_wire(flags)})
    if (!status.ok()) return status;
  const bool over_ws = wire_of(flags) == Via::ws;
  auto address = sdk::resp::parse_address(flags.connect.empty() || over_ws ? kDefaultAddress : flags.connect);
  if (!address.ok()) return wrong("connect", address.error().detail);
  if (flags.tls) address->tls = true;
  if (!flags.id.empty())
    if (const Status status = validate_id(flags.id); !status.ok()) return wrong("id", status.message());
  const std::string folder = data_dir(flags, environment);
  auto key = session_key(flags, environment, folder);
  if (!key.ok()) return key.status();
  auto tools = toolbox(flags, environment);
  if (!tools.ok()) return wrong("tools", tools.status().message());
  if (flags.spool.empty() && folder.empty()) return wrong("spool", "there is no data folder to keep results in; name one");

  Settings out{.tools = std::move(*tools), .sandbox = flags.sandbox, .spool = flags.spool, .spool_parent = folder + "/worker"};
  if (Status status = read_tags(flags, out.agent.identity.tags); !status.ok()) return status;
  if (over_ws) {
    auto ws = ws_options(flags, ca_file, *key);
    if (!ws.ok()) return ws.status();
    out.ws = *std::move(ws);
  }
  out.agent.client.address = std::move(*address);
  out.agent.client.tls = {.ca_file = ca_file, .cert_file = flags.tls_cert, .key_file = flags.tls_key};
  out.agent.client.key = std::move(*key);
  out.agent.identity.id = flags.id;
  out.agent.identity.name = flags.name;
  out.agent.identity.max_concurrent = flags.max_concurrent;
  out.agent.queues = flags.queues;
  out.agent.heartbeat = std::chrono::seconds(flags.heartbeat_seconds);
  out.agent.shutdown_timeout = std::chrono::seconds(flags.shutdown_seconds);
  out.agent.once = flags.once;
  out.executor.limits = flags.limits;
  out.executor.allowed_paths = flags.allow;
  out.executor.output_cap = flags.output_cap;
  out.executor.spill_cap = flags.spill_cap;
  out.executor.temp_folder = temp_folder(flags);
  if (const auto language = environment("LANG"); language && !language->empty()) out.executor.language = *language;
  return out;
}

}  // namespace muster::worker
