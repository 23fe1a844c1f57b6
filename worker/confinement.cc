#include "worker/confinement.h"

#include <fmt/format.h>

#include "worker/process/landlock.h"
#include "worker/process/spawn.h"

namespace muster::worker {

Confinement probe_confinement(const std::string& folder) {
  Confinement out{.landlock = landlock_version(), .trouble = probe_sandbox(folder)};
  out.namespaces = out.trouble.ok();
  return out;
}

std::string describe(const Confinement& confinement) {
  const std::string landlock = fmt::format("Landlock {} keeps tools to their files", confinement.landlock);
  if (confinement.landlock > 0)
    return confinement.namespaces ? landlock + ", namespaces to their processes" : landlock + "; no namespaces";
  if (confinement.namespaces) return "no Landlock: a mount namespace keeps tools from writing, only their words from reading";
  return "neither Landlock nor namespaces: only their words are judged";
}

}  // namespace muster::worker
