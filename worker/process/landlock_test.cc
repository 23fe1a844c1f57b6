#include "worker/process/landlock.h"

#include <gtest/gtest.h>
#include <linux/landlock.h>

#include <algorithm>

#include "base/temp_folder_testing.h"
#include "worker/process/run.h"

namespace muster::worker {
namespace {

using namespace std::chrono_literals;

std::uint64_t given(const LandlockRules& rules, const std::string& path) {
  std::uint64_t out = 0;
  for (const LandlockRule& rule : rules.rules)
    if (rule.path == path) out |= rule.rights;
  return out;
}

TEST(LandlockRules, RestrictNothingWhereTheKernelHasNone) {
  const LandlockRules rules = landlock_rules({.readable = {"/data"}, .writable = {"/job"}}, 0);
  EXPECT_EQ(rules.handled, 0U);
  EXPECT_TRUE(rules.rules.empty());
}

TEST(LandlockRules, LeaveReadingAloneWhenEverythingMayBeRead) {
  const LandlockRules rules = landlock_rules({.reads_everything = true, .readable = {"/data"}, .writable = {"/job"}}, 3);
  EXPECT_EQ(rules.handled & LANDLOCK_ACCESS_FS_READ_FILE, 0U);
  EXPECT_NE(rules.handled & LANDLOCK_ACCESS_FS_WRITE_FILE, 0U);
  EXPECT_EQ(given(rules, "/data"), 0U);
  EXPECT_NE(given(rules, "/job") & LANDLOCK_ACCESS_FS_MAKE_REG, 0U);
}

TEST(LandlockRules, GiveReadingAndWritingToTheirPathsAlone) {
  const LandlockRules rules = landlock_rules({.readable = {"/data"}, .writable = {"/job"}}, 3);
  EXPECT_NE(given(rules, "/data") & LANDLOCK_ACCESS_FS_READ_FILE, 0U);
  EXPECT_EQ(given(rules, "/data") & LANDLOCK_ACCESS_FS_WRITE_FILE, 0U);
  EXPECT_NE(given(rules, "/job") & LANDLOCK_ACCESS_FS_WRITE_FILE, 0U);
  EXPECT_NE(given(rules, "/usr") & LANDLOCK_ACCESS_FS_EXECUTE, 0U);
  EXPECT_EQ(given(rules, "/usr") & LANDLOCK_ACCESS_FS_WRITE_FILE, 0U);
  EXPECT_EQ(given(rules, "/etc"), 0U);
  EXPECT_EQ(given(rules, "/proc"), 0U);
}

TEST(LandlockRules, AskOnlyForWhatTheVersionKnows) {
  const FileRights rights{.readable = {}, .writable = {"/job"}};
  EXPECT_EQ(landlock_rules(rights, 1).handled & LANDLOCK_ACCESS_FS_REFER, 0U);
  EXPECT_NE(landlock_rules(rights, 2).handled & LANDLOCK_ACCESS_FS_REFER, 0U);
  EXPECT_EQ(landlock_rules(rights, 2).handled >> 14, 0U) << "truncation came with the third";
  EXPECT_EQ(landlock_rules(rights, 3).handled >> 14, 1U);
}

struct LandlockTest : testing::Test {
  void SetUp() override {
    if (landlock_version() == 0) GTEST_SKIP() << "this kernel has no Landlock";
  }
  RunResult shell(const std::string& body, FileRights rights, bool sandboxed = false) {
    RunRequest request;
    request.launch = {.path = "/bin/sh",
                      .argv = {"sh", "-c", body},
                      .folder = job.path(),
                      .search_path = "/usr/bin:/bin",
                      .language = "C.UTF-8",
                      .limits = {},
                      .sandboxed = sandboxed,
                      .writable = {}};
    rights.writable.push_back(job.path());
    request.launch.files = std::move(rights);
    request.timeout = 20s;
    request.bounds = {.memory_max = 64 * 1024, .total_max = 0, .folder = spill.path()};
    return run(request, cancel, clock);
  }

  TempFolder job;
  TempFolder data;
  TempFolder other;
  TempFolder spill;
  Cancel cancel;
  RealClock clock;
};

TEST_F(LandlockTest, AToolReadsWhatItMayAndWritesToItsFolderAlone) {
  data.write("in", "inside\n");
  other.write("secret", "secret\n");
  const RunResult result = shell("cat " + data.path("in") + "; cat " + other.path("secret") + "; echo x > " + other.path("new") +
                                     "; echo y > " + data.path("new") + "; echo z > f; cat f; echo gone > /dev/null",
                                 {.readable = {data.path()}, .writable = {}});
  EXPECT_EQ(result.out.head(), "inside\nz\n");
  EXPECT_EQ(other.entries(), 1U);
  EXPECT_EQ(data.entries(), 1U);
}

TEST_F(LandlockTest, ALinkDoesNotLeadOut) {
  other.write("secret", "secret\n");
  const RunResult result =
      shell("ln -s " + other.path("secret") + " link; cat link; cat ./../../etc/shadow", {.readable = {}, .writable = {}});
  EXPECT_EQ(result.out.head(), "");
}

TEST_F(LandlockTest, ReadingMayBeFreeWhileWritingIsNot) {
  other.write("plain", "plain\n");
  const RunResult result =
      shell("cat " + other.path("plain") + "; echo x >> " + other.path("plain") + "; : > " + other.path("plain"),
            {.reads_everything = true, .readable = {}, .writable = {}});
  EXPECT_EQ(result.out.head(), "plain\n");
  EXPECT_EQ(other.read("plain"), "plain\n");
}

TEST_F(LandlockTest, HoldsInsideNamespacesToo) {
  if (const Status probe = probe_sandbox(job.path()); !probe.ok()) GTEST_SKIP() << "no namespaces here: " << probe.message();
  data.write("in", "inside\n");
  other.write("secret", "secret\n");
  const RunResult result = shell("cat " + data.path("in") + "; cat " + other.path("secret") + "; echo z > f; cat f",
                                 {.readable = {data.path()}, .writable = {}}, true);
  EXPECT_EQ(result.out.head(), "inside\nz\n");
}

}  // namespace
}  // namespace muster::worker
