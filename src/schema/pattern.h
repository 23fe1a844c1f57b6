// Patterns of a schema: ECMA-262 on paper, run by RE2, so that no text of a peer makes one take longer than its length.
//
// What differs is translated: `.` `\s` `\S` `\cX` `\uXXXX` `\p{Letter}` `(?<name>…)` and brackets mean what ECMA-262 says, `\d`
// and `\w` are ASCII in both, `$` is the end of the text only, and all is Unicode. What RE2 cannot do (look-around,
// back-references, more than 1000 repetitions) and what only RE2 knows (\A, \Q…\E, flags within the pattern) is refused.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace re2 {
class RE2;
}

namespace muster::schema {

class Pattern {
 public:
  // invalid_argument: what stands in the pattern that is not supported, or that it is over a bound.
  static Result<Pattern> compile(std::string_view source);
  Pattern(Pattern&&) noexcept;
  ~Pattern();

  // Whether it occurs anywhere in the text.
  bool matches(std::string_view text) const;
  // Steps that matching a text of so many bytes may take, at worst.
  std::uint64_t cost(std::size_t bytes) const;
  const std::string& source() const { return source_; }

 private:
  Pattern(std::string source, std::unique_ptr<re2::RE2> compiled);

  std::string source_;
  std::unique_ptr<re2::RE2> compiled_;
  std::uint64_t size_;
};

// The same pattern as RE2 writes it. In pattern_text.cc.
Result<std::string> translated(std::string_view source);

}  // namespace muster::schema
