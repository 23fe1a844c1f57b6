// Which words may run: every forbidden character by itself, and the ones that only look dangerous.
#include <gtest/gtest.h>

#include "plan/plan.h"

namespace muster::plan {
namespace {

using namespace std::string_literals;

std::string why(std::string_view word) { return validate_word("Task 1 argument 2", word).message(); }

TEST(Words, AcceptsOrdinaryArguments) {
  for (const std::string word : {"",      "-n",      "--key=value", "a b",  "tab\there", "/usr/bin/sort",  "a..b", "1..",
                                 "*.txt", "{print}", "\"q\"",       "'q'",  "(x)",       "<in>",           "~",    "#",
                                 "!",     "%",       "Grüße",       "日本", "😀",         "{{input.name}}", ".",    ".hidden",
                                 "x/.y"})
    EXPECT_EQ(why(word), "") << word;
}

TEST(Words, RefusesEachShellCharacterByName) {
  for (const char c : "&|;$`"s) EXPECT_EQ(why("a"s + c + "b"), "Task 1 argument 2 contains a shell character ('"s + c + "')");
}

TEST(Words, RefusesLineBreaks) {
  EXPECT_EQ(why("a\nb"), "Task 1 argument 2 contains a line break");
  EXPECT_EQ(why("a\rb"), "Task 1 argument 2 contains a line break");
}

TEST(Words, RefusesPathsThatClimb) {
  for (const std::string word : {"..", "../x", "..x", "a/../b", "a/..\\b", "/tmp/../etc/passwd", "a../b"})
    EXPECT_EQ(why(word), "Task 1 argument 2 contains a path that climbs out of its folder ('..')") << word;
}

TEST(Words, RefusesControlCharactersButTab) {
  EXPECT_EQ(why("a\0b"s), "Task 1 argument 2 contains a NUL character");
  EXPECT_EQ(why("a\x01"), "Task 1 argument 2 contains a control character (U+0001)");
  EXPECT_EQ(why("\x1b[31m"), "Task 1 argument 2 contains a control character (U+001B)");
  EXPECT_EQ(why("\x7f"), "Task 1 argument 2 contains a control character (U+007F)");
  EXPECT_EQ(why("\xC2\x85"), "Task 1 argument 2 contains a control character (U+0085)");
}

TEST(Words, RefusesInvisibleAndTurningCharacters) {
  for (const auto& [word, name] :
       {std::pair{"\xE2\x80\x8B", "200B"}, std::pair{"\xE2\x80\x8C", "200C"}, std::pair{"\xE2\x80\x8D", "200D"},
        std::pair{"\xE2\x80\xAA", "202A"}, std::pair{"\xE2\x80\xAE", "202E"}, std::pair{"\xEF\xBB\xBF", "FEFF"}})
    EXPECT_EQ(why("a"s + word + "b"), "Task 1 argument 2 contains an invisible character (U+"s + name + ")");
  EXPECT_EQ(why("\xE2\x80\x8A"), "");  // U+200A, just outside
  EXPECT_EQ(why("\xE2\x80\xAF"), "");  // U+202F
}

TEST(Words, RefusesWhatIsNotUtf8) {
  for (const std::string word : {"\xff", "a\xC3", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80"})
    EXPECT_EQ(why(word), "Task 1 argument 2 is not valid UTF-8");
}

}  // namespace
}  // namespace muster::plan
