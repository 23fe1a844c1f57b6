// Runs in batches: one batch for those that are due together, and an end or a retry for every line.
#include "agents/batch_poll.h"
#include "agents/batcher.h"
#include "agents/run_writes.h"
#include "agents/stage_testing.h"

namespace muster::agents {
namespace {

using namespace std::chrono_literals;
using claude::BatchLine;
using claude::BatchLineType;
using claude::BatchRequest;
using claude::ScriptedApi;
using claude::text_answer;
using claude::tool_answer;
using claude::tool_block;

class BatchTest : public Stage {
 protected:
  BatchTest() {
    api_ = std::make_shared<ScriptedApi>([](const std::string&) -> Result<claude::Answer> { return text_answer("ok"); });
    settings_.poll_interval = 10s;
  }
  void lines(std::function<std::optional<BatchLine>(const BatchRequest&)> script) { api_->on_batch_line(std::move(script)); }
  static BatchLine line(const BatchRequest& request, BatchLineType type) {
    BatchLine out;
    out.custom_id = request.custom_id;
    out.type = type;
    if (type == BatchLineType::succeeded) out.answer = text_answer("ok");
    return out;
  }
};

TEST_F(BatchTest, RunsThatAreDueTogetherShareOneBatchAndOnePoll) {
  api_->set_polls_until_ended(3);
  start_node();
  agent("plain");
  std::vector<JobId> runs;
  for (int i = 0; i < 25; ++i) runs.push_back(begin("plain", "hi " + std::to_string(i), RunMode::batch).id);
  EXPECT_EQ(state(runs[0]), AgentRunState::batch_submitting);
  pass(2s);
  EXPECT_EQ(api_->asked("create_batch"), 1U);
  EXPECT_EQ(state(runs[24]), AgentRunState::batch_pending);
  EXPECT_EQ(job(runs[24]).state, JobState::scheduled) << "parked";
  pass(11s);
  EXPECT_EQ(state(runs[7]), AgentRunState::batch_processing);
  pass(30s);
  for (const JobId run : runs) {
    EXPECT_EQ(state(run), AgentRunState::completed);
    EXPECT_EQ(job(run).state, JobState::completed);
  }
  EXPECT_EQ(api_->asked("create_batch"), 1U);
  EXPECT_EQ(api_->asked("get_batch"), 3U) << "one poll a batch, not a run";
  EXPECT_EQ(api_->asked("batch_results"), 1U);
  const auto seen = look(runs[3]);
  EXPECT_EQ(seen.iterations[0].batch_id, "msgbatch_1");
  EXPECT_EQ(seen.iterations[0].batch_status, BatchStatus::ended);
  EXPECT_FALSE(seen.iterations[0].streaming);
}

TEST_F(BatchTest, ABatchIsBoundedByItsCount) {
  settings_.batch_count_max = 10;
  start_node();
  agent("plain");
  for (int i = 0; i < 25; ++i) begin("plain", "hi", RunMode::batch);
  pass(2s);
  EXPECT_EQ(api_->asked("create_batch"), 3U);
}

TEST_F(BatchTest, ToolsOfABatchRunGoOnInTheNextBatch) {
  api_ = std::make_shared<ScriptedApi>([](const std::string& params) -> Result<claude::Answer> {
    if (params.find("tool_result") == std::string::npos) return tool_answer({tool_block("t1", "lint")});
    return text_answer("clean");
  });
  start_node();
  tool("lint");
  agent("code", {"lint"});
  const AgentRun run = begin("code", "check", RunMode::batch);
  pass(15s);
  EXPECT_EQ(state(run.id), AgentRunState::pending_tools);
  answer(take_tools({"lint"}).at(0), "1");
  pass(15s);
  const auto seen = look(run.id);
  EXPECT_EQ(seen.run.state, AgentRunState::completed);
  EXPECT_EQ(seen.iterations.size(), 2U);
  EXPECT_EQ(api_->asked("create_batch"), 2U);
}

TEST_F(BatchTest, ARequestThatTheApiCannotTakeFailsAlone) {
  const auto is_bad = [](const BatchRequest& one) { return one.params.find("too long") != std::string::npos; };
  api_->on_create_batch([is_bad](const std::vector<BatchRequest>& requests) {
    return std::any_of(requests.begin(), requests.end(), is_bad) ? Status::invalid_argument("the request is too long") : Status();
  });
  start_node();
  agent("plain");
  std::vector<JobId> runs;
  for (int i = 0; i < 5; ++i) runs.push_back(begin("plain", i == 3 ? "too long" : "hi", RunMode::batch).id);
  pass(15s);
  for (std::size_t i = 0; i < runs.size(); ++i)
    EXPECT_EQ(state(runs[i]), i == 3 ? AgentRunState::failed : AgentRunState::completed) << i;
}

TEST_F(BatchTest, ARunThatIsCancelledInTheWindowIsNotSent) {
  start_node();
  agent("plain");
  const AgentRun kept = begin("plain", "stays", RunMode::batch);
  const AgentRun gone = begin("plain", "goes", RunMode::batch);
  ASSERT_TRUE(ask(command::AgentRunCancelRequest{.run = gone.id, .reason = "enough"}).ok());
  pass(2s);
  ASSERT_EQ(api_->asked("create_batch"), 1U);
  EXPECT_EQ(api_->asked().at(0).text.find("goes"), std::string::npos) << "nobody is to pay for it";
  EXPECT_EQ(state(kept.id), AgentRunState::batch_pending);
  pass(15s);
  const AgentRun alone = begin("plain", "goes too", RunMode::batch);
  ASSERT_TRUE(ask(command::AgentRunCancelRequest{.run = alone.id, .reason = "enough"}).ok());
  pass(2s);
  EXPECT_EQ(api_->asked("create_batch"), 1U) << "a batch without requests is none";
}

TEST_F(BatchTest, Case54ExpiredAndCancelledLinesEndTheRunAtOnce) {
  lines([](const BatchRequest& request) -> std::optional<BatchLine> {
    return line(request, request.params.find("first") != std::string::npos ? BatchLineType::expired : BatchLineType::canceled);
  });
  start_node();
  agent("plain");
  const AgentRun first = begin("plain", "first", RunMode::batch);
  const AgentRun second = begin("plain", "second", RunMode::batch);
  pass(15s);
  EXPECT_EQ(look(first.id).run.state, AgentRunState::failed);
  EXPECT_EQ(look(first.id).run.error_type, kRunBatchError);
  EXPECT_EQ(look(first.id).run.error_message, "the batch expired before the request was answered");
  EXPECT_EQ(look(second.id).run.error_message, "the batch was cancelled before the request was answered");
  EXPECT_EQ(job(first.id).state, JobState::dead);
}

TEST_F(BatchTest, ErroredLinesAreRetriedWhenTheFaultIsTheApis) {
  int errors = 0;
  lines([&errors](const BatchRequest& request) -> std::optional<BatchLine> {
    BatchLine out = line(request, BatchLineType::errored);
    const bool bad = request.params.find("bad") != std::string::npos;
    if (!bad && ++errors > 1) return line(request, BatchLineType::succeeded);
    out.error_type = bad ? "invalid_request_error" : "api_error";
    out.error_message = bad ? "messages: too long" : "Internal server error";
    out.retryable = !bad;
    return out;
  });
  start_node();
  agent("plain");
  const AgentRun good = begin("plain", "good", RunMode::batch);
  const AgentRun bad = begin("plain", "bad", RunMode::batch);
  pass(15s);
  EXPECT_EQ(look(bad.id).run.error_message, "invalid_request_error: messages: too long");
  pass(15s);
  EXPECT_EQ(state(good.id), AgentRunState::completed);
  EXPECT_EQ(look(good.id).iterations[0].attempts, 2U);
  EXPECT_EQ(messages(good.session).size(), 2U) << "the prompt once";
}

TEST_F(BatchTest, AMissingLineIsRetriedAndNotForEver) {
  lines([](const BatchRequest&) { return std::optional<BatchLine>(); });
  start_node();
  agent("plain");
  const AgentRun run = begin("plain", "hi", RunMode::batch);
  pass(60s);
  const auto seen = look(run.id);
  EXPECT_EQ(seen.run.state, AgentRunState::failed);
  EXPECT_EQ(seen.run.error_type, kRunBatchError);
  EXPECT_EQ(api_->asked("create_batch"), kCallAttemptsMax);
}

TEST_F(BatchTest, CancelMidBatchCancelsTheBatchWithItsLastRun) {
  api_->set_polls_until_ended(1'000);
  start_node();
  agent("plain");
  const AgentRun first = begin("plain", "1", RunMode::batch);
  const AgentRun second = begin("plain", "2", RunMode::batch);
  pass(15s);
  ASSERT_TRUE(ask(command::AgentRunCancelRequest{.run = first.id, .reason = "enough"}).ok());
  pass(15s);
  EXPECT_EQ(state(first.id), AgentRunState::cancelled);
  EXPECT_EQ(api_->asked("cancel_batch"), 0U) << "the other one still wants its answer";
  ASSERT_TRUE(ask(command::AgentRunCancelRequest{.run = second.id, .reason = "enough"}).ok());
  pass(1s);
  EXPECT_EQ(api_->asked("cancel_batch"), 1U) << "at once: the poll is woken";
}

TEST_F(BatchTest, ARescueNeverDoublesABatch) {
  api_->set_polls_until_ended(4);
  start_node();
  agent("plain");
  const AgentRun run = begin("plain", "hi", RunMode::batch);
  pass(2s);
  EXPECT_EQ(state(run.id), AgentRunState::batch_pending);
  for (int i = 0; i < 3; ++i) {
    crash();
    pass(70s);
    start_node();
  }
  pass(90s);
  EXPECT_EQ(state(run.id), AgentRunState::completed);
  EXPECT_EQ(api_->asked("create_batch"), 1U);
  EXPECT_EQ(look(run.id).iterations[0].attempts, 1U);
}

TEST_F(BatchTest, ARunThatWasNotToldOfItsBatchFindsIt) {
  api_->set_polls_until_ended(20);
  start_node();
  agent("plain");
  const AgentRun run = begin("plain", "hi", RunMode::batch);
  // The batch is accepted and its poll enqueued; the node dies before the run hears of it.
  bool died = false;
  scripted_.on(store::Verb::write_agent_run, [&died](store::AgentRunWrite, Reply<store::AgentRunWritten>) { died = true; });
  pass(2s);
  ASSERT_TRUE(died);
  EXPECT_EQ(api_->asked("create_batch"), 1U);
  crash();
  scripted_.off(store::Verb::write_agent_run);
  EXPECT_EQ(state(run.id), AgentRunState::batch_submitting);
  pass(65s);
  start_node();
  pass(5s);
  EXPECT_EQ(look(run.id).iterations[0].batch_id, "msgbatch_1");
  EXPECT_EQ(api_->asked("create_batch"), 1U);
  pass(5min);
  EXPECT_EQ(state(run.id), AgentRunState::completed);
}

TEST_F(BatchTest, APollThatTheStoreRefusesForAMomentGoesOn) {
  api_->set_polls_until_ended(3);
  start_node();
  agent("plain");
  const AgentRun run = begin("plain", "hi", RunMode::batch);
  pass(2s);
  refuse_snoozes(2);
  pass(1min);
  EXPECT_EQ(refusals_, 0U);
  EXPECT_EQ(state(run.id), AgentRunState::completed);
}

// A batch is looked at once in its interval, whatever happens to its runs meanwhile, and by one node.
TEST_F(BatchTest, Case38ABatchIsPolledOnceInAnInterval) {
  settings_.poll_interval = 30s;
  api_->set_polls_until_ended(10);
  start_node();
  agent("plain");
  begin("plain", "hi", RunMode::batch);
  pass(2s);
  ASSERT_EQ(api_->asked("create_batch"), 1U);
  while (api_->asked("get_batch") == 0) pass(1s);
  pass(29s);
  EXPECT_EQ(api_->asked("get_batch"), 1U);
  pass(2s);
  EXPECT_EQ(api_->asked("get_batch"), 2U);
}

// More is read when what was read is written.
TEST_F(BatchTest, ResultsAreReadNoFasterThanTheyAreWritten) {
  const std::string long_text(kBatchBytesHeldMax / 4, 'x');
  api_ = std::make_shared<ScriptedApi>([&](const std::string&) -> Result<claude::Answer> { return text_answer(long_text); });
  start_node();
  agent("plain");
  std::vector<JobId> runs;
  for (int i = 0; i < 6; ++i) runs.push_back(begin("plain", "hi", RunMode::batch).id);
  pass(settings_.batch_window * kWindowsMax + settings_.poll_interval * 3);
  for (const JobId run : runs) EXPECT_EQ(state(run), AgentRunState::completed);
  EXPECT_EQ(api_->asked("batch_results"), 1U);
  EXPECT_EQ(api_->lines_too_many(), 2U) << "of those after the fourth this client would have read none before they were written";
}

TEST_F(BatchTest, BeatsNameThePollThatIsInHand) {
  api_->set_polls_until_ended(3);
  start_node();
  agent("plain");
  begin("plain", "hi", RunMode::batch);
  pass(2s);
  api_->hold();
  pass(1min);
  EXPECT_EQ(api_->asked("get_batch"), 1U) << "and it is not handed back to be polled again";
  api_->let_go();
}

TEST_F(BatchTest, APollThatIsGoneIsStartedAgain) {
  api_->set_polls_until_ended(5);
  start_node();
  agent("plain");
  const AgentRun run = begin("plain", "hi", RunMode::batch);
  pass(2s);
  ASSERT_TRUE(
      ask(command::JobCancelRequest{.cancel = {.job = *look(run.id).iterations[0].batch_job, .reason = "oops", .at_once = true}})
          .ok());
  pass(3min);
  EXPECT_EQ(state(run.id), AgentRunState::completed);
  EXPECT_EQ(api_->asked("create_batch"), 1U);
}

}  // namespace
}  // namespace muster::agents
