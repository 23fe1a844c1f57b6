#include "agents/tool_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"

namespace muster::agents {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// The end of the last whole character within `bytes`. REQUIRES: valid UTF-8.
std::size_t cut_at(std::string_view text, std::size_t bytes) {
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return bytes;
}

}  // namespace

std::size_t repair_utf8(std::string& text) {
  if (is_utf8(text)) return 0;
  std::string repaired;
  repaired.reserve(text.size() + 16);
  std::size_t bad = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = utf8_length(rest);
    if (length == 0) {
      repaired += kReplacement;
      ++bad;
    } else {
      repaired += rest.substr(0, length);
    }
    rest.remove_prefix(std::max<std::size_t>(length, 1));
  }
  text = std::move(repaired);
  return bad;
}

std::string shortened(std::string text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  const std::size_t whole = text.size();
  text.resize(cut_at(text, bytes_max));
  text += fmt::format("\n[cut: these are the first {} of {} bytes]", text.size(), whole);
  return text;
}

ShownOutput shown_output(std::string text) {
  ShownOutput out;
  const std::size_t bad = repair_utf8(text);
  if (text.size() > limits::kToolOutputMax) out.whole = text;
  out.text = shortened(std::move(text), limits::kToolOutputMax);
  if (bad > 0) out.text += fmt::format("\n[{} bytes were not UTF-8 and are shown as \xEF\xBF\xBD]", bad);
  return out;
}

}  // namespace muster::agents
