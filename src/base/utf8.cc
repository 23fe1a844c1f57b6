#include "base/utf8.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace muster {
namespace {

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// Bytes of ASCII at the front. Most text is nothing else, so it is looked at many bytes at a time.
std::size_t ascii_bytes(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080'8080'8080'8080ULL;
  std::size_t at = 0;
  std::array<std::uint64_t, 4> words{};
  for (; at + sizeof words <= text.size(); at += sizeof words) {
    std::memcpy(words.data(), text.data() + at, sizeof words);
    if (((words[0] | words[1] | words[2] | words[3]) & kHighBits) != 0) break;
  }
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::memcpy(words.data(), text.data() + at, sizeof(std::uint64_t));
    if ((words[0] & kHighBits) != 0) break;
  }
  while (at < text.size() && is_ascii(text[at])) ++at;
  return at;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  // Overlong forms, surrogates and what lies above U+10FFFF show in the second byte.
  const unsigned char least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < least || byte(1) > most) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  return length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    text.remove_prefix(ascii_bytes(text));
    while (!text.empty() && !is_ascii(text.front())) {
      const std::size_t length = utf8_length(text);
      if (length == 0) return false;
      text.remove_prefix(length);
    }
  }
  return true;
}

std::string_view utf8_front(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  while (bytes_max > 0 && (static_cast<unsigned char>(text[bytes_max]) & 0xC0) == 0x80) --bytes_max;
  return text.substr(0, bytes_max);
}

}  // namespace muster
