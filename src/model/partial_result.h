// What a job has as its result so far, and how a worker adds to it piece by piece.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster {

struct MergedResult {
  std::string text;                   // a JSON object
  std::vector<std::string> replaced;  // members of `changes` that are in it now
  std::vector<std::string> removed;   // those that were null, and there before
};

// Both are JSON objects; each member of `changes` takes the place of the one of its name, and null removes it. What is no object
// counts as an empty one.
MergedResult merge_result(std::string_view before, std::string_view changes);

}  // namespace muster
