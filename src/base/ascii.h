// Letters, blanks and digits as ASCII has them, whatever the locale: names of commands, headers and schemes are compared by
// these.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace muster {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
std::string lower(std::string_view text);
std::string upper(std::string_view text);

constexpr bool same_in_any_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

// The value of a hexadecimal digit in either case; -1: it is none.
constexpr int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = lower(c);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

// Without the blanks at both ends.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t");

}  // namespace muster
