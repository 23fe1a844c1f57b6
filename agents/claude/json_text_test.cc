#include "agents/claude/json_text.h"

#include <gtest/gtest.h>

namespace muster::claude {
namespace {

TEST(JsonText, FindsMembersAsTheyAreWritten) {
  const std::string_view object = R"( { "a" : 1.50 , "b":"x\"}{," ,"c":{"d":[1,{"e":"]"}]},"f":[],"g":null,"a":2} )";
  EXPECT_EQ(text_member(object, "b"), R"("x\"}{,")");
  EXPECT_EQ(text_member(object, "c"), R"({"d":[1,{"e":"]"}]})");
  EXPECT_EQ(text_member(object, "a"), "2");
  EXPECT_EQ(text_member(object, "g"), "null");
  EXPECT_EQ(text_member(object, "d"), std::nullopt);
  EXPECT_EQ(text_members(object).size(), 6U);
  EXPECT_EQ(text_members(object).front().value, "1.50");
  EXPECT_TRUE(text_members("[1]").empty());
  EXPECT_TRUE(text_members("{}").empty());
}

TEST(JsonText, ReplacesMembersWhereTheyStand) {
  EXPECT_EQ(with_members(R"({"a":1,"b":12345678901234567890123,"c":3})", {{"a", "[]"}, {"z", "\"new\""}}),
            R"({"a":[],"b":12345678901234567890123,"c":3,"z":"new"})");
  EXPECT_EQ(with_members("{}", {{"a", "1"}}), R"({"a":1})");
}

TEST(JsonText, NeverReadsBeyondWhatIsNoJsonAfterAll) {
  for (const std::string_view broken :
       {"{", "{\"", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":[", "{\"a\":\"\\", "{\"a\":1,", "{\"a\" 1}", ""})
    static_cast<void>(text_members(broken));
}

}  // namespace
}  // namespace muster::claude
