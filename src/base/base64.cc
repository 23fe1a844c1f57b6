#include "base/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace muster {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> kValues = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kLetters.size(); ++i) values[static_cast<unsigned char>(kLetters[i])] = static_cast<std::int8_t>(i);
  return values;
}();

std::uint32_t byte_at(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<std::uint8_t>(bytes[at]) : 0;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::uint32_t word = byte_at(bytes, at) << 16 | byte_at(bytes, at + 1) << 8 | byte_at(bytes, at + 2);
    out.push_back(kLetters[word >> 18]);
    out.push_back(kLetters[word >> 12 & 63]);
    out.push_back(at + 1 < bytes.size() ? kLetters[word >> 6 & 63] : '=');
    out.push_back(at + 2 < bytes.size() ? kLetters[word & 63] : '=');
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at < text.size(); at += 4) {
    const std::size_t letters = at + 4 == text.size() ? 4 - padding : 4;
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const int value = i < letters ? kValues[static_cast<unsigned char>(text[at + i])] : 0;
      if (value < 0) return std::nullopt;
      word = word << 6 | static_cast<std::uint32_t>(value);
    }
    // Two texts must not stand for the same bytes: the bits that padding cuts off are zero.
    if ((letters == 3 && (word & 0xFF) != 0) || (letters == 2 && (word & 0xFFFF) != 0)) return std::nullopt;
    out.push_back(static_cast<char>(word >> 16));
    if (letters > 2) out.push_back(static_cast<char>(word >> 8 & 0xFF));
    if (letters > 3) out.push_back(static_cast<char>(word & 0xFF));
  }
  return out;
}

std::string to_base64url(std::string_view bytes) {
  std::string out = to_base64(bytes);
  std::replace(out.begin(), out.end(), '+', '-');
  std::replace(out.begin(), out.end(), '/', '_');
  out.resize(out.find_last_not_of('=') + 1);  // npos + 1 is 0: of nothing nothing is left
  return out;
}

std::optional<std::string> from_base64url(std::string_view text) {
  if (text.find_first_of("+/=") != std::string_view::npos) return std::nullopt;
  std::string padded(text);
  std::replace(padded.begin(), padded.end(), '-', '+');
  std::replace(padded.begin(), padded.end(), '_', '/');
  padded.append((4 - padded.size() % 4) % 4, '=');
  return from_base64(padded);
}

}  // namespace muster
