// The text form of setting values, in both directions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>

#include "server/settings.h"

namespace muster::server {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t size;
};

// Largest first: the order in which a value is written.
constexpr std::array kTimeUnits{Unit{"d", 86'400'000}, Unit{"h", 3'600'000}, Unit{"m", 60'000}, Unit{"s", 1'000}, Unit{"ms", 1}};
constexpr std::array kByteUnits{Unit{"GiB", 1LL << 30}, Unit{"MiB", 1LL << 20}, Unit{"KiB", 1LL << 10}, Unit{"", 1}};

constexpr std::size_t kHexKeyDigits = 64;
constexpr std::string_view kUnixScheme = "unix:";

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_with_unit(std::string_view text, std::span<const Unit> units) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto value = parse_integer(text.substr(0, digits));
  if (!value) return std::nullopt;
  for (const Unit& unit : units) {
    if (unit.name != text.substr(digits)) continue;
    if (*value > std::numeric_limits<std::int64_t>::max() / unit.size) return std::nullopt;
    return *value * unit.size;
  }
  return std::nullopt;
}

std::string format_with_unit(std::int64_t value, std::span<const Unit> units) {
  for (const Unit& unit : units)
    if (value >= unit.size && value % unit.size == 0) return fmt::format("{}{}", value / unit.size, unit.name);
  return fmt::format("{}{}", value, units.back().name);
}

std::string format_number(const Setting& setting, std::int64_t value) {
  if (setting.type == SettingType::duration) return format_with_unit(value, kTimeUnits);
  if (setting.type == SettingType::bytes) return format_with_unit(value, kByteUnits);
  return fmt::format("{}", value);
}

Status wrong(const Setting& setting, std::string_view text, std::string_view accepted) {
  if (setting.secret) return Status::invalid_argument(fmt::format("{}: accepted: {}", full_name(setting), accepted));
  return Status::invalid_argument(fmt::format("{}: \"{}\" is not accepted: give {}", full_name(setting), text, accepted));
}

Result<SettingValue> checked_range(const Setting& setting, std::string_view text, std::optional<std::int64_t> value,
                                   std::string_view form) {
  const std::string range =
      fmt::format("{} from {} to {}", form, format_number(setting, setting.min), format_number(setting, setting.max));
  if (!value || *value < setting.min || *value > setting.max) return wrong(setting, text, range);
  return SettingValue(*value);
}

bool is_choice(std::string_view choices, std::string_view text) {
  while (!choices.empty()) {
    const std::size_t end = std::min(choices.find('|'), choices.size());
    if (choices.substr(0, end) == text) return true;
    choices.remove_prefix(std::min(end + 1, choices.size()));
  }
  return false;
}

bool is_hex_key(std::string_view text) {
  return text.size() == kHexKeyDigits &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
}

}  // namespace

Result<SettingValue> parse_setting(const Setting& setting, std::string_view text) {
  switch (setting.type) {
    case SettingType::text:
    case SettingType::list:
    case SettingType::database:
    case SettingType::path:
      if (text.find('\0') != std::string_view::npos) return wrong(setting, "", "text without a zero byte");
      return SettingValue(std::string(text));
    case SettingType::boolean:
      if (text == "true" || text == "1") return SettingValue(true);
      if (text == "false" || text == "0") return SettingValue(false);
      return wrong(setting, text, "true or false");
    case SettingType::count: return checked_range(setting, text, parse_integer(text), "an integer");
    case SettingType::bytes:
      return checked_range(setting, text, parse_with_unit(text, kByteUnits), "a number of bytes, KiB, MiB or GiB");
    case SettingType::duration:
      return checked_range(setting, text, parse_with_unit(text, kTimeUnits), "a duration (ms, s, m, h, d)");
    case SettingType::choice:
      if (!is_choice(setting.choices, text)) return wrong(setting, text, fmt::format("one of {}", setting.choices));
      return SettingValue(std::string(text));
    case SettingType::listen: {
      if (text == "off") return SettingValue(std::string(text));
      const auto address = parse_host_port(text);
      if (!address.ok()) return wrong(setting, text, "HOST:PORT with a port from 0 to 65535, or off");
      return SettingValue(std::string(text));
    }
    case SettingType::listeners: {
      const auto addresses = parse_listeners(text);
      if (!addresses.ok()) return wrong(setting, text, "HOST:PORT or unix:PATH, several separated by commas, or off");
      return SettingValue(std::string(text));
    }
    case SettingType::hex_key:
      if (!text.empty() && !is_hex_key(text)) return wrong(setting, text, "64 hexadecimal digits");
      return SettingValue(std::string(text));
  }
  unreachable();
}

std::string format_setting(const Setting& setting, const SettingValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return format_number(setting, std::get<std::int64_t>(value));
}

Result<std::int64_t> parse_duration_ms(std::string_view text) {
  const auto value = parse_with_unit(text, kTimeUnits);
  if (!value) return Status::invalid_argument(fmt::format("\"{}\" is not a duration: give a number with ms, s, m, h or d", text));
  return *value;
}

Result<HostPort> parse_host_port(std::string_view text) {
  const Status refused = Status::invalid_argument(fmt::format("\"{}\" is not HOST:PORT", text));
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return refused;
  std::string_view host = text.substr(0, colon);
  const std::string_view port_text = text.substr(colon + 1);
  if (port_text.empty() || !std::all_of(port_text.begin(), port_text.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
    return refused;
  const auto port = parse_integer(port_text);
  if (!port || *port > 65'535) return refused;
  if (host.front() == '[') {
    if (host.size() < 3 || host.back() != ']') return refused;
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return refused;  // an IPv6 address without brackets is ambiguous
  }
  if (host.find_first_of(" \t\n") != std::string_view::npos) return refused;
  return HostPort{.host = std::string(host), .port = static_cast<std::uint16_t>(*port)};
}

Result<std::vector<ListenAddress>> parse_listeners(std::string_view text) {
  std::vector<ListenAddress> out;
  if (text == "off") return out;
  for (;;) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view one = text.substr(0, end);
    if (one.starts_with(kUnixScheme)) {
      const std::string_view path = one.substr(kUnixScheme.size());
      if (path.empty() || path.front() != '/' || path.find('\0') != std::string_view::npos)
        return Status::invalid_argument(fmt::format("\"{}\" is not unix: and an absolute path", one));
      out.push_back({.host = std::string(path), .port = 0, .is_unix = true});
    } else {
      auto address = parse_host_port(one);
      if (!address.ok()) return address.status();
      out.push_back({.host = std::move(address->host), .port = address->port, .is_unix = false});
    }
    if (end == text.size()) return out;
    text.remove_prefix(end + 1);
  }
}

}  // namespace muster::server
