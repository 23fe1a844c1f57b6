// Agents, runs and what they say, as people read it; and requests made of flags.
#include "cli/agents.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace muster::cli {
namespace {

using json = nlohmann::json;

std::string agent_rows(const Table& table) { return fmt::format("{}", fmt::join(table.lines({}), "\n")); }
const sdk::Instant kLater(std::chrono::seconds(70));

TEST(AgentTables, ShowAgentsAndTools) {
  sdk::Agent agent;
  agent.id = "a1";
  agent.spec.name = "support";
  agent.spec.model = "m";
  agent.spec.tool_names = {"x", "y"};
  agent.spec.description = "d";
  agent.updated_at = sdk::Instant(std::chrono::seconds(10));
  EXPECT_EQ(agent_rows(agents_table(std::span(&agent, 1), kLater)),
            "ID  NAME     MODEL  TOOLS  CHANGED  DESCRIPTION\n"
            "a1  support  m      x y      1m00s  d");
  sdk::Tool tool;
  tool.spec.name = "deploy";
  tool.spec.queue = "tools";
  tool.spec.approval = "ask";
  tool.spec.max_attempts = 2;
  EXPECT_EQ(agent_rows(tools_table(std::span(&tool, 1), kLater)),
            "TOOL    QUEUE  APPROVAL  ATTEMPTS  CHANGED  DESCRIPTION\n"
            "deploy  tools  ask              2        -");
}

TEST(AgentTables, ShowRunsWithWhatTheyCost) {
  sdk::AgentRun run;
  run.id = "r1";
  run.state = "awaiting_input";
  run.run_mode = "streaming";
  run.iteration_count = 2;
  run.usage.input_tokens = 12'300;
  run.microdollars = 1'003'876;
  run.created_at = sdk::Instant(std::chrono::seconds(10));
  run.prompt = "two\nlines";
  EXPECT_EQ(agent_rows(agent_runs_table(std::span(&run, 1), kLater)),
            "ID  STATE           MODE       CALLS  TOKENS       COST    AGE  PROMPT\n"
            "r1  awaiting_input  streaming      2   12.3k  $1.003876  1m00s  two?lines");
  EXPECT_EQ(format_cost(0), "-");
}

TEST(AgentTables, ShowExecutionsAndMessages) {
  sdk::ToolExecution execution;
  execution.id = "e1";
  execution.tool_name = "deploy";
  execution.state = "pending";
  execution.approval = "asked";
  execution.max_attempts = 2;
  execution.tool_input = R"({"v":1})";
  EXPECT_EQ(agent_rows(executions_table(std::span(&execution, 1))),
            "EXECUTION  TOOL    STATE    APPROVAL  TRIES  INPUT    OUTPUT\n"
            "e1         deploy  pending  asked       0/2  {\"v\":1}");
  EXPECT_EQ(blocks_text(R"([{"type":"text","text":"hi"},{"type":"tool_use","name":"t","input":{"a":1}},{"type":"image"}])"),
            "hi  → t {\"a\":1}  [image]");
  EXPECT_EQ(blocks_text("no json"), "");
}

TEST(AgentDocuments, FlagsArePutOverTheFile) {
  AgentArguments arguments;
  arguments.rename = "n";
  arguments.model = "new";
  arguments.max_tokens = 5;
  arguments.tools = {"t"};
  arguments.metadata = R"({"a":1})";
  arguments.tokens_per_run = 7;
  const auto document =
      agent_document(arguments, R"({"model":"old","description":"kept","budget":{"tokens_per_day":9}})", "space");
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(json::parse(*document), json::parse(R"({"model":"new","description":"kept","name":"n","max_tokens":5,
      "tool_names":["t"],"metadata":{"a":1},"budget":{"tokens_per_day":9,"tokens_per_run":7},"namespace":"space"})"));
  arguments.metadata = "{";
  EXPECT_FALSE(agent_document(arguments, "{}", "").ok());
  EXPECT_FALSE(agent_document({}, "[]", "").ok());
  arguments.metadata.clear();
  EXPECT_FALSE(agent_document(arguments, R"({"budget":5})", "").ok()) << "a budget is an object";
}

TEST(AgentDocuments, AnAgentIsChangedFromWhatTheServerShows) {
  sdk::Agent agent;
  agent.document = R"({"id":"i","name":"a","model":"m","created_at":"x","updated_at":"y","revision":4,"unknown":true})";
  EXPECT_EQ(json::parse(changeable_agent(agent)), json::parse(R"({"name":"a","model":"m","revision":4,"unknown":true})"));
}

TEST(AgentDocuments, AToolIsMadeOfFlags) {
  ToolArguments arguments;
  arguments.name = "t";
  arguments.description = "d";
  arguments.schema = R"({"type":"object"})";
  arguments.approval = "ask";
  arguments.timeout = sdk::Duration(2'000);
  arguments.arguments = {"{{input.x}}"};
  EXPECT_EQ(json::parse(*tool_document(arguments, "{}", "")), json::parse(R"({"name":"t","description":"d",
      "input_schema":{"type":"object"},"approval":"ask","timeout_ms":2000,"arguments":["{{input.x}}"]})"));
  arguments.schema = "@/nowhere/at/all";
  EXPECT_FALSE(tool_document(arguments, "{}", "").ok());
}

TEST(RunPrinters, PrintWordsAsTheyComeAndTheRestOnLinesOfItsOwn) {
  RunPrinter printer(false);
  const auto print = [&](std::string type, std::string text, std::string data) {
    return printer.text_of({.number = "1", .type = std::move(type), .text = std::move(text), .data = std::move(data)});
  };
  EXPECT_EQ(print("text_delta", "Let me ", "{}"), "Let me ");
  EXPECT_EQ(print("text_delta", "look\x1b[2J", "{}"), "look?[2J");
  EXPECT_EQ(print("tool_call", "", R"({"tool_name":"t","tool_input":{"a":1}})"), "\n→ t {\"a\":1}\n");
  EXPECT_EQ(print("tool_result", "", R"({"tool_name":"t","tool_output":"ok"})"), "← t ok\n");
  EXPECT_EQ(print("retry", "", R"({"error_message":"overloaded"})"), "again: overloaded\n");
  EXPECT_EQ(print("state", "", R"({"state":"completed"})"), "state: completed\n");
  EXPECT_EQ(print("block_start", "", "{}"), "");
  EXPECT_EQ(print("tool_call", "", "not json"), "");
  EXPECT_EQ(print("text_delta", "done\n", "{}"), "done\n");
  EXPECT_EQ(printer.end_line(), "");
}

}  // namespace
}  // namespace muster::cli
