// What the commands of this folder share about words.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "fronts/resp/admission.h"
#include "fronts/resp/link/link.h"
#include "fronts/resp/wire/writer.h"

namespace muster::resp::link {
namespace {

constexpr std::size_t kNameBytesMax = 256;

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string unknown_subcommand(const Call& call) {
  return fmt::format("unknown subcommand '{}'. Try {} HELP.", call.arg(1).substr(0, kShownNameBytesMax), call.name());
}

std::string objection_to_name(std::string_view name) {
  if (name.size() > kNameBytesMax) return fmt::format("Client names have at most {} bytes", kNameBytesMax);
  if (std::any_of(name.begin(), name.end(), [](char c) { return c < '!' || c > '~'; }))
    return "Client names cannot contain spaces, newlines or special characters.";
  return {};
}

std::string help_reply(std::initializer_list<std::string_view> lines) {
  std::string out;
  wire::array(out, lines.size());
  for (const std::string_view line : lines) wire::simple(out, line);
  return out;
}

}  // namespace muster::resp::link
