// Landlock: the kernel keeps a tool to the files it was given, whatever its words make of them. The rules are made before the
// fork; the child only puts them on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/status.h"

namespace muster::worker {

// What a tool may do with files. Its streams are open already and are not judged.
struct FileRights {
  bool reads_everything = false;
  std::vector<std::string> readable{};  // files and folders with all below them; beside what programs need to run
  std::vector<std::string> writable{};  // the same; readable too
  bool writes_everything = false;
};

// The version of the kernel's interface; 0: it has none, or it is switched off.
int landlock_version();

// One rule: these rights, below this path. Paths that are not there are left out when the rules are made.
struct LandlockRule {
  std::string path;
  std::uint64_t rights = 0;
};
struct LandlockRules {
  std::uint64_t handled = 0;  // rights that nobody has unless a rule gives them; 0: nothing is restricted
  std::vector<LandlockRule> rules;
};
LandlockRules landlock_rules(const FileRights& rights, int version);

// A descriptor that landlock_restrict_self takes. REQUIRES: rules.handled is not 0.
Result<Fd> make_landlock(const LandlockRules& rules);

}  // namespace muster::worker
