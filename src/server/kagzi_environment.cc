#include "server/kagzi_environment.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <string_view>

namespace muster::server {
namespace {

// What stands behind the number in our form of the setting.
enum class Unit : std::uint8_t { seconds, plain, word };

struct Alias {
  std::string_view name;
  std::string_view section;
  std::string_view key;
  Unit unit = Unit::plain;
  bool lenient = false;  // nonsense, zero and less mean the default, as they always did
};

// In the order they are taken: a later one wins.
constexpr std::array kAliases{
    Alias{"KAGZI_POLL_TIMEOUT_SECS", "grpc", "poll_wait", Unit::seconds},
    Alias{"KAGZI_WORKER_POLL_TIMEOUT_SECS", "grpc", "poll_wait", Unit::seconds},
    Alias{"KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS", "heartbeat", "grpc_interval", Unit::seconds},
    Alias{"KAGZI_COORDINATOR_WORKER_STALE_THRESHOLD_SECS", "heartbeat", "grpc_dead_after", Unit::seconds},
    Alias{"KAGZI_WORKER_VISIBILITY_TIMEOUT_SECS", "grpc", "run_lease", Unit::seconds},
    Alias{"KAGZI_WORKER_HEARTBEAT_EXTENSION_SECS", "grpc", "run_lease_per_beat", Unit::seconds},
    Alias{"KAGZI_COORDINATOR_INTERVAL_SECS", "scheduler", "interval", Unit::seconds},
    Alias{"KAGZI_SCHEDULER_INTERVAL_SECS", "scheduler", "interval", Unit::seconds, true},
    Alias{"KAGZI_COORDINATOR_BATCH_SIZE", "scheduler", "batch"},
    Alias{"KAGZI_SCHEDULER_BATCH_SIZE", "scheduler", "batch", Unit::plain, true},
    Alias{"KAGZI_SCHEDULER_MAX_WORKFLOWS_PER_TICK", "scheduler", "fires_max", Unit::plain, true},
    Alias{"KAGZI_PAYLOAD_MAX_SIZE_BYTES", "grpc", "payload_bytes_max"},
    Alias{"KAGZI_TELEMETRY_LOG_LEVEL", "log", "level", Unit::word, true},
};

constexpr std::string_view kHost = "KAGZI_SERVER_HOST";
constexpr std::string_view kPort = "KAGZI_SERVER_PORT";
constexpr std::string_view kUsualHost = "127.0.0.1";
constexpr std::string_view kUsualPort = "50051";

std::optional<std::string> find(const std::map<std::string, std::string>& environment, std::string_view name) {
  const auto at = environment.find(std::string(name));
  return at == environment.end() ? std::nullopt : std::optional(at->second);
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string where(std::string_view name) { return fmt::format("environment {}", name); }

// In the form of our setting; nothing: it is not a number.
std::optional<std::string> translated(const Alias& alias, const std::string& text) {
  if (alias.unit == Unit::word) return text;
  const auto value = number(text);
  if (!value) return std::nullopt;
  return fmt::format("{}{}", *value, alias.unit == Unit::seconds ? "s" : "");
}

void take(const Alias& alias, const std::string& text, ForeignValues& out) {
  const Setting* setting = find_setting(alias.section, alias.key);
  const auto value = translated(alias, text);
  if (alias.lenient && (!value || !parse_setting(*setting, *value).ok())) return;
  if (value)
    out.values.push_back({.setting = setting, .text = *value, .where = where(alias.name)});
  else
    out.problems.push_back({.where = where(alias.name), .message = fmt::format("\"{}\" is not a whole number", text)});
}

void take_address(const std::map<std::string, std::string>& environment, ForeignValues& out) {
  const auto host = find(environment, kHost);
  const auto port = find(environment, kPort);
  if (!host && !port) return;
  std::string name = host.value_or(std::string(kUsualHost));
  if (name.find(':') != std::string::npos && !name.starts_with('[')) name = fmt::format("[{}]", name);
  out.values.push_back({.setting = find_setting("listen", "grpc"),
                        .text = fmt::format("{}:{}", name, port.value_or(std::string(kUsualPort))),
                        .where = where(host ? kHost : kPort)});
}

}  // namespace

ForeignValues kagzi_values(const std::map<std::string, std::string>& environment) {
  ForeignValues out;
  take_address(environment, out);
  for (const Alias& alias : kAliases)
    if (const auto text = find(environment, alias.name)) take(alias, *text, out);
  return out;
}

}  // namespace muster::server
