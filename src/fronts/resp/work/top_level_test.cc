// The quick way and the library's must read the same.
#include "fronts/resp/work/top_level.h"

#include <gtest/gtest.h>

#include <string>

#include "base/json_reader.h"

namespace muster::resp::work {
namespace {

TEST(TopLevel, ReadsTheMembersOfAnObject) {
  const std::string text = R"( {"a":"x","b":-12,"c":[1,{"a":2}],"d":{"e":null},"f":true,"g":null,"h":1.5e3,"a":"y"} )";
  const auto top = read_top_level(text);
  ASSERT_TRUE(top);
  ASSERT_EQ(top->members.size(), 8u);
  EXPECT_EQ(top->find("a")->text, "y") << "the last of a name counts";
  EXPECT_EQ(top->find("b")->number, -12);
  EXPECT_TRUE(top->find("b")->whole);
  EXPECT_EQ(top->find("c")->kind, Member::Kind::array);
  EXPECT_EQ(top->find("d")->kind, Member::Kind::object);
  EXPECT_EQ(top->find("f")->kind, Member::Kind::boolean);
  EXPECT_EQ(top->find("g")->kind, Member::Kind::null);
  EXPECT_EQ(top->find("h")->number, 1500);
  EXPECT_FALSE(top->find("h")->whole);
  EXPECT_EQ(top->find("e"), nullptr);
}

TEST(TopLevel, TextsWithEscapesAreWhatTheyMean) {
  const auto top = read_top_level(R"({"job\u005fid":"a\nb","long enough to be no short text \t":"and another one \u00e4"})");
  ASSERT_TRUE(top);
  EXPECT_EQ(top->find("job_id")->text, "a\nb");
  EXPECT_EQ(top->find("long enough to be no short text \t")->text, "and another one \xC3\xA4");
}

// Whatever a text is cut or changed to, it is an object here exactly when the library says so, with the same members.
void compare_damaged(const std::string& whole) {
  const std::string bytes("{}[]\",:x0-.eE\\ \t\x01\xC3\0", 19);
  std::size_t objects = 0;
  for (std::size_t at = 0; at <= whole.size(); ++at) {
    std::vector<std::string> texts{whole.substr(0, at), whole.substr(at)};
    for (const char byte : bytes) {
      texts.push_back(whole.substr(0, at) + byte + whole.substr(at));
      if (at < whole.size()) texts.push_back(whole.substr(0, at) + byte + whole.substr(at + 1));
    }
    for (const std::string& text : texts) {
      const auto tree = json::parse_object(text);
      const auto top = read_top_level(text);
      ASSERT_EQ(top.has_value(), tree.has_value()) << text;
      if (!top) continue;
      ++objects;
      for (const Member& member : top->members) {
        const auto& expected = tree->at(std::string(member.name));
        const Member& last = *top->find(member.name);
        ASSERT_EQ(last.kind == Member::Kind::text, expected.is_string()) << text;
        if (expected.is_string()) {
          ASSERT_EQ(last.text, expected.get<std::string>()) << text;
        }
        ASSERT_EQ(last.kind == Member::Kind::number, expected.is_number()) << text;
        if (expected.is_number()) {
          ASSERT_EQ(last.number, expected.get<double>()) << text;
          ASSERT_EQ(last.whole, expected.is_number_integer()) << text;
        }
      }
      ASSERT_GE(top->members.size(), tree->size()) << text;
    }
  }
  EXPECT_GT(objects, 100u);
}

TEST(TopLevel, AgreesWithTheLibraryAboutEveryDamagedText) {
  compare_damaged(R"({"a":[1,-0,0,10,{"b":"c"}],"n":-120,"t":true,"f":false,"z":null,"o":{"p":[]}, "s":"x)"
                  "\xC3\xA4\"}");
  compare_damaged(R"({"a":["c\u00e4"],"n":1.5e2,"big":12345678901234567890,"t\n":"\"", "d":-0.5})");
}

TEST(TopLevel, WhatTheLibraryReadsPastIsNoObject) {
  for (const std::string& text : {std::string("{}\0", 3), std::string("{\"a\":1}\0x", 9), std::string("\xEF\xBB\xBF{}")})
    EXPECT_FALSE(read_top_level(text)) << text;
}

TEST(TopLevel, WhatIsNestedTooDeepIsNotRead) {
  const auto nested = [](std::size_t depth) {
    return "{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  EXPECT_TRUE(read_top_level(nested(json::kDepthMax)));
  EXPECT_FALSE(read_top_level(nested(json::kDepthMax + 1)));
}

}  // namespace
}  // namespace muster::resp::work
