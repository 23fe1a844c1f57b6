#include "worker/path_rules.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/temp_folder_testing.h"

namespace muster::worker {
namespace {

struct PathRules : testing::Test {
  bool passes(const std::string& word) { return names_allowed_paths_only(word, {.prefixes = prefixes, .folder = job.path()}); }

  TempFolder data;
  TempFolder job;
  TempFolder outside;
  std::vector<std::string> prefixes{data.path()};
};

TEST_F(PathRules, EveryFormOfAPathIsJudged) {
  const std::string good = data.path("in");
  const std::string bad = outside.path("secret");
  for (const std::string before : {"", "-f", "-nf", "--file=", "key=", "a=b:", "@", "name:", "x,", "-f=", "file://"}) {
    EXPECT_TRUE(passes(before + good)) << before;
    EXPECT_FALSE(passes(before + bad)) << before;
  }
  EXPECT_FALSE(passes(good + ":" + bad)) << "each path of a list";
  EXPECT_FALSE(passes("--paths=" + good + "," + bad));
}

TEST_F(PathRules, RelativePathsStayInTheJobsFolder) {
  job.write("mine", "x");
  EXPECT_TRUE(passes("mine"));
  EXPECT_TRUE(passes("deep/er"));
  EXPECT_TRUE(passes("-fmine"));
  EXPECT_FALSE(passes("../neighbour"));
  EXPECT_FALSE(passes("-f../neighbour"));
  EXPECT_FALSE(passes("--file=../neighbour"));
  EXPECT_FALSE(passes("deep/../../neighbour"));
}

TEST_F(PathRules, LinksAreFollowed) {
  outside.write("secret", "x");
  std::filesystem::create_symlink(outside.path("secret"), data.path("link"));
  std::filesystem::create_symlink(outside.path("secret"), job.path("link"));
  std::filesystem::create_symlink(data.path(), job.path("inside"));
  EXPECT_FALSE(passes(data.path("link")));
  EXPECT_FALSE(passes("link"));
  EXPECT_FALSE(passes("-flink"));
  EXPECT_FALSE(passes("--file=link"));
  EXPECT_TRUE(passes("inside/in"));
}

TEST_F(PathRules, WordsThatAreNoPathsPass) {
  for (const char* word : {"", "-", "-n", "--reverse", "hello world", ".a / .b", "s/a/b/", "1,3p", "k=v", "12:30", "+%F"})
    EXPECT_TRUE(passes(word)) << word;
}

}  // namespace
}  // namespace muster::worker
