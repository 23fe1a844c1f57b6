#include "websocket/utf8_check.h"

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "websocket/websocket_testing.h"

namespace muster::websocket {
namespace {

bool valid_in_pieces(std::string_view text, std::size_t piece) {
  Utf8Check check;
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
    if (!check.feed(text.substr(0, piece))) return false;
  return check.complete();
}

TEST(Utf8Check, AgreesWithTheWholeTextHoweverItIsCut) {
  const std::string_view texts[] = {"",
                                    "plain text of ASCII",
                                    "größe",
                                    "キュー",
                                    "a🙂b",
                                    "\xC3",
                                    "\xE3\x82",
                                    "\xF0\x9F\x99",
                                    "\x80",
                                    "\xC0\xAF",
                                    "\xC1\xBF",
                                    "\xE0\x80\x80",
                                    "\xE0\x9F\xBF",
                                    "\xED\xA0\x80",
                                    "\xF0\x80\x80\x80",
                                    "\xF4\x90\x80\x80",
                                    "\xF5\x80\x80\x80",
                                    "\xFF",
                                    "ab\xE3\x82!",
                                    "\xF4\x8F\xBF\xBF",
                                    "\xEF\xBF\xBF"};
  for (const std::string_view text : texts)
    for (const std::size_t piece : {1, 2, 3, 4, 5, 100}) EXPECT_EQ(valid_in_pieces(text, piece), is_utf8(text)) << text;
}

TEST(Utf8Check, AgreesWithTheWholeTextOnBytesOfChance) {
  Chance chance(2);
  // Leads and continuations are drawn often, so that sequences are begun and sometimes ended.
  static constexpr unsigned char kBytes[] = {0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2,
                                             0xDF, 0xE0, 0xE3, 0xED, 0xEF, 0xF0, 0xF4};
  std::size_t valid = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t size = chance.between(1, 6); size > 0; --size)
      text.push_back(static_cast<char>(kBytes[chance.below(std::size(kBytes))]));
    valid += is_utf8(text);
    ASSERT_EQ(valid_in_pieces(text, chance.between(1, 4)), is_utf8(text));
  }
  EXPECT_GT(valid, 100U);
}

TEST(Utf8Check, TellsAtTheFirstByteThatCannotGoOn) {
  const auto fails_at = [](std::string_view text) {
    Utf8Check check;
    for (std::size_t i = 0; i < text.size(); ++i)
      if (!check.feed(text.substr(i, 1))) return i;
    return text.size();
  };
  EXPECT_EQ(fails_at("\xF4\x90\x80\x80"), 1U);  // above U+10FFFF
  EXPECT_EQ(fails_at("\xED\xA0\x80"), 1U);      // a surrogate
  EXPECT_EQ(fails_at("\xC0\x80"), 0U);
  EXPECT_EQ(fails_at("\xE3\x82\x41"), 2U);
  Utf8Check whole;
  EXPECT_FALSE(whole.feed("\xF4\x90")) << "and in one piece as well";
}

}  // namespace
}  // namespace muster::websocket
