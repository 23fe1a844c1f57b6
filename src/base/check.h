// Assertions about our own code, on in every build. Nothing a peer can send may reach one: data gets a Status.
#pragma once

#include <string_view>

namespace muster {

// Prints the claim and the place, then aborts.
[[noreturn]] void fail_check(std::string_view claim, const char* file, unsigned line);

// The builtins stand for std::source_location, which clang 14 does not offer with Debian's library.
inline void check(bool holds, std::string_view claim, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
  if (!holds) [[unlikely]]
    fail_check(claim, file, line);
}

// For the end of a switch that names every enumerator.
[[noreturn]] inline void unreachable(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
  fail_check("this line is never reached", file, line);
}

}  // namespace muster
