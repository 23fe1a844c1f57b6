#include "base/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace muster {
namespace {

TEST(Glob, PlainTextMatchesItself) {
  EXPECT_TRUE(glob_matches("abc", "abc"));
  EXPECT_FALSE(glob_matches("abc", "ab"));
  EXPECT_FALSE(glob_matches("abc", "abcd"));
  EXPECT_TRUE(glob_matches("", ""));
  EXPECT_FALSE(glob_matches("", "a"));
}

TEST(Glob, AStarStandsForAnyBytesAndAQuestionMarkForOne) {
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("*", "anything"));
  EXPECT_TRUE(glob_matches("a*c", "ac"));
  EXPECT_TRUE(glob_matches("a*c", "abbbc"));
  EXPECT_FALSE(glob_matches("a*c", "abbb"));
  EXPECT_TRUE(glob_matches("a*b*c", "a-b-b-c"));
  EXPECT_TRUE(glob_matches("**a**", "bab"));
  EXPECT_TRUE(glob_matches("a?c", "abc"));
  EXPECT_FALSE(glob_matches("a?c", "ac"));
  EXPECT_TRUE(glob_matches("worker:*:alive", "worker:w-1:alive"));
  EXPECT_FALSE(glob_matches("worker:*:alive", "worker:w-1:alive2"));
}

TEST(Glob, ClassesHoldBytesAndRanges) {
  EXPECT_TRUE(glob_matches("h[ae]llo", "hello"));
  EXPECT_FALSE(glob_matches("h[ae]llo", "hillo"));
  EXPECT_TRUE(glob_matches("h[a-f]llo", "hello"));
  EXPECT_TRUE(glob_matches("h[f-a]llo", "hello"));
  EXPECT_FALSE(glob_matches("h[^e]llo", "hello"));
  EXPECT_TRUE(glob_matches("h[^e]llo", "hallo"));
  EXPECT_TRUE(glob_matches("[\\]]", "]"));
  EXPECT_TRUE(glob_matches("*[0-9]", "key7"));
  EXPECT_TRUE(glob_matches("[\xf0-\xff]", "\xfe"));
}

TEST(Glob, ABackslashTakesTheNextByteAsItIs) {
  EXPECT_TRUE(glob_matches("\\*", "*"));
  EXPECT_FALSE(glob_matches("\\*", "a"));
  EXPECT_TRUE(glob_matches("a\\?", "a?"));
  EXPECT_TRUE(glob_matches("a\\*b", "a*b"));
  EXPECT_FALSE(glob_matches("a\\*b", "axb"));
  EXPECT_TRUE(glob_matches("\\", "\\"));
}

TEST(Glob, UnfinishedClassesAreReadToTheEnd) {
  EXPECT_TRUE(glob_matches("[abc", "b"));
  EXPECT_FALSE(glob_matches("[abc", "d"));
  EXPECT_FALSE(glob_matches("[", "x"));
  EXPECT_FALSE(glob_matches("[a-", "b"));
}

TEST(Glob, ADashTakesTheBracketBehindItForItsEnd) {
  EXPECT_TRUE(glob_matches("[a-]", "a"));
  EXPECT_TRUE(glob_matches("[a-]", "^")) << "between ] and a";
  EXPECT_FALSE(glob_matches("[a-]", "-"));
  EXPECT_FALSE(glob_matches("x[a-]y", "xay")) << "the class goes on to the end";
}

TEST(Glob, TheStartEndsAtTheFirstCharacterThatStandsForOthers) {
  EXPECT_EQ(glob_start("worker:*:alive"), "worker:");
  EXPECT_EQ(glob_start("plain"), "plain");
  EXPECT_EQ(glob_start("[ab]"), "");
}

TEST(Glob, ManyStarsDoNotExplode) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "a*";
  EXPECT_FALSE(glob_matches(pattern + "b", std::string(20'000, 'a')));
}

}  // namespace
}  // namespace muster
