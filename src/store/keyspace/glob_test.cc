#include <gtest/gtest.h>

#include "store/keyspace/keyspace.h"

namespace muster::store::keyspace {
namespace {

TEST(Glob, PlainTextMatchesItself) {
  EXPECT_TRUE(matches("abc", "abc"));
  EXPECT_FALSE(matches("abc", "ab"));
  EXPECT_FALSE(matches("abc", "abcd"));
  EXPECT_TRUE(matches("", ""));
  EXPECT_FALSE(matches("", "a"));
}

TEST(Glob, AStarStandsForAnyBytesAndAQuestionMarkForOne) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("*", "anything"));
  EXPECT_TRUE(matches("a*c", "ac"));
  EXPECT_TRUE(matches("a*c", "abbbc"));
  EXPECT_FALSE(matches("a*c", "abbb"));
  EXPECT_TRUE(matches("a*b*c", "a-b-b-c"));
  EXPECT_TRUE(matches("**a**", "bab"));
  EXPECT_TRUE(matches("a?c", "abc"));
  EXPECT_FALSE(matches("a?c", "ac"));
  EXPECT_TRUE(matches("worker:*:alive", "worker:w-1:alive"));
  EXPECT_FALSE(matches("worker:*:alive", "worker:w-1:alive2"));
}

TEST(Glob, ClassesHoldBytesAndRanges) {
  EXPECT_TRUE(matches("h[ae]llo", "hello"));
  EXPECT_FALSE(matches("h[ae]llo", "hillo"));
  EXPECT_TRUE(matches("h[a-f]llo", "hello"));
  EXPECT_TRUE(matches("h[f-a]llo", "hello"));
  EXPECT_FALSE(matches("h[^e]llo", "hello"));
  EXPECT_TRUE(matches("h[^e]llo", "hallo"));
  EXPECT_TRUE(matches("[\\]]", "]"));
  EXPECT_TRUE(matches("*[0-9]", "key7"));
  EXPECT_TRUE(matches("[\xf0-\xff]", "\xfe"));
}

TEST(Glob, ABackslashTakesTheNextByteAsItIs) {
  EXPECT_TRUE(matches("\\*", "*"));
  EXPECT_FALSE(matches("\\*", "a"));
  EXPECT_TRUE(matches("a\\?", "a?"));
  EXPECT_TRUE(matches("\\", "\\"));
}

TEST(Glob, UnfinishedClassesAreReadToTheEnd) {
  EXPECT_TRUE(matches("[abc", "b"));
  EXPECT_FALSE(matches("[abc", "d"));
  EXPECT_FALSE(matches("[", "x"));
  EXPECT_FALSE(matches("[a-", "b"));
}

TEST(Glob, ManyStarsDoNotExplode) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "a*";
  EXPECT_FALSE(matches(pattern + "b", std::string(20'000, 'a')));
}

}  // namespace
}  // namespace muster::store::keyspace
