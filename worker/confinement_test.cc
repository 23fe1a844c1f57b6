#include "worker/confinement.h"

#include <gtest/gtest.h>

#include "base/temp_folder_testing.h"
#include "worker/process/landlock.h"

namespace muster::worker {
namespace {

TEST(Confinement, SaysWhatHoldsTools) {
  EXPECT_EQ(describe({.namespaces = true, .landlock = 7}),
            "Landlock 7 keeps tools to their files, namespaces to their processes");
  EXPECT_EQ(describe({.landlock = 3}), "Landlock 3 keeps tools to their files; no namespaces");
  EXPECT_EQ(describe({.namespaces = true}),
            "no Landlock: a mount namespace keeps tools from writing, only their words from reading");
  EXPECT_EQ(describe({}), "neither Landlock nor namespaces: only their words are judged");
}

TEST(Confinement, IsProbedOnThisMachine) {
  const TempFolder folder;
  const Confinement found = probe_confinement(folder.path());
  EXPECT_EQ(found.landlock, landlock_version());
  EXPECT_EQ(found.namespaces, found.trouble.ok());
}

}  // namespace
}  // namespace muster::worker
