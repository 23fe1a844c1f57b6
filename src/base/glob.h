// Globs as Redis reads them, over bytes: * ? [a-z] [^x] and backslash.
#pragma once

#include <string_view>

namespace muster {

bool glob_matches(std::string_view pattern, std::string_view text);
// What every match begins with: the pattern up to the first character that stands for others.
std::string_view glob_start(std::string_view pattern);

}  // namespace muster
