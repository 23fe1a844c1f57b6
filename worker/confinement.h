// What holds tools to their files and processes on this machine: what `muster worker` uses and `muster doctor` tells.
#pragma once

#include <string>

#include "base/status.h"

namespace muster::worker {

struct Confinement {
  bool namespaces = false;  // own processes, mounts and IPC for each tool
  int landlock = 0;         // version of the kernel's interface; 0: none
  Status trouble{};         // why there are no namespaces
};

// Tries. `folder`: any that can be written.
Confinement probe_confinement(const std::string& folder);

// In one line for people.
std::string describe(const Confinement& confinement);

}  // namespace muster::worker
