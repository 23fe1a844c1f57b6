#include "fronts/resp/plans/glob.h"

#include <algorithm>
#include <cstddef>

namespace muster::resp::plans {
namespace {

// One class, `[…]`, against one byte. `at` is behind the bracket and ends behind the closing one.
bool in_class(std::string_view pattern, std::size_t& at, char c) {
  const bool negated = at < pattern.size() && pattern[at] == '^';
  if (negated) ++at;
  bool found = false;
  while (at < pattern.size() && pattern[at] != ']') {
    if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
    auto low = static_cast<unsigned char>(pattern[at++]);
    unsigned char high = low;
    if (at + 1 < pattern.size() && pattern[at] == '-' && pattern[at + 1] != ']') {
      high = static_cast<unsigned char>(pattern[at + 1]);
      at += 2;
      if (low > high) std::swap(low, high);
    }
    const auto byte = static_cast<unsigned char>(c);
    found = found || (byte >= low && byte <= high);
  }
  if (at < pattern.size()) ++at;
  return found != negated;
}

// One element of the pattern that is no star against one byte; `at` ends behind the element.
bool matches_one(std::string_view pattern, std::size_t& at, char c) {
  const char p = pattern[at++];
  if (p == '?') return true;
  if (p == '[') return in_class(pattern, at, c);
  if (p == '\\' && at < pattern.size()) return pattern[at++] == c;
  return p == c;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  // The latest star takes one byte more whenever what follows it does not fit: linear in memory, no recursion.
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t taken = 0;
  while (t < text.size()) {
    std::size_t next = p;
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      taken = t;
    } else if (p < pattern.size() && matches_one(pattern, next, text[t])) {
      p = next;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string_view literal_start(std::string_view pattern) {
  return pattern.substr(0, std::min(pattern.size(), pattern.find_first_of("*?[\\")));
}

bool equals_word(std::string_view text, std::string_view word) {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                    [](char a, char b) { return (a >= 'a' && a <= 'z' ? a - 'a' + 'A' : a) == b; });
}

}  // namespace muster::resp::plans
