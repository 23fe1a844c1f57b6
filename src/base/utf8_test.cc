#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace muster {
namespace {

constexpr std::string_view kEightLetters = "plain as";

TEST(Utf8, KnowsWhatIsNone) {
  for (const std::string good : {"", "abc", "\xC3\xA9", "\xE2\x82\xAC", "\xED\x9F\xBF", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
    EXPECT_TRUE(is_utf8(std::string(kEightLetters) + good + "x")) << good;
  }
  for (const std::string bad :
       {"\xFF\xFE", "\x80", "\xC3", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "a\xE2\x82", "\xE2\x28\xA1"}) {
    EXPECT_FALSE(is_utf8(bad));
    EXPECT_FALSE(is_utf8(std::string(kEightLetters) + bad + "plain again"));
  }
}

TEST(Utf8, IsCutBetweenCharacters) {
  EXPECT_EQ(utf8_front("abc", 3), "abc");
  EXPECT_EQ(utf8_front("abc", 2), "ab");
  EXPECT_EQ(utf8_front("a\xE2\x82\xAC", 3), "a");
  EXPECT_EQ(utf8_front("a\xE2\x82\xAC"
                       "b",
                       4),
            "a\xE2\x82\xAC");
  EXPECT_EQ(utf8_front("\xE2\x82\xAC", 2), "");
}

TEST(Utf8, FindsWhatIsNoneWhereverItStandsInLongText) {
  for (std::size_t size = 1; size < 100; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'x');
      ASSERT_TRUE(is_utf8(text));
      text[at] = '\xC3';
      ASSERT_FALSE(is_utf8(text)) << at << " of " << size;
      text.insert(at + 1, "\xA9");
      ASSERT_TRUE(is_utf8(text)) << at << " of " << size;
      text.insert(at + 2, "\xA9");
      ASSERT_FALSE(is_utf8(text)) << at << " of " << size;
    }
  }
}

TEST(Utf8, MeasuresTheFirstSequence) {
  EXPECT_EQ(utf8_length(""), 0u);
  EXPECT_EQ(utf8_length(std::string_view("\0x", 2)), 1u);
  EXPECT_EQ(utf8_length("\xC3\xA9\xFF"), 2u);
  EXPECT_EQ(utf8_length("\xE2\x82\xAC"), 3u);
  EXPECT_EQ(utf8_length("\xF0\x9F\x98\x80"), 4u);
  EXPECT_EQ(utf8_length("\x80\xC3\xA9"), 0u);
}

}  // namespace
}  // namespace muster
