#include "websocket/extensions.h"

#include <gtest/gtest.h>

namespace muster::websocket {
namespace {

TEST(ParseExtensions, ReadsTokensQuotesAndListsOverSeveralLines) {
  const auto parsed = parse_extensions({"foo, bar; baz=2 ; q = \"t\\ok\"", " ,, permessage-deflate;client_max_window_bits ,"});
  ASSERT_TRUE(parsed.ok());
  ASSERT_EQ(parsed->size(), 3U);
  EXPECT_EQ((*parsed)[0].name, "foo");
  ASSERT_EQ((*parsed)[1].parameters.size(), 2U);
  EXPECT_EQ((*parsed)[1].parameters[0].value, "2");
  EXPECT_EQ((*parsed)[1].parameters[1].name, "q");
  EXPECT_EQ((*parsed)[1].parameters[1].value, "tok");
  EXPECT_EQ((*parsed)[2].parameters[0].name, "client_max_window_bits");
  EXPECT_FALSE((*parsed)[2].parameters[0].value);
}

TEST(ParseExtensions, RefusesWhatIsNotTheGrammar) {
  for (const std::string_view line :
       {"foo bar", ";a", "foo;", "foo; =1", "foo; a=", "foo; a=\"", "foo; a=\"x", "foo; a=\"\"", "foo; a=\"b c\"", "foo; a=\"x\\",
        "foo/1", "foo; a=b c", "\"foo\"", "foo; a=b=c", "f\xC3\xB6o"})
    EXPECT_EQ(parse_extensions({line}).code(), Code::invalid_argument) << line;
}

TEST(ParseExtensions, StopsAtItsBounds) {
  std::string names = "a";
  for (std::size_t i = 1; i < kExtensionsMax; ++i) names += ",a";
  EXPECT_TRUE(parse_extensions({names}).ok());
  EXPECT_FALSE(parse_extensions({names, "a"}).ok());
  std::string parameters = "a";
  for (std::size_t i = 0; i < kExtensionParametersMax; ++i) parameters += ";p";
  EXPECT_TRUE(parse_extensions({parameters}).ok());
  EXPECT_FALSE(parse_extensions({parameters + ";p"}).ok());
}

}  // namespace
}  // namespace muster::websocket
