#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace muster {

void fail_check(std::string_view claim, const char* file, unsigned line) {
  std::fprintf(stderr, "%s:%u: check failed: %.*s\n", file, line, static_cast<int>(claim.size()), claim.data());
  std::fflush(stderr);
  std::abort();
}

}  // namespace muster
