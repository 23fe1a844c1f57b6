// Names that are matched by pattern, as Redis does it, and words that are matched whatever their case.
#pragma once

#include <string_view>

namespace muster::resp::plans {

// * ? [a-z] [^x] and backslash, over bytes.
bool matches(std::string_view pattern, std::string_view text);
// Up to the first character that stands for others.
std::string_view literal_start(std::string_view pattern);

bool equals_word(std::string_view text, std::string_view word);  // REQUIRES: `word` in capitals

}  // namespace muster::resp::plans
