#include "store/codec/agent_texts.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::store {
namespace {

TEST(AgentTexts, AListIsReadAsItWasWritten) {
  const std::vector<std::string> odd{"", "it's \"so\"", "a,b", "\n", "\xf0\x9f\xa6\x8a"};
  std::vector<std::string> back;
  list_from_text(list_to_text(odd), back);
  EXPECT_EQ(back, odd);
  const std::vector<AgentId> ids{AgentId{{1, 2}}, AgentId{{3, 4}}};
  std::vector<AgentId> ids_back{AgentId{{9, 9}}};
  list_from_text(list_to_text(ids), ids_back);
  EXPECT_EQ(ids_back, ids);
  list_from_text("[1, null, \"a\"]", back);
  EXPECT_EQ(back, std::vector<std::string>{"a"}) << "what is no text is left out";
  list_from_text("not a list", back);
  EXPECT_TRUE(back.empty());
}

TEST(AgentTexts, MetadataOfOneContentHaveOneKey) {
  EXPECT_EQ(metadata_key(R"({"a":1,"b":{"c":2,"d":[1,2]}})"), metadata_key(R"( {"b" : {"d":[1,2], "c":2}, "a":1} )"));
  EXPECT_NE(metadata_key(R"({"a":[1,2]})"), metadata_key(R"({"a":[2,1]})"));
  EXPECT_NE(metadata_key(R"({"a":1})"), metadata_key(R"({"a":"1"})"));
  EXPECT_NE(metadata_key("{}"), metadata_key("null"));
  EXPECT_EQ(metadata_key(std::string(100'000, ' ') + "{}"), metadata_key("{}"));
  EXPECT_EQ(metadata_key("{}").size(), 64u) << "short, whatever the metadata are";
}

TEST(AgentTexts, OneJsonContainsAnother) {
  const auto contains = [](const char* part) {
    return json_contains(R"({"a":1,"b":{"c":[1,{"d":2,"e":3}],"f":null},"g":"x","h":[]})", part);
  };
  EXPECT_TRUE(contains("{}"));
  EXPECT_TRUE(contains(R"({"a":1.0})"));
  EXPECT_TRUE(contains(R"({"b":{"c":[{"d":2}]}})")) << "inside a list too";
  EXPECT_TRUE(contains(R"({"b":{"f":null},"g":"x"})"));
  EXPECT_TRUE(contains(R"({"h":[]})"));
  EXPECT_TRUE(contains(R"({"b":{"c":[]}})"));
  EXPECT_FALSE(contains(R"({"b":{"c":[2]}})"));
  EXPECT_FALSE(contains(R"({"b":{"c":1}})")) << "a value is no list";
  EXPECT_FALSE(contains(R"({"z":null})")) << "to be there is not to be null";
  EXPECT_FALSE(contains(R"({"g":"X"})"));
  EXPECT_FALSE(contains(R"({"h":{}})"));
  EXPECT_FALSE(contains("nonsense"));
  EXPECT_FALSE(json_contains("nonsense", "{}"));
}

TEST(AgentTexts, CursorsAreReadAsTheyWereWrittenAndNothingElseIs) {
  Agent agent;
  agent.id = AgentId{{1, 2}};
  agent.spec.name = "c'\"\n\xf0\x9f\xa6\x8a";
  const auto place = parse_agent_cursor(agent_cursor(agent));
  ASSERT_TRUE(place);
  EXPECT_EQ(place->id, agent.id);
  EXPECT_EQ(place->name, agent.spec.name);
  EXPECT_FALSE(parse_agent_cursor("nonsense"));
  EXPECT_FALSE(parse_agent_cursor(std::string(40, 'x')));
  const auto execution = parse_execution_cursor(execution_cursor({3, 0, 77}));
  ASSERT_TRUE(execution);
  EXPECT_EQ(execution->iteration, 3);
  EXPECT_EQ(execution->place, 0);
  EXPECT_EQ(execution->row, 77);
  for (const char* text : {"", "1", "1.2", "1.2.x", "1..3", "-1.2.3", "1.2.3.4"})
    EXPECT_FALSE(parse_execution_cursor(text)) << text;
  EXPECT_EQ(parse_row_cursor("12"), 12);
  for (const char* text : {"", "0", "-1", "1x", "99999999999999999999"}) EXPECT_FALSE(parse_row_cursor(text)) << text;
}

TEST(AgentTexts, ADayIsOneOfUtc) {
  using namespace std::chrono_literals;
  EXPECT_EQ(day_of(Instant(0ms)), 0);
  EXPECT_EQ(day_of(Instant(24h - 1ms)), 0);
  EXPECT_EQ(day_of(Instant(24h)), 1);
  EXPECT_EQ(day_of(Instant(-1ms)), -1);
}

}  // namespace
}  // namespace muster::store
