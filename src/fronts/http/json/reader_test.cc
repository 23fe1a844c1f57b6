#include "fronts/http/json/reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "base/json_depth.h"
#include "fronts/http/json/text.h"

namespace muster::http {
namespace {

bool accepts(std::string_view text) {
  JsonReader in(text);
  in.skip();
  in.finish();
  return in.ok();
}

TEST(JsonReader, AgreesWithAnIndependentParserAboutWhatIsJson) {
  const std::vector<std::string> texts{"{}",
                                       "[]",
                                       "null",
                                       "true",
                                       "false",
                                       "0",
                                       "-0",
                                       "1",
                                       "-1",
                                       "1.5",
                                       "1e5",
                                       "1E+5",
                                       "1e-5",
                                       "0.0",
                                       "\"\"",
                                       "\"a\"",
                                       " [ 1 , 2 ] ",
                                       "\t{\"a\":[{}]}\n",
                                       R"("\u00e9")",
                                       R"("\ud83d\ude00")",
                                       R"("\"\\\/\b\f\n\r\t")",
                                       "\"é\"",
                                       "\"\xF0\x9F\x98\x80\"",
                                       "",
                                       " ",
                                       "{",
                                       "}",
                                       "[",
                                       "]",
                                       "[1,]",
                                       "[,1]",
                                       "{,}",
                                       "{\"a\"}",
                                       "{\"a\":}",
                                       "{\"a\":1,}",
                                       "{a:1}",
                                       "{'a':1}",
                                       "01",
                                       "+1",
                                       "1.",
                                       ".5",
                                       "1e",
                                       "1e+",
                                       "-",
                                       "--1",
                                       "nul",
                                       "nullx",
                                       "True",
                                       "tru",
                                       "\"",
                                       "\"a",
                                       "'a'",
                                       R"("\x")",
                                       R"("\u12")",
                                       R"("\u12g4")",
                                       R"("\ud800")",
                                       R"("\ude00")",
                                       R"("\ud800\u0041")",
                                       "\"\x01\"",
                                       "\"\n\"",
                                       "\"\x80\"",
                                       "\"\xC0\x80\"",
                                       "\"\xED\xA0\x80\"",
                                       "\"\xF4\x90\x80\x80\"",
                                       "\"\xE2\x82\"",
                                       "1 2",
                                       "[1 2]",
                                       "{\"a\" 1}",
                                       "[1]]",
                                       "NaN",
                                       "Infinity",
                                       "0x1",
                                       "1_000",
                                       "/**/1",
                                       std::string("\"a\0b\"", 5)};
  for (const std::string& text : texts) EXPECT_EQ(accepts(text), nlohmann::json::accept(text)) << text;
}

TEST(JsonReader, AgreesWithAnIndependentParserAboutMutatedTexts) {
  // Method: valid texts with a few bytes changed, removed or doubled, from a fixed seed; both parsers judge each.
  const std::vector<std::string> seeds{
      R"({"type":"email.send","payload":{"a":[1,2.5e3,-0.1,true,null,"x\u00e9\n"]},"labels":{"k":"v"}})",
      R"([[],{},"é😀",[{"a":{"b":{"c":[1,[2,[3]]]}}}],false])"};
  const std::string alphabet = "{}[]\",:0123456789eE+-.\\untrfalse \n\x80\xC3\xED";
  std::mt19937 random(7);
  const auto below = [&](std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random); };
  for (int round = 0; round < 20'000; ++round) {
    std::string text = seeds[below(seeds.size())];
    for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
      const std::size_t at = below(text.size());
      switch (below(3)) {
        case 0: text[at] = alphabet[below(alphabet.size())]; break;
        case 1: text.erase(at, 1); break;
        default: text.insert(at, 1, alphabet[below(alphabet.size())]);
      }
    }
    ASSERT_EQ(accepts(text), nlohmann::json::accept(text)) << text;
  }
}

TEST(JsonReader, ReadsStringsLikeAnIndependentParser) {
  for (const char* text : {R"("plain")", R"("\u00e9\u20ac\ud83d\ude00")", R"("\"\\\/\b\f\n\r\t")", R"("a\u0000b")", "\"é😀\""}) {
    JsonReader in(text);
    EXPECT_EQ(in.read_string(), nlohmann::json::parse(text).get<std::string>()) << text;
    EXPECT_TRUE(in.ok());
  }
}

TEST(JsonReader, RefusesNestingBeyondItsBound) {
  EXPECT_TRUE(accepts(std::string(muster::json::kDepthMax, '[') + std::string(muster::json::kDepthMax, ']')));
  EXPECT_FALSE(accepts(std::string(muster::json::kDepthMax + 1, '[') + std::string(muster::json::kDepthMax + 1, ']')));
  EXPECT_FALSE(accepts(std::string(1'000'000, '[')));
}

TEST(JsonReader, KeepsTheFirstError) {
  JsonReader in(R"([1,"x"])");
  ASSERT_TRUE(in.enter_array());
  ASSERT_TRUE(in.next_element());
  {
    const FieldScope scope(in, "first");
    in.read_string();
  }
  EXPECT_EQ(in.status().message(), "field \"first\": a string is accepted, found a number");
  EXPECT_FALSE(in.next_element());
  in.refuse("something else");
  EXPECT_EQ(in.status().message(), "field \"first\": a string is accepted, found a number");
}

TEST(JsonReader, NamesTheRangeOfANumber) {
  JsonReader low("-1");
  low.read_integer(0, 10);
  EXPECT_EQ(low.status().message(), "-1 is out of range; 0 to 10 is accepted");
  JsonReader big("99999999999999999999");
  big.read_unsigned();
  EXPECT_FALSE(big.ok());
  JsonReader fraction("1.5");
  fraction.read_integer();
  EXPECT_EQ(fraction.status().message(), "an integer is accepted, found 1.5");
  JsonReader huge("1e999");
  huge.read_double();
  EXPECT_FALSE(huge.ok());
  JsonReader largest("18446744073709551615");
  EXPECT_EQ(largest.read_unsigned(), 18'446'744'073'709'551'615ull);
}

TEST(JsonText, QuotesWhatAReplyMayHold) {
  std::string out;
  append_quoted(out, "a\"b\\c\n\x01\xFFé");
  EXPECT_EQ(out, "\"a\\\"b\\\\c\\n\\u0001\xEF\xBF\xBDé\"");
  EXPECT_TRUE(nlohmann::json::accept(out));
}

TEST(JsonText, QuotesAnyBytesAsValidJson) {
  std::mt19937 random(11);
  for (int round = 0; round < 2'000; ++round) {
    std::string bytes(random() % 40, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    std::string out;
    append_quoted(out, bytes);
    ASSERT_TRUE(nlohmann::json::accept(out));
  }
}

}  // namespace
}  // namespace muster::http
