#include "agents/outcome.h"

#include <gtest/gtest.h>

#include "agents/jobs.h"
#include "agents/rules_testing.h"

namespace muster::agents {
namespace {

class OutcomeTest : public testing::Test {
 protected:
  OutcomeTest() { view_ = after(view_, begin_call(view_, {kNow, WorkerId("agents-n")}, ids_)); }
  static std::string use(const std::string& id, const std::string& name, const std::string& input = "{}") {
    return R"({"type":"tool_use","id":")" + id + R"(","name":")" + name + R"(","input":)" + input + "}";
  }
  store::AgentRunWrite answered(const std::string& blocks, const std::string& stop = "end_turn") {
    claude::Answer answer{
        .id = "m", .model = "claude-x-1", .blocks = blocks, .stop_reason = stop, .stop_sequence = {}, .usage = {100, 20, 3, 4}};
    return on_answer({.view = view_, .answer = answer, .tools = set_, .lineage = lineage_, .prices = prices_},
                     {kNow, WorkerId("agents-n")}, ids_);
  }

  Ids ids_ = counting_ids();
  store::AgentRunView view_ = pending_view();
  ToolSet set_;
  std::vector<AgentId> lineage_{view_.agent.id};
  Prices prices_{Prices::parse({"claude=3/15/3.75/0.3"}).value()};
};

TEST_F(OutcomeTest, TextEndsTheRun) {
  const auto write =
      answered(R"([{"type":"text","text":"Hello "},{"type":"thinking","thinking":"x"},{"type":"text","text":"you"}])");
  EXPECT_EQ(write.run.state, AgentRunState::completed);
  EXPECT_EQ(write.run.previous_state, AgentRunState::streaming);
  EXPECT_EQ(write.run.response_text, "Hello you");
  EXPECT_EQ(write.run.stop_reason, "end_turn");
  EXPECT_EQ(write.run.finalized_at, kNow);
  EXPECT_EQ(write.run.usage, (TokenUsage{100, 20, 3, 4}));
  EXPECT_EQ(write.run.iterations, 1U);
  EXPECT_EQ(write.run.tool_iterations, 0U);
  EXPECT_EQ(write.run.microdollars, 613U) << "300 + 300 + 11.25 + 1.2, rounded up";
  EXPECT_EQ(write.spent.microdollars, 613U);
  ASSERT_EQ(write.messages.size(), 1U);
  EXPECT_EQ(write.iteration->response, write.messages[0].id);
  EXPECT_EQ(write.iteration->completed_at, kNow);
}

TEST_F(OutcomeTest, AnAnswerThatIsTooLongIsPaidForAndFailsTheRun) {
  const std::string text(limits::kMessageBytesMax, 'x');
  const auto write = answered(R"([{"type":"text","text":")" + text + R"("}])");
  EXPECT_EQ(write.run.state, AgentRunState::failed);
  EXPECT_EQ(write.run.error_type, kRunProcessingError);
  EXPECT_EQ(write.run.error_message, "the answer has 16777243 bytes; at most 16777216 are kept");
  EXPECT_TRUE(write.messages.empty());
  EXPECT_EQ(write.run.usage, (TokenUsage{100, 20, 3, 4}));
  EXPECT_EQ(write.spent.microdollars, 613U);
  EXPECT_EQ(write.spent_for, lineage_);
  EXPECT_EQ(write.iteration->completed_at, kNow);
}

TEST_F(OutcomeTest, EveryStopReasonWithoutACallIsAnEnd) {
  for (const char* stop : {"max_tokens", "stop_sequence", "refusal", "model_context_window_exceeded"})
    EXPECT_EQ(answered(R"([{"type":"text","text":"x"}])", stop).run.state, AgentRunState::completed) << stop;
}

TEST_F(OutcomeTest, APausedTurnGoesOnWithWhatWasSaid) {
  const std::string blocks =
      R"([{"type":"thinking","thinking":"so","signature":"s=="},{"type":"server_tool_use","id":"s1","name":"web_search","input":{"q":1.50}},{"type":"text","text":"One, "}])";
  const auto paused = answered(blocks, "pause_turn");
  EXPECT_EQ(paused.run.state, AgentRunState::pending);
  EXPECT_FALSE(paused.run.finalized_at.has_value());
  EXPECT_EQ(paused.messages.at(0).blocks, blocks) << "byte for byte: signatures are over it";
  view_ = after(view_, paused);
  const auto next = begin_call(view_, {kNow, WorkerId("agents-n")}, ids_);
  EXPECT_EQ(next.iteration->trigger, IterationTrigger::continuation);
  view_ = after(view_, next);
  const auto ended = answered(R"([{"type":"text","text":"two."}])");
  EXPECT_EQ(ended.run.state, AgentRunState::completed);
  EXPECT_EQ(ended.run.response_text, "One, two.") << "the turn is one text";
}

TEST_F(OutcomeTest, SpendingCountsForEveryAgentAbove) {
  lineage_.push_back(AgentId{Uuid{2, 9}});
  EXPECT_EQ(answered(R"([{"type":"text","text":"x"}])").spent_for, lineage_);
}

TEST_F(OutcomeTest, CallsBecomeJobsInTheModelsOrder) {
  set_ = tool_set({tool_named("lint"), tool_named("test")}, {});
  view_.session.variables = R"({"x":1,"y":"session"})";
  view_.run.variables = R"({"y":"run","deep":{"no":1}})";
  const auto write = answered("[" + use("a", "test", R"({"n":1})") + "," + use("b", "lint") + "]", "max_tokens");
  EXPECT_EQ(write.run.state, AgentRunState::pending_tools) << "a call counts, whatever the stop reason";
  EXPECT_EQ(write.run.tool_iterations, 1U);
  ASSERT_EQ(write.executions.size(), 2U);
  const store::ExecutionWrite& first = write.executions[0];
  EXPECT_EQ(first.execution.place, 0U);
  EXPECT_EQ(first.execution.tool.text(), "test");
  EXPECT_EQ(first.execution.state, ToolExecutionState::pending);
  ASSERT_TRUE(first.job.has_value());
  EXPECT_EQ(first.job->type.text(), "test");
  EXPECT_EQ(first.job->queue.text(), "tools");
  EXPECT_EQ(first.job->payload.data, R"({"n":1})");
  EXPECT_EQ(first.job->needs, CapabilitySet({"tool:test"}));
  EXPECT_EQ(first.job->retry.attempts_max, 2U);
  EXPECT_EQ(first.job->timeout, Duration(300'000));
  EXPECT_EQ(first.job->labels.at("var.x"), "1");
  EXPECT_EQ(first.job->labels.at("var.y"), "run");
  EXPECT_EQ(first.job->labels.at(kLabelRun), view_.run.id.text());
  EXPECT_EQ(first.job->labels.count("var.deep"), 0U);
}

TEST_F(OutcomeTest, AnUnknownToolIsAnErrorAtOnce) {
  set_ = tool_set({tool_named("lint")}, {});
  const auto write = answered("[" + use("a", "rm_rf") + "]");
  EXPECT_EQ(write.run.state, AgentRunState::pending_tools);
  EXPECT_EQ(write.executions[0].execution.state, ToolExecutionState::failed);
  EXPECT_TRUE(write.executions[0].execution.is_error);
  EXPECT_FALSE(write.executions[0].job.has_value());
  EXPECT_EQ(write.executions[0].execution.output, "There is no tool named 'rm_rf'. Tools: lint.");
}

TEST_F(OutcomeTest, AnInputThatTheSchemaRefusesRunsNothing) {
  set_ = tool_set({tool_named("add", R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})")}, {});
  const auto write =
      answered("[" + use("a", "add", R"({"n":"one"})") + "," + use("b", "add", R"({"INVALID_JSON":"{\"n\":"})") + "]");
  for (const store::ExecutionWrite& one : write.executions) {
    EXPECT_FALSE(one.job.has_value());
    EXPECT_EQ(one.execution.state, ToolExecutionState::failed);
  }
  EXPECT_NE(write.executions[0].execution.output->find("/n"), std::string::npos) << *write.executions[0].execution.output;
  EXPECT_EQ(write.executions[1].execution.output, "The input is wrong: it is not whole JSON.");
}

TEST_F(OutcomeTest, AToolThatAsksWaitsWithoutAJob) {
  Tool asks = tool_named("pay");
  asks.spec.approval = ToolApproval::ask;
  set_ = tool_set({asks, tool_named("look")}, {});
  const auto write = answered("[" + use("a", "pay") + "," + use("b", "look") + "]");
  EXPECT_EQ(write.run.state, AgentRunState::awaiting_input);
  EXPECT_EQ(write.executions[0].execution.approval, ApprovalState::asked);
  EXPECT_FALSE(write.executions[0].job.has_value());
  EXPECT_TRUE(write.executions[1].job.has_value());
}

TEST_F(OutcomeTest, ADelegateIsARunOfItsOwn) {
  view_.run.variables = R"({"x":1})";
  set_ = tool_set({}, {agent_named("helper", 9)});
  const auto write = answered("[" + use("a", "helper", R"({"task":"dig"})") + "]");
  ASSERT_TRUE(write.executions[0].child.has_value());
  const AgentRun& child = write.executions[0].child->run;
  EXPECT_EQ(child.agent, (AgentId{Uuid{2, 9}}));
  EXPECT_EQ(child.depth, 1U);
  EXPECT_EQ(child.prompt, "dig");
  EXPECT_EQ(child.variables, R"({"x":1})");
  EXPECT_EQ(child.session, view_.run.session);
  EXPECT_EQ(child.parent, view_.run.id);
  EXPECT_EQ(child.parent_execution, write.executions[0].execution.id);
  EXPECT_EQ(write.executions[0].child->job.run->parent->run, view_.run.id);
  EXPECT_EQ(write.executions[0].execution.state, ToolExecutionState::running);
}

TEST_F(OutcomeTest, LoopsAndTooDeepChainsOfAgentsAreErrors) {
  set_ = tool_set({}, {agent_named("helper", 9)});
  lineage_.push_back(AgentId{Uuid{2, 9}});
  auto write = answered("[" + use("a", "helper", R"({"task":"dig"})") + "]");
  EXPECT_FALSE(write.executions[0].child.has_value());
  EXPECT_NE(write.executions[0].execution.output->find("at work above"), std::string::npos);
  lineage_.pop_back();
  view_.run.depth = kDelegateDepthMax;
  write = answered("[" + use("a", "helper", R"({"task":"dig"})") + "]");
  EXPECT_FALSE(write.executions[0].child.has_value());
  view_.run.depth = 0;
  write = answered("[" + use("a", "helper", R"({"task":""})") + "]");
  EXPECT_FALSE(write.executions[0].child.has_value());
}

TEST_F(OutcomeTest, IdsThatTheModelUsedTwiceAreMadeDifferent) {
  set_ = tool_set({tool_named("x")}, {});
  const auto write = answered("[" + use("a", "x") + "," + use("a", "x") + "]");
  EXPECT_EQ(write.executions[0].execution.tool_use_id, "a");
  EXPECT_EQ(write.executions[1].execution.tool_use_id, "a_2");
  EXPECT_NE(write.messages[0].blocks.find(R"("id":"a_2")"), std::string::npos);
}

}  // namespace
}  // namespace muster::agents
