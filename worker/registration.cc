#include "worker/registration.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <random>

#include "base/ascii.h"
#include "plan/plan.h"

namespace muster::worker {
namespace {

utsname machine() {
  utsname out{};
  ::uname(&out);
  return out;
}

}  // namespace

Status validate_id(std::string_view id) { return plan::validate_identifier("worker id", id); }

std::string fresh_id() {
  std::string host = machine().nodename;
  host.resize(std::min(host.find('.'), host.size()));
  for (char& c : host)
    if (!plan::validate_identifier("host", std::string_view(&c, 1)).ok()) c = '-';
  constexpr std::size_t kHostMax = 32;
  host.resize(std::min(host.size(), kHostMax));
  return fmt::format("worker-{}-{}-{:04x}", host, ::getpid(), std::random_device()() & 0xFFFFU);
}

std::string registration_json(const Identity& identity, const Toolbox& tools) {
  const utsname host = machine();
  nlohmann::json out{{"worker_id", identity.id},
                     {"hostname", host.nodename},
                     {"platform", lower(host.sysname) + "-" + host.machine},
                     {"agw_version", kVersion},
                     {"capabilities", {{"tools", tools.tools()}, {"agentic_units", tools.units()}}},
                     {"max_concurrent_jobs", identity.max_concurrent},
                     {"tags", nlohmann::json::object()}};
  for (const auto& [key, value] : identity.tags) out["tags"][key] = value;
  if (!identity.name.empty()) out["name"] = identity.name;
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<Duration> heartbeat_interval(std::string_view reply) {
  constexpr std::string_view kField = "heartbeat_interval=";
  const std::size_t at = reply.find(kField);
  if (at == reply.npos) return std::nullopt;
  const std::string_view digits = reply.substr(at + kField.size());
  std::uint32_t seconds = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
  if (seconds == 0) return std::nullopt;
  return Duration(std::chrono::seconds(seconds));
}

}  // namespace muster::worker
