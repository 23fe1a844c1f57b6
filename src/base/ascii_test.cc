#include "base/ascii.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Ascii, OnlyItsOwnLettersHaveACase) {
  EXPECT_EQ(lower("AZ az @[`{ \xC3\x84"), "az az @[`{ \xC3\x84");
  EXPECT_EQ(upper("AZ az @[`{ \xC3\xA4"), "AZ AZ @[`{ \xC3\xA4");
  EXPECT_TRUE(same_in_any_case("Bearer", "bEARER"));
  EXPECT_FALSE(same_in_any_case("Bearer", "Beare"));
}

TEST(Ascii, HexadecimalDigitsHaveEitherCase) {
  EXPECT_EQ(hex_value('0'), 0);
  EXPECT_EQ(hex_value('9'), 9);
  EXPECT_EQ(hex_value('a'), 10);
  EXPECT_EQ(hex_value('F'), 15);
  for (const char none : {'g', 'G', '/', ':', '@', '`', '\0', '\xFF'}) EXPECT_EQ(hex_value(none), -1) << none;
}

TEST(Ascii, BlanksAreTakenFromBothEndsOnly) {
  EXPECT_EQ(trimmed(" \ta b\t "), "a b");
  EXPECT_EQ(trimmed(" \t "), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed(" \ta ", " "), "\ta");
}

}  // namespace
}  // namespace muster
