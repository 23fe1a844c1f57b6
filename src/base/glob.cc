// A star that fails is tried one byte further, and only the latest star is: that is enough for globs and keeps the work within
// pattern times text.
#include "base/glob.h"

#include <cstddef>
#include <utility>

namespace muster {
namespace {

// What one place of the pattern says about one byte, and where the next place begins.
struct Fit {
  bool fits = false;
  std::size_t next = 0;
};

// pattern[at] is '['. Without a closing bracket the class goes to the end of the pattern, and a bracket right behind a dash
// closes nothing: [a-] is the range from a to the bracket, as in Redis.
Fit fit_class(std::string_view pattern, std::size_t at, unsigned char byte) {
  ++at;
  const bool negated = at < pattern.size() && pattern[at] == '^';
  if (negated) ++at;
  bool found = false;
  while (at < pattern.size() && pattern[at] != ']') {
    if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
    auto low = static_cast<unsigned char>(pattern[at]);
    auto high = low;
    if (at + 2 < pattern.size() && pattern[at + 1] == '-') {
      at += 2;
      if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
      high = static_cast<unsigned char>(pattern[at]);
      if (low > high) std::swap(low, high);
    }
    found = found || (low <= byte && byte <= high);
    ++at;
  }
  return {found != negated, at < pattern.size() ? at + 1 : at};
}

// REQUIRES: at is inside the pattern and not at a star.
Fit fit(std::string_view pattern, std::size_t at, unsigned char byte) {
  switch (pattern[at]) {
    case '?': return {true, at + 1};
    case '[': return fit_class(pattern, at, byte);
    case '\\':
      if (at + 1 < pattern.size()) ++at;
      break;
    default: break;
  }
  return {static_cast<unsigned char>(pattern[at]) == byte, at + 1};
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // the place behind the latest star
  std::size_t star_text = 0;                  // where its match ends
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      star_text = t;
      continue;
    }
    if (p < pattern.size()) {
      const Fit place = fit(pattern, p, static_cast<unsigned char>(text[t]));
      if (place.fits) {
        p = place.next;
        ++t;
        continue;
      }
    }
    if (star == std::string_view::npos) return false;
    p = star;
    t = ++star_text;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string_view glob_start(std::string_view pattern) { return pattern.substr(0, pattern.find_first_of("*?[\\")); }

}  // namespace muster
