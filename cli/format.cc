#include "cli/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace muster::cli {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t millis;
};

// `ms` stands before `m` and `s`, of which it is made.
constexpr std::array kUnits{Unit{"ms", 1}, Unit{"s", 1'000}, Unit{"m", 60'000}, Unit{"h", 3'600'000}, Unit{"d", 86'400'000}};
constexpr std::int64_t kDurationMillisMax = std::int64_t{86'400'000} * 366 * 100;

constexpr std::array<std::string_view, 8> kBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view kAsciiBlocks = ".:-=+*#@";
constexpr std::array<std::string_view, 8> kPartBlocks{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

bool continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

std::optional<sdk::Duration> parse_duration(std::string_view text) {
  if (text.empty()) return std::nullopt;
  double total = 0;
  while (!text.empty()) {
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (problem != std::errc() || value < 0 || !(text.front() >= '0' && text.front() <= '9')) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const auto unit = std::find_if(kUnits.begin(), kUnits.end(), [text](const Unit& u) { return text.starts_with(u.name); });
    if (unit == kUnits.end()) return std::nullopt;
    text.remove_prefix(unit->name.size());
    total += value * static_cast<double>(unit->millis);
    if (total > static_cast<double>(kDurationMillisMax)) return std::nullopt;
  }
  return sdk::Duration(std::llround(total));
}

std::string format_duration(sdk::Duration duration) {
  const std::int64_t ms = std::max<std::int64_t>(duration.count(), 0);
  if (ms < 1'000) return fmt::format("{}ms", ms);
  if (ms < 10'000) return fmt::format("{}.{}s", ms / 1'000, ms % 1'000 / 100);
  const std::int64_t seconds = ms / 1'000;
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 3'600) return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
  if (seconds < 86'400) return fmt::format("{}h{:02}m", seconds / 3'600, seconds % 3'600 / 60);
  return fmt::format("{}d{:02}h", seconds / 86'400, seconds % 86'400 / 3'600);
}

std::string format_age(std::optional<sdk::Instant> then, sdk::Instant now) {
  if (!then) return "-";
  if (*then > now) return "in " + format_duration(*then - now);
  return format_duration(now - *then);
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kNames{"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t name = 0;
  while (value >= 1024 && name + 1 < kNames.size()) {
    value /= 1024;
    ++name;
  }
  return fmt::format("{:.1f} {}", value, kNames[name]);
}

std::string format_count(std::uint64_t count) {
  if (count < 10'000) return fmt::format("{}", count);
  if (count < 1'000'000) return fmt::format("{:.1f}k", static_cast<double>(count) / 1e3);
  if (count < 1'000'000'000) return fmt::format("{:.1f}M", static_cast<double>(count) / 1e6);
  return fmt::format("{:.1f}G", static_cast<double>(count) / 1e9);
}

std::string format_rate(double per_second) {
  if (per_second >= 100) return fmt::format("{}/s", format_count(static_cast<std::uint64_t>(per_second + 0.5)));
  return fmt::format("{:.1f}/s", per_second);
}

std::optional<std::pair<std::string, std::string>> parse_pair(std::string_view text) {
  const auto at = text.find('=');
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  return std::pair(std::string(text.substr(0, at)), std::string(text.substr(at + 1)));
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F are control characters too; in UTF-8 they are C2 80 to C2 9F.
    const bool second_control = c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) <= 0x9F;
    if (second_control) ++i;
    out.push_back(c < 0x20 || c == 0x7F || second_control ? '?' : text[i]);
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\t"), text.size());
    out += printable(text.substr(0, end));
    if (end < text.size()) out.push_back(text[end]);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continuation(c); }));
}

std::string shortened(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end)
    if (!continuation(text[end]) && ++seen == width) break;
  return std::string(text.substr(0, end)) + "…";
}

std::string sparkline(std::span<const double> values, bool unicode) {
  const double most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  std::string out;
  for (const double value : values) {
    if (value <= 0 || most <= 0) {
      out.append(unicode ? kBlocks[0] : "_");
      continue;
    }
    const auto level = std::min<std::size_t>(7, static_cast<std::size_t>(value / most * 7.999));
    if (unicode)
      out.append(kBlocks[level]);
    else
      out.push_back(kAsciiBlocks[level]);
  }
  return out;
}

std::string bar(double fraction, std::size_t width, bool unicode) {
  const double full = std::clamp(std::isfinite(fraction) ? fraction : 0.0, 0.0, 1.0) * static_cast<double>(width);
  const auto whole = static_cast<std::size_t>(full);
  std::string out;
  for (std::size_t i = 0; i < whole; ++i) out.append(unicode ? "█" : "#");
  std::size_t used = whole;
  if (whole < width) {
    const auto part = static_cast<std::size_t>((full - static_cast<double>(whole)) * 8);
    if (unicode && part > 0) {
      out.append(kPartBlocks[part]);
      ++used;
    }
  }
  out.append(width - used, unicode ? ' ' : '.');
  return out;
}

}  // namespace muster::cli
