// Results that survive: whole or absent after a crash, delivered by the same worker, never by two.
#include "worker/spool.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/temp_folder_testing.h"

namespace muster::worker {
namespace {

Report report(const std::string& id, std::size_t bytes = 10) {
  return {.job_id = id,
          .update = R"({"status":"completed"})",
          .has_outputs = true,
          .out = std::string("\0\xff\n", 3) + std::string(bytes, 'o'),
          .err = std::string(bytes, 'e')};
}

TEST(Spool, GivesBackWhatWasPutAfterARestart) {
  TempFolder folder;
  {
    auto spool = Spool::open(folder.path("s"));
    ASSERT_TRUE(spool.ok());
    ASSERT_TRUE((*spool)->put(report("b")).ok());
    ASSERT_TRUE((*spool)->put(report("a", 100'000)).ok());
  }
  auto spool = Spool::open(folder.path("s"));
  ASSERT_TRUE(spool.ok());
  const auto names = (*spool)->list();
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(*(*spool)->read(names[0]), report("b"));
  EXPECT_EQ(*(*spool)->read(names[1]), report("a", 100'000));
  (*spool)->remove(names[0]);
  EXPECT_EQ((*spool)->list().size(), 1U);
  const auto third = (*spool)->put(report("c"));
  ASSERT_TRUE(third.ok());
  EXPECT_GT(*third, names[1]) << "oldest first, also across restarts";
}

TEST(Spool, IsForItsOwnerOnly) {
  TempFolder folder;
  auto spool = Spool::open(folder.path("s"));
  const auto name = (*spool)->put(report("a"));
  struct stat facts {};
  ASSERT_EQ(::stat(folder.path("s/" + *name).c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  ASSERT_EQ(::stat(folder.path("s").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0700U);
}

TEST(Spool, ForgetsDraftsOfACrash) {
  TempFolder folder;
  { auto spool = Spool::open(folder.path()); }
  folder.write("0000000000000007.result.draft", "half");
  auto spool = Spool::open(folder.path());
  EXPECT_TRUE((*spool)->list().empty());
  EXPECT_FALSE(std::filesystem::exists(folder.path("0000000000000007.result.draft")));
  EXPECT_EQ(*(*spool)->put(report("a")), "0000000000000008.result");
}

TEST(Spool, SetsAsideWhatIsNoResult) {
  TempFolder folder;
  auto spool = Spool::open(folder.path());
  const auto whole = (*spool)->put(report("a"));
  const std::string bytes = folder.read(*whole);
  for (const std::string& damaged :
       {std::string(), std::string("x"), bytes.substr(0, bytes.size() - 1), bytes + "x", std::string("[]\n"),
        std::string("{\"job_id\":1,\"update_bytes\":0,\"out_bytes\":0,\"err_bytes\":0}\n"),
        std::string("{\"job_id\":\"a\",\"update_bytes\":18446744073709551615,\"out_bytes\":1,\"err_bytes\":0}\n")}) {
    folder.write("0000000000000005.result", damaged);
    EXPECT_EQ((*spool)->read("0000000000000005.result").code(), Code::corrupt) << damaged;
    EXPECT_EQ((*spool)->list(), std::vector<std::string>{*whole});
  }
}

// A process that is killed while it writes one result after another leaves only whole ones.
TEST(Spool, SurvivesAKillAtAnyInstant) {
  for (int round = 0; round < 5; ++round) {
    TempFolder folder;
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      auto spool = Spool::open(folder.path());
      const char byte = 'x';
      while (true) {
        if (!(*spool)->put(report("job", 200'000)).ok() || ::write(ready[1], &byte, 1) != 1) ::_exit(1);
      }
    }
    char byte = 0;
    for (int i = 0; i < 2 + round; ++i) ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(ready[0]);
    ::close(ready[1]);
    auto spool = Spool::open(folder.path());
    ASSERT_TRUE(spool.ok()) << "the lock went with the process";
    const auto names = (*spool)->list();
    EXPECT_GE(names.size(), 2U + static_cast<std::size_t>(round));
    for (const std::string& name : names) EXPECT_EQ(*(*spool)->read(name), report("job", 200'000));
  }
}

TEST(Spool, BelongsToOneProcessAndRemembersItsWorker) {
  TempFolder folder;
  auto first = Spool::open_any(folder.path());
  ASSERT_TRUE(first.ok());
  EXPECT_EQ((*first)->identity(), std::nullopt);
  ASSERT_TRUE((*first)->keep_identity("worker-a").ok());
  EXPECT_EQ(Spool::open((*first)->folder()).code(), Code::conflict);
  auto second = Spool::open_any(folder.path());
  ASSERT_TRUE(second.ok());
  EXPECT_NE((*second)->folder(), (*first)->folder());
  EXPECT_EQ((*second)->identity(), std::nullopt);
  const std::string kept = (*first)->folder();
  first->reset();
  auto again = Spool::open_any(folder.path());
  EXPECT_EQ((*again)->folder(), kept);
  EXPECT_EQ((*again)->identity(), "worker-a");
}

TEST(Spool, SaysThatItCannotWrite) { EXPECT_EQ(Spool::open("/proc/nothing").code(), Code::unavailable); }

}  // namespace
}  // namespace muster::worker
