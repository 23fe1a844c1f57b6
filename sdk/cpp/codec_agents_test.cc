#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sdk/cpp/codec.h"

namespace muster::sdk {
namespace {

using nlohmann::json;

TEST(AgentCodec, AnAgentComesBackAsItWasWritten) {
  AgentSpec spec;
  spec.ns = "n";
  spec.name = "a";
  spec.model = "m";
  spec.system_prompt = "s";
  spec.max_tokens = 5;
  spec.temperature = 0.5;
  spec.tool_names = {"t"};
  spec.agent_ids = {"x"};
  spec.tool_choice = R"({"type":"any"})";
  spec.cache_prompt = false;
  spec.iterations_max = 3;
  spec.budget = AgentBudget{.tokens_per_run = 9};
  spec.metadata = R"({"z":1,"a":2})";
  const Result<std::string> text = encode(spec);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(json::parse(*text)["budget"], (json{{"tokens_per_run", 9}}));
  EXPECT_FALSE(json::parse(*text).contains("top_k")) << "what is not said is the server's";
  json shown = json::parse(*text);
  shown["id"] = "i";
  shown["revision"] = 4;
  const Result<Agent> agent = decode_agent(shown.dump());
  ASSERT_TRUE(agent.ok());
  EXPECT_EQ(agent->id, "i");
  EXPECT_EQ(agent->revision, 4U);
  EXPECT_EQ(agent->spec.budget, spec.budget);
  EXPECT_EQ(agent->spec.tool_choice, spec.tool_choice);
  EXPECT_EQ(agent->spec.tool_names, spec.tool_names);
  EXPECT_FALSE(decode_agent(R"({"name":"a"})").ok()) << "an agent has an id";
}

TEST(AgentCodec, WhatIsNotJsonIsRefusedBeforeItIsSent) {
  AgentSpec agent;
  agent.metadata = "{";
  EXPECT_EQ(encode(agent).error().code, Code::invalid_argument);
  ToolSpec tool;
  tool.input_schema = "nope";
  EXPECT_NE(encode(tool).error().detail.find("input_schema"), std::string::npos);
  AgentVerdict verdict;
  verdict.input = "{'a':1}";
  EXPECT_FALSE(encode(verdict).ok());
}

TEST(AgentCodec, ToolsSessionsAndVerdictsAreWrittenInTheWireWords) {
  ToolSpec tool;
  tool.name = "t";
  tool.description = "d";
  tool.input_schema = R"({"type":"object"})";
  tool.timeout = Duration(1'000);
  tool.max_attempts = 3;
  tool.approval = "ask";
  tool.arguments = {"{{input.x}}"};
  EXPECT_EQ(json::parse(*encode(tool)), json::parse(R"({"name":"t","description":"d","input_schema":{"type":"object"},
      "approval":"ask","timeout_ms":1000,"max_attempts":3,"arguments":["{{input.x}}"]})"));
  EXPECT_EQ(json::parse(*encode(AgentVerdict{.ns = "n", .execution = "e", .reason = "r", .input = R"({"a":1})"})),
            json::parse(R"({"namespace":"n","execution":"e","reason":"r","input":{"a":1}})"));
  EXPECT_EQ(json::parse(encode(AgentRunFork{.ns = "", .prompt = "p", .agent = "", .through = 3})),
            json::parse(R"({"prompt":"p","through":3})"));
  EXPECT_EQ(json::parse(*encode(SessionChange{.ns = "", .metadata = "", .variables = R"({"v":1})"})),
            json::parse(R"({"variables":{"v":1}})"));
  EXPECT_EQ(json::parse(*encode(AgentRunRequest{.ns = "", .agent = "a", .prompt = "p"})),
            json::parse(R"({"agent":"a","prompt":"p"})"));
}

TEST(AgentCodec, ReadsARunWithItsIterationsAndExecutions) {
  const Result<AgentRun> run = decode_agent_run(
      R"({"id":"r","namespace":"n","state":"awaiting_input","run_mode":"streaming","input_tokens":1,"output_tokens":2,
      "cache_read_input_tokens":4,"microdollars":9,"variables":{"v":1},"iterations":[{"id":"i","iteration_number":1,"attempts":2,
      "input_tokens":7}],"tool_executions":[{"id":"e","tool_name":"t","tool_input":{"b":1,"a":2},"approval":"asked"}]})");
  ASSERT_TRUE(run.ok());
  EXPECT_FALSE(run->finished());
  EXPECT_EQ(run->usage.total(), 7U);
  EXPECT_EQ(run->iterations.at(0).usage.input_tokens, 7U);
  EXPECT_EQ(run->tool_executions.at(0).tool_input, R"({"b":1,"a":2})");
  EXPECT_EQ(run->tool_executions[0].approval, "asked");
  EXPECT_FALSE(decode_agent_run(R"({"id":"r"})").ok());
}

TEST(AgentCodec, ReadsSessionsMessagesAndCompactions) {
  const Result<Session> session =
      decode_session(R"({"id":"s","metadata":{"a":1},"depth":2,"input_tokens":3,"microdollars":4,"revision":5})");
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(session->metadata, R"({"a":1})");
  EXPECT_EQ(session->usage.input_tokens, 3U);
  const Result<MessagePage> page = decode_message_page(
      R"({"messages":[{"id":"m","number":7,"role":"assistant","blocks":[{"type":"text","text":"hi"}],"usage":{"output_tokens":2}}],"more":true})");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->messages.at(0).blocks, R"([{"type":"text","text":"hi"}])");
  EXPECT_EQ(page->messages[0].usage.output_tokens, 2U);
  EXPECT_TRUE(page->more);
  const Result<Compacted> compacted =
      decode_compacted(R"({"done":true,"needed":true,"tokens":9,"compaction":{"id":"c","strategy":"hybrid","duration_ms":12}})");
  ASSERT_TRUE(compacted.ok() && compacted->compaction);
  EXPECT_EQ(compacted->compaction->duration, Duration(12));
  const Result<CompactionPage> listed = decode_compaction_page(R"({"compactions":[{"id":"c","restored":true}],"next":"n"})");
  ASSERT_TRUE(listed.ok());
  EXPECT_TRUE(listed->compactions.at(0).restored);
  EXPECT_EQ(listed->next, "n");
}

}  // namespace
}  // namespace muster::sdk
