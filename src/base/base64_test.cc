#include "base/base64.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Base64, RoundTripsAndRefusesWhatIsNot) {
  for (const std::string_view bytes : {std::string_view(""), std::string_view("a"), std::string_view("ab"),
                                       std::string_view("abc"), std::string_view("\0\xFF\x10", 3)})
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
  EXPECT_EQ(to_base64("light work"), "bGlnaHQgd29yaw==");
  for (const char* bad : {"A", "AA", "AAA", "A===", "====", "AA=A", "AB==", "AAB=", "A A=", "AA-_"})
    EXPECT_FALSE(from_base64(bad)) << bad;
}

TEST(Base64Url, HasItsOwnTwoLettersAndNoPadding) {
  for (const std::string_view bytes : {std::string_view(""), std::string_view("a"), std::string_view("ab"),
                                       std::string_view("abc"), std::string_view("\0\xFF\x10", 3)})
    EXPECT_EQ(from_base64url(to_base64url(bytes)), bytes);
  EXPECT_EQ(to_base64url("\xFB\xFF\xFE\xFF"), "-__-_w");
  for (const char* bad : {"A", "AAAAA", "AA==", "AB", "AAB", "A A", "+///"}) EXPECT_FALSE(from_base64url(bad)) << bad;
}

}  // namespace
}  // namespace muster
