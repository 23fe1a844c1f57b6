#include "agents/run_writes.h"

#include <gtest/gtest.h>

#include "agents/jobs.h"
#include "agents/rules_testing.h"
#include "agents/run_rules.h"
#include "agents/tool_outcomes.h"

namespace muster::agents {
namespace {

const Moment kMoment{kNow, WorkerId("agents-n")};

TEST(RunWrites, TheFirstCallBringsThePromptAndLaterOnesDoNot) {
  const Ids ids = counting_ids();
  store::AgentRunView view = pending_view();
  const auto first = begin_call(view, kMoment, ids);
  EXPECT_EQ(first.run.state, AgentRunState::streaming);
  EXPECT_EQ(first.run.iteration, 1U);
  ASSERT_EQ(first.messages.size(), 1U);
  EXPECT_EQ(first.iteration->trigger, IterationTrigger::user_prompt);
  view = after(view, first);
  view.run.state = AgentRunState::pending;
  view.iteration->response = MessageId{Uuid{1, 1}};
  view.iteration->has_tool_use = true;
  const auto second = begin_call(view, kMoment, ids);
  EXPECT_TRUE(second.messages.empty());
  EXPECT_EQ(second.iteration->number, 2U);
  EXPECT_EQ(second.iteration->trigger, IterationTrigger::tool_results);
  EXPECT_NE(second.iteration->id, first.iteration->id);
}

TEST(RunWrites, ACallThatWasLostIsMadeAgainInTheSameIteration) {
  const Ids ids = counting_ids();
  store::AgentRunView view = pending_view();
  view = after(view, begin_call(view, kMoment, ids));
  const auto again = begin_call(view, kMoment, ids);
  EXPECT_EQ(again.iteration->id, view.iteration->id);
  EXPECT_EQ(again.iteration->attempts, 2U);
  EXPECT_EQ(again.run.rescues, 1U);
  EXPECT_EQ(again.run.last_rescue_at, kNow);
  EXPECT_TRUE(again.messages.empty()) << "the prompt is there already";
}

TEST(RunWrites, ABrokenStreamKeepsWhatItSaid) {
  const Ids ids = counting_ids();
  store::AgentRunView view = pending_view();
  view = after(view, begin_call(view, kMoment, ids));
  const auto broken = call_broken(view, kRunStreamingError, "gone", "Once upon", kMoment);
  EXPECT_EQ(broken.run.state, AgentRunState::pending);
  EXPECT_EQ(broken.iteration->partial_text, "Once upon");
  EXPECT_EQ(broken.iteration->error_message, "gone");
  EXPECT_TRUE(may_call_again(*broken.iteration));
}

TEST(RunWrites, ResultsAreOneMessageInTheModelsOrder) {
  const Ids ids = counting_ids();
  store::AgentRunView view = pending_view();
  view.run.state = AgentRunState::pending_tools;
  for (std::uint32_t place : {1U, 0U, 2U}) {
    ToolExecution one;
    one.id = ToolExecutionId{Uuid{9, place}};
    one.place = place;
    one.tool_use_id = std::string(1, static_cast<char>('a' + place));
    one.state = ToolExecutionState::completed;
    one.output = "out " + one.tool_use_id;
    view.executions.push_back(one);
  }
  ToolExecution failed = view.executions[0];
  refuse(failed, "no", kNow);
  const auto write = tools_done(view, {{.execution = failed}}, {}, kMoment, ids);
  EXPECT_EQ(write.run.state, AgentRunState::pending);
  ASSERT_EQ(write.messages.size(), 1U);
  const auto blocks = json::parse(write.messages[0].blocks);
  ASSERT_TRUE(blocks.has_value());
  ASSERT_EQ(blocks->size(), 3U);
  EXPECT_EQ((*blocks)[0]["tool_use_id"], "a");
  EXPECT_EQ((*blocks)[1]["content"], "no");
  EXPECT_EQ((*blocks)[1]["is_error"], true);
  EXPECT_FALSE((*blocks)[2].contains("is_error"));
}

TEST(RunWrites, AnEndClosesWhatIsOpen) {
  const Ids ids = counting_ids();
  store::AgentRunView view = pending_view();
  view = after(view, begin_call(view, kMoment, ids));
  ToolExecution open;
  open.id = ToolExecutionId{Uuid{9, 1}};
  view.executions = {open};
  const auto write = run_cancelled(view, "enough", kNow);
  EXPECT_EQ(write.run.state, AgentRunState::cancelled);
  EXPECT_EQ(write.run.finalized_at, kNow);
  EXPECT_EQ(write.iteration->completed_at, kNow);
  ASSERT_EQ(write.executions.size(), 1U);
  EXPECT_EQ(write.executions[0].execution.state, ToolExecutionState::skipped);
  EXPECT_TRUE(write.executions[0].execution.completed_at.has_value());
}

TEST(RunRules, ARunStopsAtItsIterationsAndItsBudget) {
  store::AgentRunView view = pending_view();
  view.agent.spec.iterations_max = 2;
  EXPECT_FALSE(stop_reason(view, {}, {}).has_value());
  view.run.iteration = 2;
  EXPECT_EQ(stop_reason(view, {}, {})->error_type, kRunIterationsSpent);
  view.iteration = Iteration();
  EXPECT_FALSE(stop_reason(view, {}, {}).has_value()) << "the second call is made again";
  view.run.budget.tokens_per_run = 100;
  view.run.usage.input = 100;
  const auto spent = stop_reason(view, {}, {});
  ASSERT_TRUE(spent.has_value());
  EXPECT_EQ(spent->error_type, kRunBudgetSpent);
  EXPECT_EQ(spent->why, "the run has spent 100 of 100 tokens");
}

TEST(RunRules, EveryLimitOfABudgetCounts) {
  store::AgentRunView view = pending_view();
  store::SpendingView spent;
  spent.session.usage.output = 50;
  spent.agent_today.microdollars = 60;
  spent.namespace_today.usage.cache_read = 70;
  const auto why = [&](AgentBudget own, AgentBudget ns) {
    view.agent.spec.budget = own;
    const auto reason = stop_reason(view, ns, {.shared = spent});
    return reason ? reason->why : std::string();
  };
  EXPECT_EQ(why({.tokens_per_session = 51}, {}), "");
  EXPECT_EQ(why({.tokens_per_session = 50}, {}), "the session has spent 50 of 50 tokens");
  EXPECT_EQ(why({.microdollars_per_day = 10}, {}), "the agent today has spent 60 of 10 microdollars");
  EXPECT_EQ(why({}, {.tokens_per_day = 70}), "the namespace today has spent 70 of 70 tokens");
}

TEST(RunRules, ARunAnswersForWhatItHasOthersDo) {
  store::AgentRunView view = pending_view();
  view.run.budget.tokens_per_run = 100;
  view.run.usage.input = 40;
  EXPECT_EQ(stop_reason(view, {}, {.below = {.usage = {.output = 59}}}), std::nullopt);
  EXPECT_EQ(stop_reason(view, {}, {.below = {.usage = {.output = 60}}})->why, "the run has spent 100 of 100 tokens");
  view.run.budget = {};
  const RunSpending caller{.limits = {.microdollars_per_run = 7}, .spent = {.usage = {}, .microdollars = 8}};
  EXPECT_EQ(stop_reason(view, {}, {.above = {caller}})->why, "the run that called it has spent 8 of 7 microdollars");
}

Job finished(JobState state, std::optional<JobError> error = {}) {
  Job job;
  job.state = state;
  job.attempt = 2;
  job.worker = WorkerId("w");
  job.finished_at = kNow;
  job.error = std::move(error);
  return job;
}

std::optional<EndedExecution> ended(const Job& job) {
  return ended_execution(ToolExecution(), {.job = job}, counting_ids(), kNow);
}

TEST(ToolOutcomes, FailuresAreToldInTheirWords) {
  EXPECT_FALSE(ended(finished(JobState::running)).has_value());
  EXPECT_EQ(ended(finished(JobState::dead, JobError{"boom", "disk full"}))->execution.output, "disk full");
  EXPECT_EQ(ended(finished(JobState::dead, JobError{kToolCancel, "no"}))->execution.output, "tool cancelled: no");
  EXPECT_EQ(ended(finished(JobState::dead, JobError{kToolDiscard, "old"}))->execution.output, "tool discarded: old");
  EXPECT_EQ(ended(finished(JobState::cancelled))->execution.output, "tool cancelled");
  const auto lost = ended(finished(JobState::dead, JobError{kErrorRescueFailed, "lost 3 times"}));
  EXPECT_EQ(lost->execution.state, ToolExecutionState::failed);
  EXPECT_TRUE(lost->execution.is_error);
  EXPECT_EQ(lost->execution.attempts, 2U);
  EXPECT_EQ(lost->execution.claimed_by.text(), "w");
  EXPECT_TRUE(ended_execution(ToolExecution(), {.forgotten = true}, counting_ids(), kNow)->execution.is_error);
}

TEST(ToolOutcomes, AResultIsShownAsText) {
  Job job = finished(JobState::completed);
  EXPECT_EQ(ended(job)->execution.output, "");
  job.result = Content{.data = R"("a\nb")"};
  EXPECT_EQ(ended(job)->execution.output, "a\nb");
  job.result = Content{.data = R"({"a":1})"};
  EXPECT_EQ(ended(job)->execution.output, R"({"a":1})");
  job.result = Content{.data = "caf\xE9", .encoding = Encoding::bytes};
  EXPECT_EQ(ended(job)->execution.output, "caf\xEF\xBF\xBD\n[1 bytes were not UTF-8 and are shown as \xEF\xBF\xBD]");
}

TEST(ToolOutcomes, ALongOutputIsCutWithAMarkAndKeptWhole) {
  Job job = finished(JobState::completed);
  std::string text(limits::kToolOutputMax - 1, 'x');
  text += "\xC3\xA9 and more";
  job.result = Content{.data = text, .encoding = Encoding::bytes};
  const auto out = ended(job);
  ASSERT_TRUE(out->blob.has_value());
  EXPECT_EQ(out->blob->data, text);
  EXPECT_EQ(out->execution.whole_output, out->blob->id);
  EXPECT_TRUE(out->execution.output->ends_with("[cut: these are the first 1048575 of 1048586 bytes]")) << "no half characters";
}

TEST(ToolOutcomes, AChildsEndIsCopiedBack) {
  AgentRun child;
  EXPECT_FALSE(ended_execution(ToolExecution(), {.child = child}, counting_ids(), kNow).has_value());
  child.state = AgentRunState::completed;
  child.response_text = "found it";
  EXPECT_EQ(ended_execution(ToolExecution(), {.child = child}, counting_ids(), kNow)->execution.output, "found it");
  child.state = AgentRunState::failed;
  child.error_message = "no key";
  const auto failed = ended_execution(ToolExecution(), {.child = child}, counting_ids(), kNow);
  EXPECT_EQ(failed->execution.output, "the agent's run was failed: no key");
  EXPECT_TRUE(failed->execution.is_error);
}

TEST(Jobs, ABatchNamesItsMembers) {
  const BatchTask task{"b1", {{JobId{Uuid{1, 2}}, IterationId{Uuid{3, 4}}}}};
  const JobSpec job = batch_job(NamespaceName("n"), task, Duration(30'000));
  EXPECT_EQ(job.unique->key, "agent.batch:b1");
  const auto back = read_batch_task(job.payload);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->batch_id, "b1");
  EXPECT_EQ(back->members[0].iteration, task.members[0].iteration);
  EXPECT_FALSE(read_batch_task(Content{.data = R"({"batch":"b","members":[["x"]]})"}).has_value());
}

TEST(Jobs, RetriesWithJitterWaitTheFourthPower) {
  Tool tool = tool_named("x");
  tool.spec.retry_jitter = 0.1;
  tool.spec.attempts_max = 4;
  const RetryPolicy retry = tool_trial(tool, "{}").retry;
  EXPECT_EQ(retry.backoff_base, Duration(1'000));
  EXPECT_EQ(retry.backoff_factor, 16);
  EXPECT_EQ(retry.backoff_max, Duration(81'000));
  tool.spec.retry_jitter = 0;
  EXPECT_EQ(tool_trial(tool, "{}").retry.backoff_max, Duration(0));
}

TEST(Prices, TheLongestPrefixCounts) {
  const auto prices = Prices::parse({"claude=1/2", "claude-big=10/20/12.5/1"});
  ASSERT_TRUE(prices.ok());
  EXPECT_EQ(prices->microdollars("claude-small", {10, 10}), 30U);
  EXPECT_EQ(prices->microdollars("claude-big-4", {10, 10, 2, 10}), 335U);
  EXPECT_EQ(prices->microdollars("other", {10, 10}), 0U);
  for (const char* bad : {"claude", "=1/2", "claude=1", "claude=1/x", "claude=1/2/3", "claude=-1/2"})
    EXPECT_EQ(Prices::parse({bad}).code(), Code::invalid_argument) << bad;
}

}  // namespace
}  // namespace muster::agents
