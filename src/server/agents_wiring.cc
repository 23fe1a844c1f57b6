#include "server/agents_wiring.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>

#include "agents/claude/player.h"
#include "agents/claude/recorder.h"
#include "server/wiring.h"

namespace muster::server {
namespace {

constexpr std::size_t kKeyFileBytesMax = 4'096;

std::optional<std::uint64_t> whole(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<std::string> api_key(const Config& config) {
  const std::string& path = config.text("agents", "api_key_file");
  if (path.empty()) return config.text("agents", "api_key");
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status::unavailable(fmt::format("agents.api_key_file {} cannot be read: {}", path, std::strerror(errno)));
  std::string key(kKeyFileBytesMax + 1, '\0');
  file.read(key.data(), static_cast<std::streamsize>(key.size()));
  key.resize(static_cast<std::size_t>(file.gcount()));
  while (!key.empty() && std::strchr(" \t\r\n", key.back()) != nullptr) key.pop_back();
  if (key.empty() || key.size() > kKeyFileBytesMax)
    return Status::unavailable(fmt::format("agents.api_key_file {} holds no key of 1 to {} bytes", path, kKeyFileBytesMax));
  return key;
}

}  // namespace

Result<std::map<std::string, AgentBudget>> agent_budgets(const std::vector<std::string>& rows) {
  std::map<std::string, AgentBudget> budgets;
  for (const std::string& row : rows) {
    const std::size_t equals = row.find('=');
    const std::size_t slash = row.find('/', equals == std::string::npos ? 0 : equals);
    const std::string_view text = row;
    const bool whole_row = equals != std::string::npos && equals > 0 && slash != std::string::npos;
    const auto tokens = whole_row ? whole(text.substr(equals + 1, slash - equals - 1)) : std::nullopt;
    const auto cost = whole_row ? whole(text.substr(slash + 1)) : std::nullopt;
    if (!tokens || !cost)
      return Status::invalid_argument(fmt::format("budget '{}' is not NAMESPACE=TOKENS/MICRODOLLARS in whole numbers", row));
    budgets[row.substr(0, equals)] = AgentBudget{.tokens_per_day = *tokens, .microdollars_per_day = *cost};
  }
  return budgets;
}

Result<std::optional<claude::Config>> claude_config(const Config& config) {
  auto key = api_key(config);
  if (!key.ok()) return key.status();
  const std::string& base_url = config.text("agents", "base_url");
  if (key->empty() && base_url.empty()) return std::optional<claude::Config>();
  claude::Config out;
  if (!base_url.empty()) out.base_url = base_url;
  out.api_key = *std::move(key);
  out.version = config.text("agents", "version");
  out.betas = config.list("agents", "betas");
  out.proxy = config.text("agents", "proxy");
  out.ca_file = config.text("agents", "ca_file");
  out.calls_max = static_cast<std::size_t>(config.number("agents", "streams_max"));
  out.tokens_per_minute = static_cast<std::uint64_t>(config.number("agents", "tokens_per_minute"));
  return std::optional(std::move(out));
}

Result<std::shared_ptr<claude::Api>> model_api(const Config& config, const Clock& clock, Metrics& metrics) {
  if (const std::string& cassette = config.text("agents", "replay_file"); !cassette.empty())
    return claude::replay_calls(cassette);
  auto api = claude_config(config);
  if (!api.ok()) return api.status();
  if (!*api) return std::shared_ptr<claude::Api>();
  const std::string key = (*api)->api_key;
  auto client = std::make_shared<claude::Client>(**std::move(api), clock, metrics);
  const std::string& cassette = config.text("agents", "record_file");
  if (cassette.empty()) return std::shared_ptr<claude::Api>(std::move(client));
  return claude::record_calls(std::move(client), cassette, key);
}

agents::Settings agent_settings(const Config& config) {
  const auto number = [&config](std::string_view key) { return config.number("agents", key); };
  agents::Settings settings;
  settings.node = node_name(config);
  settings.streams_max = static_cast<std::size_t>(number("streams_max"));
  settings.batch_window = Duration(number("batch_window"));
  settings.batch_count_max = static_cast<std::size_t>(number("batch_requests_max"));
  settings.batch_runs_max = settings.batch_count_max;
  settings.batch_bytes_max = static_cast<std::size_t>(number("batch_bytes_max"));
  settings.poll_interval = Duration(number("poll_interval"));
  // Both were checked when the configuration was read.
  if (auto prices = agents::Prices::parse(config.list("agents", "prices")); prices.ok()) settings.prices = *std::move(prices);
  if (auto budgets = agent_budgets(config.list("agents", "budgets")); budgets.ok()) settings.budgets = *std::move(budgets);
  agents::CompactionSettings& compaction = settings.compaction;
  compaction.automatic = config.flag("agents", "compaction");
  compaction.window = static_cast<std::uint64_t>(number("compaction_window"));
  compaction.trigger = static_cast<double>(number("compaction_trigger_pct")) / 100;
  compaction.target = static_cast<std::uint64_t>(number("compaction_target"));
  compaction.protected_tokens = static_cast<std::uint64_t>(number("compaction_protected"));
  compaction.preserve_last = static_cast<std::size_t>(number("compaction_keep_last"));
  compaction.model = config.text("agents", "compaction_model");
  return settings;
}

}  // namespace muster::server
