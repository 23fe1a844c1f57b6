#include "agents/context.h"

#include <gtest/gtest.h>

#include "agents/rules_testing.h"

namespace muster::agents {
namespace {

using json::Tree;

Tree tree(const std::string& text) { return json::parse(text).value(); }

TEST(Context, NeighboursOfOneRoleAreOneMessage) {
  const Tree out =
      api_messages({said(MessageRole::user, "a"), said(MessageRole::system, "b"), said(MessageRole::assistant, "c")});
  EXPECT_EQ(out, tree(R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},
                          {"role":"assistant","content":[{"type":"text","text":"c"}]}])"));
}

TEST(Context, BlocksOfEveryTypePassUnharmed) {
  const std::string blocks = R"([{"type":"thinking","thinking":"hm","signature":"s=="},{"type":"redacted_thinking","data":"x"},
    {"type":"server_tool_use","id":"srv","name":"web_search","input":{"q":"a"}},{"type":"web_search_tool_result","tool_use_id":"srv","content":[]},
    {"type":"a_type_of_tomorrow","n":1.5,"deep":{"a":[null,true]}},{"type":"text","text":"é"}])";
  const std::string media =
      R"([{"type":"image","source":{"type":"url","url":"http://x"}},{"type":"document","source":{"type":"base64","data":"AA=="}}])";
  const Tree out = api_messages({message(MessageRole::user, media), message(MessageRole::assistant, blocks)});
  EXPECT_EQ(out[0]["content"], tree(media));
  EXPECT_EQ(out[1]["content"], tree(blocks));
}

TEST(Context, ACallIsAlwaysFollowedByItsResult) {
  const std::string calls =
      R"([{"type":"tool_use","id":"a","name":"x","input":{}},{"type":"tool_use","id":"b","name":"y","input":{}}])";
  const Tree out = api_messages({said(MessageRole::user, "go"), message(MessageRole::assistant, calls),
                                 message(MessageRole::user, R"([{"type":"tool_result","tool_use_id":"b","content":"B"}])"),
                                 said(MessageRole::user, "and now?")});
  ASSERT_EQ(out.size(), 3U);
  ASSERT_EQ(out[2]["content"].size(), 3U);
  EXPECT_EQ(out[2]["content"][0]["tool_use_id"], "b");
  EXPECT_EQ(out[2]["content"][1]["tool_use_id"], "a");
  EXPECT_EQ(out[2]["content"][1]["is_error"], true);
  EXPECT_EQ(out[2]["content"][2]["text"], "and now?");
}

TEST(Context, ACallAtTheEndIsAnsweredToo) {
  const Tree out = api_messages({said(MessageRole::user, "go"),
                                 message(MessageRole::assistant, R"([{"type":"tool_use","id":"a","name":"x","input":{}}])")});
  ASSERT_EQ(out.size(), 3U);
  EXPECT_EQ(out[2]["content"][0]["type"], "tool_result");
}

TEST(Context, AResultWithoutItsCallIsLeftOut) {
  const Tree out = api_messages(
      {message(MessageRole::user, R"([{"type":"tool_result","tool_use_id":"z","content":"Z"}])"), said(MessageRole::user, "hi")});
  EXPECT_EQ(out, tree(R"([{"role":"user","content":[{"type":"text","text":"hi"}]}])"));
}

TEST(Context, TheFirstMessageIsAUsersAndEmptyTextsAreLeftOut) {
  const Tree out = api_messages({said(MessageRole::assistant, "I said"), said(MessageRole::user, "")});
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0]["role"], "user");
  EXPECT_EQ(out[1]["content"][0]["text"], "I said");
}

TEST(Context, ARequestCarriesWhatTheAgentSays) {
  AgentSpec spec = agent_named("a").spec;
  spec.system_prompt = "be brief";
  spec.temperature = 0.5;
  spec.top_k = 3;
  spec.top_p = 0.9;
  spec.stop_sequences = {"END"};
  spec.tool_choice = R"({"type":"any"})";
  spec.thinking = R"({"type":"enabled","budget_tokens":2000})";
  const ToolSet set = tool_set({tool_named("look", R"({"properties":{"x":{"type":"string"}}})")}, {agent_named("help", 9)});
  const Tree out = tree(request_params(spec, set, {said(MessageRole::user, "hi")}));
  EXPECT_EQ(out["model"], "claude-x");
  EXPECT_EQ(out["max_tokens"], kMaxTokensDefault + 2000);
  EXPECT_EQ(out["temperature"], 0.5);
  EXPECT_EQ(out["top_k"], 3);
  EXPECT_EQ(out["top_p"], 0.9);
  EXPECT_EQ(out["stop_sequences"], tree(R"(["END"])"));
  EXPECT_EQ(out["tool_choice"]["type"], "any");
  EXPECT_EQ(out["thinking"]["budget_tokens"], 2000);
  EXPECT_FALSE(out.contains("stream"));
  ASSERT_EQ(out["tools"].size(), 2U);
  EXPECT_EQ(out["tools"][0]["input_schema"]["type"], "object");
  EXPECT_EQ(out["tools"][1]["name"], "help");
  EXPECT_EQ(out["tools"][1]["input_schema"]["required"], tree(R"(["task"])"));
}

TEST(Context, SystemToolsAndThePrefixAreCachedUnlessTheAgentSaysNo) {
  AgentSpec spec = agent_named("a").spec;
  spec.system_prompt = "s";
  const ToolSet set = tool_set({tool_named("x"), tool_named("y")}, {});
  const std::vector<AgentMessage> talk{
      said(MessageRole::user, "one"),
      message(MessageRole::assistant, R"([{"type":"text","text":"t"},{"type":"thinking","thinking":"h"}])")};
  const Tree out = tree(request_params(spec, set, talk));
  EXPECT_TRUE(out["system"][0].contains("cache_control"));
  EXPECT_FALSE(out["tools"][0].contains("cache_control"));
  EXPECT_TRUE(out["tools"][1].contains("cache_control"));
  EXPECT_TRUE(out["messages"][1]["content"][0].contains("cache_control"));
  EXPECT_FALSE(out["messages"][1]["content"][1].contains("cache_control")) << "thinking may not carry it";
  spec.cache_prompt = false;
  EXPECT_EQ(request_params(spec, set, talk).find("cache_control"), std::string::npos);
}

TEST(Context, DelegatesGetNamesThatTheApiTakesAndNoToolHas) {
  const ToolSet set =
      tool_set({tool_named("code")}, {agent_named("code", 5), agent_named("Ein Agent!", 6), agent_named("Ein.Agent?", 7)});
  EXPECT_EQ(set.delegates[0].name, "code_2");
  EXPECT_EQ(set.delegates[1].name, "Ein_Agent_");
  EXPECT_EQ(set.delegates[2].name, "Ein_Agent__2");
  EXPECT_EQ(find_tool(set, "code")->spec.name.text(), "code");
  EXPECT_EQ(find_delegate(set, "code"), nullptr);
}

TEST(Context, TheExtendedContextIsABeta) {
  AgentSpec spec;
  spec.betas = {"one"};
  EXPECT_EQ(betas_of(spec), std::vector<std::string>{"one"});
  spec.config = R"({"extended_context":true})";
  EXPECT_EQ(betas_of(spec), (std::vector<std::string>{"one", kExtendedContextBeta}));
}

}  // namespace
}  // namespace muster::agents
