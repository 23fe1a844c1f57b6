// Which files the words of a task may name, when the operator says where they must lie (--allow).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::worker {

// Everything in the word that a tool could take for a path: the word itself, what is attached to an option (`-f/path`,
// `--x=/path`), and what follows a `=`, `:`, `,` or `@` with a slash.
std::vector<std::string_view> paths_in(std::string_view word);

struct AllowedPaths {
  const std::vector<std::string>& prefixes;  // absolute
  const std::string& folder;                 // the job's own, from which relative paths start
};
// Both as the word is written and as links lead: a link inside an allowed folder must not point out of it.
bool names_allowed_paths_only(std::string_view word, const AllowedPaths& allowed);

}  // namespace muster::worker
