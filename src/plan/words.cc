// Which words of a plan may become a command or an argument of a process.
//
// No shell ever reads them, so nothing here protects against one; the rule keeps plans that were written for a shell, paths that
// climb out of their folder, and text that looks different from what it is, from running at all.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "plan/plan.h"

namespace muster::plan {
namespace {

constexpr std::string_view kShellCharacters = "&|;$`";

struct Range {
  char32_t first;
  char32_t last;
};

// Characters that are not seen or turn the reading direction.
constexpr std::array kInvisible{Range{0x200B, 0x200D}, Range{0x202A, 0x202E}, Range{0xFEFF, 0xFEFF}};

// REQUIRES: `sequence` is one of UTF-8.
char32_t character(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
  if (sequence.size() == 1) return byte(0);
  char32_t out = byte(0) & (0x7FU >> sequence.size());
  for (std::size_t i = 1; i < sequence.size(); ++i) out = out << 6 | (byte(i) & 0x3FU);
  return out;
}

bool is_control(char32_t c) { return (c < 0x20 && c != '\t') || (c >= 0x7F && c <= 0x9F); }

bool is_invisible(char32_t c) {
  return std::any_of(kInvisible.begin(), kInvisible.end(),
                     [c](const Range& range) { return c >= range.first && c <= range.last; });
}

}  // namespace

Status validate_word(std::string_view what, std::string_view text) {
  if (text.starts_with("..") || text.find("../") != text.npos || text.find("..\\") != text.npos)
    return Status::invalid_argument(fmt::format("{} contains a path that climbs out of its folder ('..')", what));
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t bytes = utf8_length(rest);
    if (bytes == 0) return Status::invalid_argument(fmt::format("{} is not valid UTF-8", what));
    const char32_t next = character(rest.substr(0, bytes));
    if (bytes == 1 && kShellCharacters.find(rest.front()) != kShellCharacters.npos)
      return Status::invalid_argument(fmt::format("{} contains a shell character ('{}')", what, rest.front()));
    if (next == '\n' || next == '\r') return Status::invalid_argument(fmt::format("{} contains a line break", what));
    if (next == 0) return Status::invalid_argument(fmt::format("{} contains a NUL character", what));
    if (is_control(next))
      return Status::invalid_argument(
          fmt::format("{} contains a control character (U+{:04X})", what, static_cast<unsigned>(next)));
    if (is_invisible(next))
      return Status::invalid_argument(
          fmt::format("{} contains an invisible character (U+{:04X})", what, static_cast<unsigned>(next)));
    rest.remove_prefix(bytes);
  }
  return {};
}

}  // namespace muster::plan
