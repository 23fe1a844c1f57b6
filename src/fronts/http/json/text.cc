#include "fronts/http/json/text.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "base/ascii.h"
#include "base/utf8.h"

namespace muster::http {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::uint8_t byte_at(std::string_view text, std::size_t at) { return static_cast<std::uint8_t>(text[at]); }

// The unit of `\uXXXX` at the head of `text`.
std::optional<std::uint32_t> unit_at(std::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return std::nullopt;
  std::uint32_t value = 0;
  for (std::size_t i = 2; i < 6; ++i) {
    const int digit = hex_value(text[i]);
    if (digit < 0) return std::nullopt;
    value = value << 4 | static_cast<std::uint32_t>(digit);
  }
  return value;
}

bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

void append_utf8(std::string& out, std::uint32_t point) {
  if (point < 0x80) {
    out.push_back(static_cast<char>(point));
  } else if (point < 0x800) {
    out.push_back(static_cast<char>(0xC0 | point >> 6));
    out.push_back(static_cast<char>(0x80 | (point & 0x3F)));
  } else if (point < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | point >> 12));
    out.push_back(static_cast<char>(0x80 | (point >> 6 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (point & 0x3F)));
  } else {
    out.push_back(static_cast<char>(0xF0 | point >> 18));
    out.push_back(static_cast<char>(0x80 | (point >> 12 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (point >> 6 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (point & 0x3F)));
  }
}

char short_escape(char c) {
  switch (c) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return c;  // quote, backslash, slash
  }
}

}  // namespace

std::size_t escape_length(std::string_view text) {
  if (text.size() < 2 || text[0] != '\\') return 0;
  if (text[1] != 'u') return std::string_view("\"\\/bfnrt").find(text[1]) == std::string_view::npos ? 0 : 2;
  const auto first = unit_at(text);
  if (!first || is_low_surrogate(*first)) return 0;
  if (!is_high_surrogate(*first)) return 6;
  const auto second = unit_at(text.substr(6));
  return second && is_low_surrogate(*second) ? 12 : 0;
}

std::string unescape(std::string_view inside) {
  std::size_t at = inside.find('\\');
  if (at == std::string_view::npos) return std::string(inside);
  std::string out(inside.substr(0, at));
  while (at < inside.size()) {
    if (inside[at] != '\\') {
      out.push_back(inside[at++]);
      continue;
    }
    if (inside[at + 1] != 'u') {
      out.push_back(short_escape(inside[at + 1]));
      at += 2;
      continue;
    }
    const std::uint32_t first = unit_at(inside.substr(at)).value_or(0xFFFD);
    if (is_high_surrogate(first)) {
      const std::uint32_t second = unit_at(inside.substr(at + 6)).value_or(0xDC00);
      append_utf8(out, 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
      at += 12;
    } else {
      append_utf8(out, first);
      at += 6;
    }
  }
  return out;
}

std::string quoted_char(char c) {
  const auto byte = static_cast<std::uint8_t>(c);
  return byte > 0x20 && byte < 0x7F ? fmt::format("'{}'", c) : fmt::format("byte 0x{:02x}", byte);
}

void append_quoted(std::string& out, std::string_view text) {
  out.push_back('"');
  std::size_t kept_from = 0;
  std::size_t at = 0;
  const auto flush = [&] { out.append(text.substr(kept_from, at - kept_from)); };
  while (at < text.size()) {
    const std::uint8_t byte = byte_at(text, at);
    if (byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\') {
      ++at;
      continue;
    }
    if (const std::size_t length = byte < 0x80 ? 0 : utf8_length(text.substr(at)); length != 0) {
      at += length;
      continue;
    }
    flush();
    switch (byte) {
      case '"': out.append("\\\""); break;
      case '\\': out.append("\\\\"); break;
      case '\n': out.append("\\n"); break;
      case '\r': out.append("\\r"); break;
      case '\t': out.append("\\t"); break;
      default:
        if (byte < 0x20)
          fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
        else
          out.append(kReplacement);
    }
    kept_from = ++at;
  }
  flush();
  out.push_back('"');
}

}  // namespace muster::http
