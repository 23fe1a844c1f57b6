// Which words of a plan may become a command or an argument of a process.
//
// No shell ever reads them, so nothing here protects against one; the rule keeps plans that were written for a shell, paths that
// climb out of their folder, and text that looks different from what it is, from running at all.
#include <fmt/format.h>

#include <algorithm>
#include <array>

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

struct Decoded {
  char32_t character = 0;
  std::size_t bytes = 0;  // 0: not UTF-8
};

// The character at the start of `text`. Overlong forms, surrogates and values above U+10FFFF are not characters.
Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  char32_t character = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    character = character << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = character >= 0xD800 && character <= 0xDFFF;
  if (character < kLeast[length] || character > 0x10FFFF || surrogate) return {};
  return {character, length};
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
    const Decoded next = decode(rest);
    if (next.bytes == 0) return Status::invalid_argument(fmt::format("{} is not valid UTF-8", what));
    if (next.bytes == 1 && kShellCharacters.find(rest.front()) != kShellCharacters.npos)
      return Status::invalid_argument(fmt::format("{} contains a shell character ('{}')", what, rest.front()));
    if (next.character == '\n' || next.character == '\r')
      return Status::invalid_argument(fmt::format("{} contains a line break", what));
    if (next.character == 0) return Status::invalid_argument(fmt::format("{} contains a NUL character", what));
    if (is_control(next.character))
      return Status::invalid_argument(
          fmt::format("{} contains a control character (U+{:04X})", what, static_cast<unsigned>(next.character)));
    if (is_invisible(next.character))
      return Status::invalid_argument(
          fmt::format("{} contains an invisible character (U+{:04X})", what, static_cast<unsigned>(next.character)));
    rest.remove_prefix(next.bytes);
  }
  return {};
}

}  // namespace muster::plan
