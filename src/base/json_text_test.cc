#include "base/json_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/json_depth.h"
#include "base/json_reader.h"

namespace muster::json {
namespace {

std::string nested(std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

TEST(IsPlain, JudgesEveryByteWhereverItStands) {
  for (std::size_t size = 0; size < 20; ++size) EXPECT_TRUE(is_plain(std::string(size, 'a')));
  for (int byte = 0; byte < 256; ++byte) {
    const bool plain = byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
    for (std::size_t at = 0; at < 19; ++at) {
      std::string text(19, '~');
      text[at] = static_cast<char>(byte);
      EXPECT_EQ(is_plain(text), plain) << byte << " at " << at;
    }
  }
}

TEST(IsSurelyJson, KnowsWhatPeersUsuallyWrite) {
  for (const std::string& text :
       {std::string(R"({"run_id": "r", "n": [1, -2.5, 1e3, 0, true, false, null], "m": {}})"), std::string("[]"),
        std::string(" \t{}\r\n"), std::string(R"("caf\u00e9 \"x\" \\ \/ \b\f\n\r\t")"), std::string("\"h\u00e9\""),
        std::string("\"\x7F\""), std::string("-0"), std::string("0.5E-7"), nested(kDepthMax)}) {
    EXPECT_TRUE(is_surely_json(text)) << text;
    EXPECT_TRUE(parse(text)) << text;
  }
}

TEST(IsSurelyJson, NeverTakesWhatIsNone) {
  for (const std::string& text : {std::string(""),
                                  std::string(" "),
                                  std::string("{"),
                                  std::string("}"),
                                  std::string("[1,]"),
                                  std::string("[,1]"),
                                  std::string("{\"a\"}"),
                                  std::string("{\"a\":}"),
                                  std::string("{\"a\":1,}"),
                                  std::string("{a:1}"),
                                  std::string("[1 2]"),
                                  std::string("{} {}"),
                                  std::string("nul"),
                                  std::string("True"),
                                  std::string("01"),
                                  std::string("1."),
                                  std::string(".5"),
                                  std::string("+1"),
                                  std::string("-"),
                                  std::string("1e"),
                                  std::string("1e+"),
                                  std::string("0x1"),
                                  std::string("NaN"),
                                  std::string("'a'"),
                                  std::string("\"a"),
                                  std::string("\"\\"),
                                  std::string(R"("\x")"),
                                  std::string(R"("\u12")"),
                                  std::string(R"("\u12g4")"),
                                  std::string(R"("\ud800")"),
                                  std::string("\"a\nb\""),
                                  std::string("\"\xFF\""),
                                  std::string("\"\xC3\""),
                                  std::string("[\"a\\\"]"),
                                  std::string("1e400"),
                                  std::string("[1}"),
                                  nested(kDepthMax + 1),
                                  std::string("\"a\0b\"", 5),
                                  std::string("{}\0", 3),
                                  std::string("{}\0x", 4),
                                  std::string("\xEF\xBB\xBF{}")}) {
    EXPECT_FALSE(is_surely_json(text)) << text;
    EXPECT_FALSE(parse(text)) << text;
  }
}

TEST(IsSurelyJson, LeavesWhatIsRareToTheParser) {
  for (const std::string& text : {std::string(R"("\ud83d\ude00")"), std::string("1e100"), std::string(300, '1')}) {
    EXPECT_FALSE(is_surely_json(text)) << text;
    EXPECT_TRUE(parse(text)) << text;
  }
}

TEST(MemberScan, FindsMembersWhateverStandsInThem) {
  MemberScan scan(R"( {"a" : {"x":"}"} , "b":[1,"]"], "c":"q\"," ,"d":-1.5} )");
  std::vector<std::pair<std::string, std::string>> found;
  while (const auto member = scan.next()) found.emplace_back(member->name, member->value);
  EXPECT_TRUE(scan.is_complete());
  const std::vector<std::pair<std::string, std::string>> wanted{
      {"\"a\"", R"({"x":"}"})"}, {"\"b\"", R"([1,"]"])"}, {"\"c\"", R"("q\",")"}, {"\"d\"", "-1.5"}};
  EXPECT_EQ(found, wanted);
}

}  // namespace
}  // namespace muster::json
