#include "fronts/resp/plans/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::resp::plans {
namespace {

TEST(Glob, MatchesAsRedisDoes) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("*", "anything"));
  EXPECT_TRUE(matches("worker:*:alive", "worker:w-1:alive"));
  EXPECT_FALSE(matches("worker:*:alive", "worker:w-1:stats"));
  EXPECT_TRUE(matches("h?llo", "hello"));
  EXPECT_FALSE(matches("h?llo", "hllo"));
  EXPECT_TRUE(matches("h[ae]llo", "hallo"));
  EXPECT_FALSE(matches("h[^e]llo", "hello"));
  EXPECT_TRUE(matches("h[a-c]llo", "hbllo"));
  EXPECT_TRUE(matches("h[c-a]llo", "hbllo"));
  EXPECT_TRUE(matches("a\\*b", "a*b"));
  EXPECT_FALSE(matches("a\\*b", "axb"));
  EXPECT_TRUE(matches("[\\]]", "]"));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_TRUE(matches("", ""));
  EXPECT_TRUE(matches("[abc", "b"));
}

TEST(Glob, ManyStarsStayCheap) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  EXPECT_FALSE(matches(pattern + "b", std::string(5'000, 'a')));
}

TEST(Glob, TheLiteralStartEndsAtTheFirstSpecialCharacter) {
  EXPECT_EQ(literal_start("worker:*:alive"), "worker:");
  EXPECT_EQ(literal_start("plain"), "plain");
  EXPECT_EQ(literal_start("[ab]"), "");
}

TEST(Glob, WordsMatchInAnyCase) {
  EXPECT_TRUE(equals_word("limit", "LIMIT"));
  EXPECT_TRUE(equals_word("LiMiT", "LIMIT"));
  EXPECT_FALSE(equals_word("limits", "LIMIT"));
}

}  // namespace
}  // namespace muster::resp::plans
