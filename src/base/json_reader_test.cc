#include "base/json_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

namespace muster::json {
namespace {

// One of every kind, and what tends to be taken for another.
const std::vector<std::string> kValues{"null",   "true", "0",   "-1", "1.5",        "9223372036854775808", "18446744073709551615",
                                       R"("x")", "[]",   "[1]", "{}", R"({"id":1})"};

TEST(JsonReader, NoAccessorThrowsWhateverTheMemberIs) {
  for (const std::string& value : kValues) {
    for (const Tree& tree : {*parse(R"({"id":)" + value + "}"), *parse(value)}) {
      EXPECT_NO_THROW({
        static_cast<void>(member(tree, "id"));
        static_cast<void>(array(tree, "id"));
        static_cast<void>(text(tree, "id"));
        static_cast<void>(integer(tree, "id"));
        static_cast<void>(natural(tree, "id"));
        static_cast<void>(flag(tree, "id"));
        static_cast<void>(dump(tree));
      }) << value;
    }
  }
}

TEST(JsonReader, AMemberOfAnotherKindIsNone) {
  const Tree tree = *parse(R"({"text":"x","number":1,"flag":true,"list":[1],"none":null})");
  ASSERT_NE(text(tree, "text"), nullptr);
  EXPECT_EQ(*text(tree, "text"), "x");
  EXPECT_EQ(text(tree, "number"), nullptr);
  EXPECT_EQ(text(tree, "none"), nullptr);
  EXPECT_EQ(text(tree, "absent"), nullptr);
  EXPECT_EQ(integer(tree, "number"), 1);
  EXPECT_EQ(integer(tree, "text"), std::nullopt);
  EXPECT_EQ(flag(tree, "flag"), true);
  EXPECT_EQ(flag(tree, "number"), std::nullopt);
  EXPECT_NE(array(tree, "list"), nullptr);
  EXPECT_EQ(array(tree, "text"), nullptr);
}

TEST(JsonReader, AnIntegerThatDoesNotFitIsNone) {
  const Tree tree = *parse(R"({"large":9223372036854775808,"most":9223372036854775807,"negative":-1})");
  EXPECT_EQ(integer(tree, "large"), std::nullopt);
  EXPECT_EQ(integer(tree, "most"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(natural(tree, "large"), 9223372036854775808u);
  EXPECT_EQ(natural(tree, "negative"), std::nullopt);
}

TEST(JsonReader, WhatIsNotJsonIsNoTree) {
  for (const std::string_view bad : {"", "{", "nul", "1e999", "\xff", "\"\xff\"", "{\"a\":1}x", "{'a':1}"})
    EXPECT_EQ(parse(bad), std::nullopt) << bad;
}

TEST(JsonReader, ATextThatIsTooDeepIsNoTree) {
  const std::string fits = std::string(kDepthMax, '[') + std::string(kDepthMax, ']');
  EXPECT_TRUE(parse(fits));
  EXPECT_FALSE(parse('[' + fits + ']'));
  EXPECT_FALSE(parse(std::string(1'000'000, '[')));
}

TEST(JsonReader, WhoIsRefusedHearsWhy) {
  const auto why = [](std::string_view text) {
    return read(text, [](std::size_t byte) { return fmt::format("at byte {}", byte); }).status().message();
  };
  EXPECT_TRUE(read("[1]", [](std::size_t) { return ""; }).ok());
  EXPECT_EQ(why("[1,]"), "Invalid JSON: at byte 4");
  EXPECT_EQ(why("1e999"), "Invalid JSON: a number is out of range");
  EXPECT_EQ(why(std::string(kDepthMax + 1, '[')), "Invalid JSON: nested deeper than 128 levels");
}

TEST(JsonReader, OnlyAnObjectIsAnObject) {
  EXPECT_TRUE(parse_object("{}"));
  for (const std::string_view other : {"[]", "1", "null", "\"{}\""}) EXPECT_FALSE(parse_object(other)) << other;
}

TEST(JsonReader, AMemberIsReadAsATypeOnlyWhenAllOfItFits) {
  using Texts = std::vector<std::string>;
  using Named = std::map<std::string, std::string>;
  const Tree tree = *parse(R"({"texts":["a","b"],"mixed":["a",1],"named":{"k":"v"},"odd":{"k":null},"none":null,"half":0.5})");
  EXPECT_EQ(get<Texts>(tree, "texts"), (Texts{"a", "b"}));
  EXPECT_EQ(get<Texts>(tree, "mixed"), std::nullopt);
  EXPECT_EQ(get<Named>(tree, "named"), (Named{{"k", "v"}}));
  EXPECT_EQ(get<Named>(tree, "odd"), std::nullopt);
  EXPECT_EQ(get<double>(tree, "none"), std::nullopt);
  EXPECT_EQ(get<double>(tree, "half"), 0.5);
  EXPECT_EQ(get<int>(tree, "half"), std::nullopt);
}

TEST(JsonReader, BytesThatAreNotUtf8AreReplacedWhenWritten) { EXPECT_EQ(dump(Tree("a\xff")), "\"a\xEF\xBF\xBD\""); }

}  // namespace
}  // namespace muster::json
