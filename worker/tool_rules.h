// What is known about tools: which can neither start programs nor write files, which words of theirs would, and why a tool that
// is not among them is announced only when the operator names it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace muster::worker {

// Tools that read streams and files and write to their output alone, as long as check_words() passes.
std::vector<std::string_view> harmless_tools();
bool is_harmless(std::string_view tool);

// permission_denied: these words would make a harmless tool write a file or start a program. Options are judged as the tools read
// them: clustered, with their value attached, abbreviated, after operands, and not after `--`. Other tools pass.
Status check_words(std::string_view tool, std::span<const std::string> args);

// What a tool that is not harmless can do: "can start programs and write files".
std::string_view danger_of(std::string_view tool);

}  // namespace muster::worker
