// Contract: what belongs together is written in one commit at the revision that was read, or nothing is.
#include <thread>

#include "store/contract/agent_testing.h"

namespace muster::store::contract {
namespace {

class AgentWriteContract : public AgentContract {
 protected:
  void SetUp() override {
    AgentContract::SetUp();
    agent_ = make_agent();
    session_ = make_session();
    run_ = start(session_, agent_);
  }
  std::vector<ToolExecution> executions(ExecutionQuery query, int line = __builtin_LINE()) {
    return must(client().list_executions(std::move(query)), line).executions;
  }
  std::vector<ToolExecutionId> ids(ExecutionQuery query, int line = __builtin_LINE()) {
    std::vector<ToolExecutionId> out;
    for (const ToolExecution& one : executions(std::move(query), line)) out.push_back(one.id);
    return out;
  }
  // Nothing but the start of the run is there.
  void expect_untouched() {
    EXPECT_EQ(run_now(run_), run_);
    EXPECT_TRUE(messages_of(session_).empty());
    EXPECT_TRUE(must(client().list_iterations({run_.id})).iterations.empty());
    EXPECT_TRUE(executions({.ns = kDefault}).empty());
    EXPECT_EQ(list_all({}).size(), 1u);
    EXPECT_EQ(must(client().list_agent_runs({.ns = kDefault})).runs.size(), 1u);
    EXPECT_EQ(must(client().get_spending({.ns = kDefault, .session = session_.id, .day = now()})).session, Spending());
  }
  // A write with one of everything.
  AgentRunWrite everything(const Iteration& iteration) {
    AgentRunWrite out = with_iteration(run_, iteration);
    out.run.state = AgentRunState::pending_tools;
    out.messages = {said(MessageRole::user, "x")};
    out.executions = {{.execution = an_execution(iteration, 0), .job = tool_job()},
                      {.execution = an_execution(iteration, 1), .child = a_child(run_, agent_)}};
    out.blobs = {{fresh(), "data"}};
    out.spent = {{.input = 1}, 1};
    return out;
  }

  Agent agent_;
  AgentSession session_;
  AgentRun run_;
};

using Ids = std::vector<ToolExecutionId>;

TEST_P(AgentWriteContract, TheRunIsThereAsItWasWritten) {
  advance(1s);
  AgentRun run = run_;
  run.state = AgentRunState::failed;
  run.previous_state = AgentRunState::batch_processing;
  run.iteration = 3;
  run.iteration_id = IterationId{fresh()};
  run.response_text = kOddText;
  run.stop_reason = "end_turn";
  run.usage = {1, 2, 3, 4};
  run.microdollars = 5;
  run.iterations = 6;
  run.tool_iterations = 7;
  run.error_type = std::string(kRunBatchError);
  run.error_message = kOddText;
  run.claimed_by = WorkerId("agents-n1");
  run.claimed_at = now();
  run.rescues = 8;
  run.last_rescue_at = now() - 1s;
  run.started_at = now() - 500ms;
  run.finalized_at = now();
  const AgentRunWritten written = write({run});
  EXPECT_GT(written.run.revision, run_.revision);
  AgentRun expected = run;
  expected.revision = written.run.revision;
  EXPECT_EQ(written.run, expected);
  restart();
  crash();
  EXPECT_EQ(run_now(run_), expected);
}

TEST_P(AgentWriteContract, OfTwoWritesAtOneRevisionOneIsMade) {
  const AgentRunWritten first = say(run_, {"mine"});
  const AgentRunWrite late{.run = run_, .messages = {said(MessageRole::user, "too late")}};
  EXPECT_EQ(client().write_agent_run(late).code(), Code::conflict);
  EXPECT_EQ(messages_of(session_).size(), 1u);
  EXPECT_EQ(run_now(run_), first.run);
}

TEST_P(AgentWriteContract, OfManyWritersAtOneRevisionOneWins) {
  if (!harness().threaded() || harness().faulty()) GTEST_SKIP() << "needs threads, and answers that are not lost";
  constexpr std::size_t kWriters = 4, kRounds = 10;
  for (std::size_t round = 1; round <= kRounds; ++round) {
    const Iteration iteration = an_iteration(static_cast<std::uint32_t>(round));
    std::vector<AgentRunWrite> writes;
    for (std::size_t i = 0; i < kWriters; ++i) {
      AgentRunWrite one = with_iteration(run_, an_iteration(static_cast<std::uint32_t>(round)));
      one.messages = {said(MessageRole::user, std::to_string(i))};
      one.executions = {{.execution = an_execution(*one.iteration), .job = tool_job()}};
      writes.push_back(std::move(one));
    }
    std::vector<Code> codes(kWriters);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kWriters; ++i)
      threads.emplace_back([&, i] { codes[i] = Client(harness()).write_agent_run(writes[i]).code(); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(std::count(codes.begin(), codes.end(), Code::ok), 1);
    EXPECT_EQ(std::count(codes.begin(), codes.end(), Code::conflict), static_cast<std::ptrdiff_t>(kWriters) - 1);
    run_ = run_now(run_);
  }
  EXPECT_EQ(messages_of(session_).size(), kRounds);
  EXPECT_EQ(must(client().list_iterations({run_.id})).iterations.size(), kRounds);
  EXPECT_EQ(list_all({}).size(), kRounds + 1);
}

TEST_P(AgentWriteContract, AFinalRunStaysAsItIs) {
  for (const AgentRunState state : {AgentRunState::completed, AgentRunState::cancelled, AgentRunState::failed}) {
    const AgentRun ended = end(start(session_, agent_), state);
    AgentRun again = ended;
    again.state = AgentRunState::pending;
    again.finalized_at.reset();
    EXPECT_EQ(client().write_agent_run({again}).code(), Code::conflict);
    again = ended;
    again.response_text = "zombie";
    EXPECT_EQ(client().write_agent_run({again}).code(), Code::conflict);
    EXPECT_EQ(run_now(ended), ended);
  }
}

TEST_P(AgentWriteContract, AFinalStateHasItsTimeAndNoOtherHas) {
  AgentRun run = run_;
  run.state = AgentRunState::completed;
  EXPECT_EQ(client().write_agent_run({run}).code(), Code::invalid_argument);
  run.state = AgentRunState::streaming;
  run.finalized_at = now();
  EXPECT_EQ(client().write_agent_run({run}).code(), Code::invalid_argument);
  const Iteration iteration = an_iteration();
  for (const bool final : {true, false}) {
    ToolExecution execution = an_execution(iteration);
    execution.state = final ? ToolExecutionState::failed : ToolExecutionState::running;
    if (!final) execution.completed_at = now();
    AgentRunWrite one = with_iteration(run_, iteration);
    one.executions = {{execution}};
    EXPECT_EQ(client().write_agent_run(one).code(), Code::invalid_argument);
  }
  expect_untouched();
}

TEST_P(AgentWriteContract, AnIterationIsThereAsItWasWrittenAndReplacedById) {
  Iteration given = an_iteration(1);
  given.trigger = IterationTrigger::tool_results;
  given.batch_id = "msgbatch_1";
  given.batch_job = run_.id;
  given.batch_status = BatchStatus::canceling;
  given.batch_submitted_at = now();
  given.batch_completed_at = now() + 1s;
  given.batch_expires_at = now() + 24h;
  given.batch_polls = 3;
  given.batch_polled_at = now() + 2s;
  given.attempts = 2;
  given.partial_text = kOddText;
  given.usage = {1, 2, 3, 4};
  given.created_at = now();
  given.started_at = now();
  write({.run = run_, .iteration = given});
  Iteration expected = given;
  expected.run = run_.id;
  EXPECT_EQ(must(client().list_iterations({run_.id})).iterations.at(0), expected);
  Iteration changed = expected;
  changed.streaming = true;
  changed.batch_status.reset();
  changed.batch_id.clear();
  changed.batch_job.reset();
  changed.streaming_started_at = now();
  changed.streaming_completed_at = now();
  changed.response = MessageId{fresh()};
  changed.has_tool_use = true;
  changed.executions = 2;
  changed.stop_reason = "tool_use";
  changed.microdollars = 77;
  changed.error_type = "streaming_error";
  changed.error_message = kOddText;
  changed.completed_at = now();
  const Iteration second = an_iteration(2);
  write({.run = write({.run = run_now(run_), .iteration = changed}).run, .iteration = second});
  crash();
  const IterationList all = must(client().list_iterations({run_.id}));
  ASSERT_EQ(all.iterations.size(), 2u);
  EXPECT_EQ(all.iterations[0], changed) << "oldest first";
  EXPECT_EQ(all.iterations[1].id, second.id);
}

TEST_P(AgentWriteContract, ARunHasOneIterationOfANumber) {
  run_ = write(with_iteration(run_, an_iteration(1))).run;
  AgentRunWrite again = with_iteration(run_, an_iteration(1));
  again.messages = {said(MessageRole::user, "x")};
  EXPECT_EQ(client().write_agent_run(again).code(), Code::conflict);
  EXPECT_TRUE(messages_of(session_).empty());
  EXPECT_EQ(run_now(run_), run_);
  const AgentRun other = start(make_session(), agent_);
  write(with_iteration(other, an_iteration(1)));
  Iteration stolen = must(client().list_iterations({run_.id})).iterations.at(0);
  stolen.number = 2;
  EXPECT_EQ(client().write_agent_run(with_iteration(run_now(other), stolen)).code(), Code::conflict) << "it is another run's";
}

TEST_P(AgentWriteContract, MessagesAreNumberedInTheirOrder) {
  const AgentSession before = session_now(session_);
  advance(1s);
  AgentMessage first = said(MessageRole::user, "one");
  first.number = 99;
  first.created_at = now() - 1h;
  first.metadata = R"({"k": "v"})";
  first.preserved = true;
  AgentMessage second = said(MessageRole::assistant, "two");
  second.usage = {10, 20, 30, 40};
  second.summary = true;
  const AgentRunWritten written = write({.run = run_, .messages = {first, second}});
  EXPECT_EQ(written.messages, (Numbers{1, 2}));
  const AgentSession after = session_now(session_);
  EXPECT_NE(after.revision, before.revision);
  EXPECT_EQ(after.updated_at, now());
  first.number = 1;
  second.number = 2;
  for (AgentMessage* one : {&first, &second}) {
    one->session = session_.id;
    one->run = run_.id;
    one->created_at = now();
  }
  EXPECT_EQ(messages_of(session_), (std::vector<AgentMessage>{first, second}));
  run_ = say(written.run, {"three"}).run;
  AgentRunWrite same_id{.run = run_, .messages = {said(MessageRole::user, "x"), first}};
  EXPECT_EQ(client().write_agent_run(same_id).code(), Code::already_exists);
  end(run_);
  EXPECT_EQ(say(start(session_, agent_), {"four", "five"}).messages, (Numbers{4, 5})) << "of all runs of the session";
  crash();
  EXPECT_EQ(numbers_of(messages_of(session_)), (Numbers{1, 2, 3, 4, 5}));
}

TEST_P(AgentWriteContract, AnyTextComesBackAsItWas) {
  AgentMessage odd = said(MessageRole::user, "");
  odd.blocks = R"([{"type":"text","text":"it's \"so\" \\ \n 漢 🦊 '; --","n":1.0,"z":  [1,  2]}])";
  AgentMessage large = said(MessageRole::user, std::string(1024 * 1024, 'x') + "🦊");
  const Iteration iteration = an_iteration();
  ToolExecution execution = an_execution(iteration);
  execution.input = R"({"q":"ä 'x' \"y\" 🦊"})";
  execution.output = std::string(1024 * 1024, 'o') + kOddText;
  AgentRunWrite one = with_iteration(run_, iteration);
  one.messages = {odd, large};
  one.executions = {{execution}};
  write(std::move(one));
  restart();
  const std::vector<AgentMessage> found = messages_of(session_);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].blocks, odd.blocks);
  EXPECT_EQ(found[1].blocks, large.blocks);
  EXPECT_EQ(executions({.ns = kDefault}).at(0).input, execution.input);
  EXPECT_EQ(executions({.ns = kDefault}).at(0).output, execution.output);
}

TEST_P(AgentWriteContract, MessagesAreReadInPagesOfCountAndBytes) {
  run_ = say(run_, {"1", "2", "3", "4", "5"}).run;
  MessagePage page = must(client().list_messages({.session = session_.id, .limit = 2}));
  EXPECT_EQ(numbers_of(page.messages), (Numbers{1, 2}));
  EXPECT_TRUE(page.more);
  page = must(client().list_messages({.session = session_.id, .after = 2, .limit = 3}));
  EXPECT_EQ(numbers_of(page.messages), (Numbers{3, 4, 5}));
  EXPECT_FALSE(page.more);
  EXPECT_TRUE(must(client().list_messages({.session = session_.id, .after = 5})).messages.empty());

  const AgentSession heavy = make_session();
  AgentRun run = start(heavy, agent_);
  constexpr std::size_t kHalf = kMessagePageBytesMax / 2 - 1'000;
  for (int i = 0; i < 2; ++i) run = say(run, {std::string(kHalf, 'a')}).run;
  run = say(run, {"small", std::string(kMessagePageBytesMax, 'b'), "behind"}).run;
  page = must(client().list_messages({.session = heavy.id}));
  EXPECT_EQ(numbers_of(page.messages), (Numbers{1, 2, 3}));
  EXPECT_TRUE(page.more);
  page = must(client().list_messages({.session = heavy.id, .after = 3}));
  EXPECT_EQ(numbers_of(page.messages), Numbers{4}) << "one always fits";
  EXPECT_TRUE(page.more);
  EXPECT_EQ(numbers_of(messages_of(heavy)), (Numbers{1, 2, 3, 4, 5}));
}

TEST_P(AgentWriteContract, ARunIsShownWhatItsDepthMaySee) {
  run_ = say(run_, {"root 1"}).run;
  const AgentRun child = say(start_child(run_, agent_), {"child 2"}).run;
  const AgentRun sibling = say(start_child(run_, agent_), {"sibling 3"}).run;
  const AgentRun grandchild = say(start_child(child, agent_), {"grandchild 4"}).run;
  run_ = say(run_, {"root 5"}).run;
  say(child, {"child 6"});
  const auto shown = [&](const AgentRun& run) { return numbers_of(messages_of(session_, run.id)); };
  EXPECT_EQ(shown(run_), (Numbers{1, 5}));
  EXPECT_EQ(shown(child), (Numbers{2, 6}));
  EXPECT_EQ(shown(sibling), Numbers{3});
  EXPECT_EQ(shown(grandchild), Numbers{4});
  EXPECT_EQ(numbers_of(messages_of(session_)).size(), 6u) << "nobody's context: everything";
  EXPECT_EQ(messages_of(session_)[3].run_depth, 2u);
  EXPECT_EQ(client().list_messages({.session = session_.id, .context_of = JobId{{1, 2}}}).code(), Code::not_found);
  const MessagePage page = must(client().list_messages({.session = session_.id, .context_of = child.id, .after = 2}));
  EXPECT_EQ(numbers_of(page.messages), Numbers{6});
}

TEST_P(AgentWriteContract, AnExecutionIsThereAsItWasWrittenAndReplacedById) {
  const Iteration iteration = an_iteration();
  ToolExecution given = an_execution(iteration, 2);
  given.approval = ApprovalState::asked;
  given.attempts_max = 5;
  given.agent = agent_.id;
  given.created_at = now();
  AgentRunWrite one = with_iteration(run_, iteration);
  one.executions = {{given}};
  const AgentRunWritten written = write(std::move(one));
  given.run = run_.id;
  EXPECT_EQ(written.executions, std::vector<ToolExecution>{given});
  EXPECT_EQ(executions({.ns = kDefault, .run = run_.id}), std::vector<ToolExecution>{given});
  ToolExecution changed = given;
  changed.state = ToolExecutionState::failed;
  changed.output = "";
  changed.whole_output = fresh();
  changed.is_error = true;
  changed.error_message = kOddText;
  changed.approval = ApprovalState::denied;
  changed.decided_by = "ann";
  changed.decision_reason = kOddText;
  changed.decided_at = now();
  changed.claimed_by = WorkerId("w1");
  changed.claimed_at = now();
  changed.attempts = 3;
  changed.snoozes = 4;
  changed.last_error = kOddText;
  changed.scheduled_at = now() + 1s;
  changed.started_at = now();
  changed.completed_at = now() + 2s;
  changed.child_run = run_.id;
  changed.job = run_.id;
  EXPECT_EQ(write({.run = written.run, .executions = {{changed}}}).executions, std::vector<ToolExecution>{changed});
  crash();
  EXPECT_EQ(executions({.ns = kDefault, .run = run_.id}), std::vector<ToolExecution>{changed});
}

TEST_P(AgentWriteContract, AnExecutionBelongsToAnIterationOfItsRun) {
  AgentRunWrite loose{.run = run_, .executions = {{an_execution(an_iteration())}}};
  EXPECT_EQ(client().write_agent_run(loose).code(), Code::not_found);
  expect_untouched();
  const Iteration iteration = an_iteration();
  AgentRunWrite one = with_iteration(run_, iteration);
  const ToolExecution mine = an_execution(iteration);
  one.executions = {{mine}};
  write(std::move(one));
  const AgentRun other = start(make_session(), agent_);
  EXPECT_EQ(client().write_agent_run({.run = other, .executions = {{mine}}}).code(), Code::not_found);
  const Iteration theirs = an_iteration();
  AgentRunWrite stolen = with_iteration(other, theirs);
  stolen.executions = {{mine}};
  stolen.executions[0].execution.iteration = theirs.id;
  EXPECT_EQ(client().write_agent_run(stolen).code(), Code::conflict) << "it is another run's";
}

TEST_P(AgentWriteContract, JobsOfExecutionsAreEnqueuedWithTheWrite) {
  const Iteration iteration = an_iteration();
  AgentRunWrite one = with_iteration(run_, iteration);
  one.executions = {{.execution = an_execution(iteration, 0, "lint"), .job = tool_job("lint")},
                    {.execution = an_execution(iteration, 1, "test")},
                    {.execution = an_execution(iteration, 2, "lint"), .job = tool_job("lint")}};
  const AgentRunWritten written = write(std::move(one));
  ASSERT_EQ(written.executions.size(), 3u);
  ASSERT_TRUE(written.executions[0].job && written.executions[2].job);
  EXPECT_FALSE(written.executions[1].job) << "nobody may run it yet";
  EXPECT_NE(written.executions[0].job, written.executions[2].job);
  EXPECT_EQ(executions({.ns = kDefault, .run = run_.id}), written.executions);
  crash();
  join(a_worker("w2", [](WorkerSpec& w) { w.capabilities = CapabilitySet({"tool:lint"}); }));
  const std::vector<Grant> grants = take("w2", 5);
  ASSERT_EQ(grants.size(), 2u);
  EXPECT_EQ(grants[0].id, *written.executions[0].job);
  EXPECT_EQ(ids({.ns = kDefault, .job = grants[1].id}), Ids{written.executions[2].id});
  // A later write of the row keeps the job.
  ToolExecution running = written.executions[0];
  running.state = ToolExecutionState::running;
  EXPECT_EQ(write({.run = written.run, .executions = {{running}}}).executions[0].job, written.executions[0].job);
  EXPECT_EQ(list_all({}).size(), 3u);
}

TEST_P(AgentWriteContract, AChildIsStartedWithTheWrite) {
  const Agent critic = make_agent("critic");
  const Iteration iteration = an_iteration();
  ToolExecution execution = an_execution(iteration);
  execution.agent = critic.id;
  AgentRunStart child = a_child(run_, critic);
  child.run.parent_execution = execution.id;
  child.run.variables = R"({"x":1})";
  AgentRunWrite one = with_iteration(run_, iteration);
  one.executions = {{.execution = execution, .child = child}};
  const AgentRunWritten written = write(std::move(one));
  ASSERT_TRUE(written.executions.at(0).child_run);
  EXPECT_FALSE(written.executions[0].job);
  const AgentRun made = must(client().get_agent_run(*written.executions[0].child_run));
  AgentRun expected = child.run;
  expected.id = made.id;
  expected.created_at = now();
  expected.revision = made.revision;
  EXPECT_EQ(made, expected);
  EXPECT_EQ(state(made.id), JobState::ready) << "it does not wait for the run that waits for it";
  EXPECT_EQ(must(client().list_agent_runs({.ns = kDefault, .parent = run_.id})).runs.size(), 1u);
}

// The child of an execution of run_, started with it.
struct CalledAgent {
  AgentRun parent, child;
  ToolExecution execution;
};

class AgentChildContract : public AgentWriteContract {
 protected:
  CalledAgent call_agent() {
    const Iteration iteration = an_iteration();
    ToolExecution execution = an_execution(iteration);
    execution.agent = agent_.id;
    execution.state = ToolExecutionState::running;
    AgentRunStart child = a_child(run_, agent_);
    child.run.parent_execution = execution.id;
    AgentRunWrite one = with_iteration(run_, iteration);
    one.run.state = AgentRunState::pending_tools;
    one.executions = {{.execution = execution, .child = child}};
    AgentRunWritten written = write(std::move(one));
    AgentRun made = must(client().get_agent_run(*written.executions.at(0).child_run));
    return {written.run, std::move(made), written.executions[0]};
  }
  ToolExecution execution_now(const CalledAgent& called) { return executions({.ns = kDefault, .id = called.execution.id}).at(0); }
};

TEST_P(AgentChildContract, ItsEndIsTheResultOfItsCallInTheSameCommit) {
  const CalledAgent called = call_agent();
  AgentRun child = called.child;
  child.response_text = kOddText;
  child = end(child);
  crash();
  const ToolExecution ended = execution_now(called);
  EXPECT_EQ(ended.state, ToolExecutionState::completed);
  EXPECT_EQ(ended.output, kOddText);
  EXPECT_FALSE(ended.is_error);
  EXPECT_EQ(ended.completed_at, child.finalized_at);
  // Whoever has read the execution before does not begin it again.
  write({.run = called.parent, .executions = {{.execution = called.execution}}});
  EXPECT_EQ(execution_now(called), ended);
}

TEST_P(AgentChildContract, ItsFailureIsAnErrorOfItsCall) {
  const CalledAgent called = call_agent();
  AgentRun child = called.child;
  child.error_message = "no idea";
  end(child, AgentRunState::failed);
  const ToolExecution ended = execution_now(called);
  EXPECT_EQ(ended.state, ToolExecutionState::failed);
  EXPECT_TRUE(ended.is_error);
  EXPECT_EQ(ended.error_message, "no idea");
}

TEST_P(AgentChildContract, ACallThatIsOverStaysAsItEnded) {
  const CalledAgent called = call_agent();
  ToolExecution skipped = called.execution;
  skipped.state = ToolExecutionState::skipped;
  skipped.completed_at = now();
  write({.run = called.parent, .executions = {{.execution = skipped}}});
  AgentRun child = called.child;
  child.response_text = "late";
  end(child);
  EXPECT_EQ(execution_now(called).state, ToolExecutionState::skipped);
  EXPECT_FALSE(execution_now(called).output);
}

// Case 4 of AgentPG: who has tools alone is granted no run, and who carries runs out no tool.
TEST_P(AgentWriteContract, Case4WhoLacksWhatIsNeededIsGrantedNothing) {
  join(a_worker("b", [](WorkerSpec& w) { w.capabilities = CapabilitySet({"tool:lint"}); }));
  EXPECT_TRUE(take("b", 5).empty());
  EXPECT_EQ(state(run_.id), JobState::ready);
  join_runtime();
  ASSERT_EQ(take("w1", 5).size(), 1u);
  const Iteration iteration = an_iteration();
  AgentRunWrite one = with_iteration(run_, iteration);
  one.executions = {{.execution = an_execution(iteration, 0, "test"), .job = tool_job("test")}};
  write(std::move(one));
  EXPECT_TRUE(take("w1", 5).empty());
  EXPECT_TRUE(take("b", 5).empty());
}

// Case 16 of AgentPG: only what a worker offers is granted to it.
TEST_P(AgentWriteContract, Case16AWorkerIsGrantedTheToolsItOffers) {
  join(a_worker("b", [](WorkerSpec& w) { w.capabilities = CapabilitySet({"tool:lint"}); }));
  const Iteration iteration = an_iteration();
  AgentRunWrite one = with_iteration(run_, iteration);
  one.executions = {{.execution = an_execution(iteration, 0, "lint"), .job = tool_job("lint")},
                    {.execution = an_execution(iteration, 1, "test"), .job = tool_job("test")}};
  const AgentRunWritten written = write(std::move(one));
  const auto grants = take("b", 10);
  ASSERT_EQ(grants.size(), 1u);
  EXPECT_EQ(grants[0].id, written.executions.at(0).job);
  EXPECT_EQ(grants[0].attempt, 1u);
  EXPECT_EQ(state(*written.executions.at(1).job), JobState::ready);
}

// Cases 8 and 7: the older one first, whatever its agent; a runtime needs no tools of its own.
TEST_P(AgentWriteContract, Case8TheOlderOfTwoRunsIsGrantedFirst) {
  join_runtime();
  const AgentRun second = start(make_session(), agent_);
  auto grants = take("w1", 1);
  ASSERT_EQ(grants.size(), 1u);
  EXPECT_EQ(grants[0].id, run_.id);
  grants = take("w1", 1);
  ASSERT_EQ(grants.size(), 1u);
  EXPECT_EQ(grants[0].id, second.id);
}

// Case 23, and 22: what is written again finds that it was.
TEST_P(AgentWriteContract, Case23AWriteAboutNobodysRunChangesNothing) {
  AgentRun nobody = run_;
  nobody.id = JobId{{1, 2}};
  EXPECT_EQ(client().write_agent_run({.run = nobody, .messages = {said(MessageRole::user, "x")}}).code(), Code::not_found);
  AgentRunWrite once{.run = run_, .messages = {said(MessageRole::user, "results")}};
  write(once);
  EXPECT_EQ(client().write_agent_run(once).code(), Code::conflict);
  EXPECT_EQ(messages_of(session_).size(), 1u) << "no second message";
}

TEST_P(AgentWriteContract, SnoozesOfAnExecutionsJobAreCountedAsTheyHappen) {
  join(a_worker("t1", [](WorkerSpec& w) { w.capabilities = CapabilitySet({"tool:lint"}); }));
  const Iteration iteration = an_iteration();
  AgentRunWrite one = with_iteration(run_, iteration);
  one.executions = {{.execution = an_execution(iteration), .job = tool_job()}};
  const AgentRunWritten written = write(std::move(one));
  for (std::uint32_t times = 1; times <= 2; ++times) {
    const auto grants = take("t1", 1);
    ASSERT_EQ(grants.size(), 1u);
    must(client().snooze({.lease = {grants[0].id, grants[0].fence}, .delay = 1s}));
    EXPECT_EQ(executions({.ns = kDefault}).at(0).snoozes, times);
    advance(2s);
  }
  // A write of what was read before does not forget them.
  write({.run = written.run, .executions = {{.execution = written.executions[0]}}});
  EXPECT_EQ(executions({.ns = kDefault}).at(0).snoozes, 2u);
}

TEST_P(AgentWriteContract, SpendingIsCountedForFurtherAgentsOnce) {
  const Agent critic = make_agent("critic");
  write({.run = run_, .spent = {{.input = 3}, 4}, .spent_for = {critic.id, agent_.id, critic.id}});
  const auto spent = [&](AgentId agent) {
    return must(client().get_spending({.ns = kDefault, .session = session_.id, .agent = agent, .day = now()}));
  };
  EXPECT_EQ(spent(agent_.id).agent_today, (Spending{{.input = 3}, 4}));
  EXPECT_EQ(spent(critic.id).agent_today, (Spending{{.input = 3}, 4}));
  EXPECT_EQ(spent(critic.id).namespace_today, (Spending{{.input = 3}, 4}));
}

TEST_P(AgentWriteContract, APartThatIsRefusedUndoesEverything) {
  const auto refused = [&](Code code, auto spoil, int line = __builtin_LINE()) {
    SCOPED_TRACE(line);
    AgentRunWrite one = everything(an_iteration());
    const Uuid blob = one.blobs[0].id;
    spoil(one);
    EXPECT_EQ(client().write_agent_run(one).code(), code);
    expect_untouched();
    EXPECT_EQ(client().get_blob(blob).code(), Code::not_found);
  };
  refused(Code::not_found, [](AgentRunWrite& w) { w.executions[0].job->after = {JobId{{1, 2}}}; });
  refused(Code::not_found, [](AgentRunWrite& w) { w.executions[1].child->job.after = {JobId{{1, 2}}}; });
  refused(Code::not_found, [&](AgentRunWrite& w) { w.executions[1].child->run.agent = AgentId{fresh()}; });
  refused(Code::not_found, [&](AgentRunWrite& w) { w.executions[1].child->run.session = AgentSessionId{fresh()}; });
  refused(Code::invalid_argument, [](AgentRunWrite& w) { w.executions[1].child->run.depth = 0; });
  refused(Code::invalid_argument, [](AgentRunWrite& w) { w.executions[1].job = tool_job(); });
  refused(Code::not_found, [&](AgentRunWrite& w) { w.executions[1].execution.iteration = IterationId{fresh()}; });
  refused(Code::invalid_argument, [](AgentRunWrite& w) { w.executions[1].execution.id = w.executions[0].execution.id; });
  refused(Code::conflict, [](AgentRunWrite& w) { w.run.revision += 1; });
  refused(Code::already_exists, [](AgentRunWrite& w) { w.messages.push_back(w.messages[0]); });
  refused(Code::already_exists, [](AgentRunWrite& w) { w.blobs.push_back(w.blobs[0]); });
  must(client().update_namespace({.name = kDefault, .enabled = false}));
  refused(Code::conflict, [](AgentRunWrite&) {});
  must(client().update_namespace({.name = kDefault, .enabled = true}));
  write(everything(an_iteration()));
  EXPECT_EQ(list_all({}).size(), 3u);
}

TEST_P(AgentWriteContract, ExecutionsAreFoundByWhatIsKnownOfThem) {
  const Iteration first = an_iteration(1);
  AgentRunWrite one = with_iteration(run_, first);
  ToolExecution asked = an_execution(first, 0, "deploy");
  asked.approval = ApprovalState::asked;
  ToolExecution done = an_execution(first, 1, "lint");
  done.state = ToolExecutionState::completed;
  done.completed_at = now();
  one.executions = {{done}, {asked}};
  run_ = write(std::move(one)).run;
  const Iteration second = an_iteration(2);
  AgentRunWrite two = with_iteration(run_, second);
  const ToolExecution later = an_execution(second, 0, "lint");
  two.executions = {{later}};
  write(std::move(two));
  const AgentRun other = start(make_session(), agent_);
  const Iteration theirs = an_iteration();
  AgentRunWrite three = with_iteration(other, theirs);
  const ToolExecution newest = an_execution(theirs, 0, "test");
  three.executions = {{newest}};
  write(std::move(three));

  EXPECT_EQ(ids({.ns = kDefault}), (Ids{newest.id, later.id, asked.id, done.id})) << "newest first";
  EXPECT_EQ(ids({.ns = kDefault, .run = run_.id}), (Ids{asked.id, done.id, later.id})) << "by iteration and place";
  EXPECT_EQ(ids({.ns = {}, .id = done.id}), Ids{done.id});
  EXPECT_EQ(ids({.ns = kDefault, .id = ToolExecutionId{fresh()}}), Ids{});
  EXPECT_EQ(ids({.ns = kDefault, .tool = ToolName("lint")}), (Ids{later.id, done.id}));
  EXPECT_EQ(ids({.ns = kDefault, .state = ToolExecutionState::completed}), Ids{done.id});
  EXPECT_EQ(ids({.ns = kDefault, .approval_asked = true}), Ids{asked.id});
  EXPECT_EQ(ids({.ns = kDefault, .run = other.id, .tool = ToolName("lint")}), Ids{});
  for (const bool of_run : {false, true}) {
    ExecutionQuery query{.ns = kDefault, .limit = 1};
    if (of_run) query.run = run_.id;
    Ids seen;
    const std::size_t all = of_run ? 3 : 4;
    for (std::size_t page = 0; page < all; ++page) {
      const ExecutionPage found = must(client().list_executions(query));
      ASSERT_EQ(found.executions.size(), 1u);
      seen.push_back(found.executions[0].id);
      EXPECT_EQ(found.next.empty(), page + 1 == all);
      query.cursor = found.next;
    }
    EXPECT_EQ(seen, of_run ? (Ids{asked.id, done.id, later.id}) : (Ids{newest.id, later.id, asked.id, done.id}));
    query.cursor = "nonsense";
    EXPECT_EQ(client().list_executions(query).code(), Code::invalid_argument);
  }
}

// A run that is cancelled, or fails, leaves its questions unanswered.
TEST_P(AgentWriteContract, ACallThatHasEndedAsksNobody) {
  const Iteration iteration = an_iteration();
  AgentRunWrite one = with_iteration(run_, iteration);
  ToolExecution asked = an_execution(iteration, 0, "deploy");
  asked.approval = ApprovalState::asked;
  ToolExecution other = an_execution(iteration, 1, "deploy");
  other.approval = ApprovalState::asked;
  const JobSpec job = tool_job("deploy");
  one.executions = {{asked}, {.execution = other, .job = job}};
  const AgentRunWritten written = write(std::move(one));
  const ExecutionQuery waiting{.ns = kDefault, .approval_asked = true};
  ASSERT_EQ(ids(waiting), (Ids{other.id, asked.id}));
  ToolExecution skipped = written.executions[0];
  skipped.state = ToolExecutionState::skipped;
  skipped.completed_at = now();
  AgentRunWrite two{written.run};
  two.executions = {{skipped}};
  write(std::move(two));
  const auto also = [&](auto narrow) {
    ExecutionQuery query = waiting;
    narrow(query);
    return ids(std::move(query));
  };
  EXPECT_EQ(ids(waiting), Ids{other.id});
  EXPECT_EQ(also([&](ExecutionQuery& query) { query.run = run_.id; }), Ids{other.id});
  EXPECT_EQ(also([&](ExecutionQuery& query) { query.id = asked.id; }), Ids{});
  EXPECT_EQ(also([&](ExecutionQuery& query) { query.job = written.executions[1].job; }), Ids{other.id});
  EXPECT_EQ(ids({.ns = kDefault, .tool = ToolName("deploy")}), (Ids{other.id, asked.id})) << "it is still there";
}

TEST_P(AgentWriteContract, WhatADeletedAgentHasSpentGoesWithIt) {
  const AgentRun run = write({.run = run_, .spent = {{.input = 5}, 7}}).run;
  end(run);
  must(client().delete_session(kDefault, session_.id));
  const SpendingQuery query{.ns = kDefault, .session = {}, .agent = agent_.id, .day = now()};
  EXPECT_EQ(must(client().get_spending(query)).agent_today, (Spending{{.input = 5}, 7})) << "the session's end changes no day";
  must(client().delete_agent(kDefault, agent_.id));
  EXPECT_EQ(must(client().get_spending(query)).agent_today, Spending());
  EXPECT_EQ(must(client().get_spending(query)).namespace_today, (Spending{{.input = 5}, 7}));
}

// Five answers of 8 MiB are more than a page holds.
TEST_P(AgentWriteContract, APageOfRunsOrExecutionsHoldsSoManyBytes) {
  const std::string large(8 * 1024 * 1024, 'x');
  std::vector<JobId> all;
  for (int i = 0; i < 5; ++i) {
    AgentRun run = start(make_session(), agent_);
    const Iteration iteration = an_iteration();
    ToolExecution execution = an_execution(iteration);
    execution.state = ToolExecutionState::completed;
    execution.completed_at = now();
    execution.output = large;
    AgentRunWrite one = with_iteration(run, iteration);
    one.run.response_text = large;
    one.executions = {{.execution = execution}};
    write(std::move(one));
    all.insert(all.begin(), run.id);
  }
  all.push_back(run_.id);
  std::vector<JobId> runs;
  AgentRunQuery query{.ns = kDefault};
  std::size_t pages = 0;
  for (; pages == 0 || !query.cursor.empty(); ++pages) {
    const AgentRunPage page = must(client().list_agent_runs(query));
    ASSERT_FALSE(page.runs.empty());
    for (const AgentRun& one : page.runs) runs.push_back(one.id);
    query.cursor = page.next;
  }
  EXPECT_EQ(runs, all);
  EXPECT_EQ(pages, 2u);
  const ExecutionPage first = must(client().list_executions({.ns = kDefault}));
  EXPECT_EQ(first.executions.size(), 3u) << "their inputs count as well";
  ASSERT_FALSE(first.next.empty());
  EXPECT_EQ(must(client().list_executions({.ns = kDefault, .cursor = first.next})).executions.size(), 2u);
}

// A run may call its model ten thousand times, and each call may have broken behind a mebibyte.
TEST_P(AgentWriteContract, IterationsAreTheLastOnesThatAPageHolds) {
  for (std::uint32_t number = 1; number <= 5; ++number) {
    Iteration iteration = an_iteration(number);
    iteration.partial_text = std::string(8 * 1024 * 1024, static_cast<char>('a' + number));
    iteration.error_message = "broken";
    run_ = write(with_iteration(run_, iteration)).run;
  }
  std::vector<std::uint32_t> numbers;
  for (const Iteration& one : must(client().list_iterations({run_.id})).iterations) numbers.push_back(one.number);
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{3, 4, 5})) << "the oldest of them first";
}

TEST_P(AgentWriteContract, ABlobIsKeptWhole) {
  const Uuid id = fresh();
  const std::string data = std::string("\0\xff", 2) + std::string(3 * 1024 * 1024, 'd');
  run_ = write({.run = run_, .blobs = {{id, data}, {fresh(), ""}}}).run;
  restart();
  const Blob found = must(client().get_blob(id));
  EXPECT_EQ(found.id, id);
  EXPECT_EQ(found.data, data);
  EXPECT_EQ(client().write_agent_run({.run = run_, .blobs = {{id, "other"}}}).code(), Code::already_exists);
  EXPECT_EQ(client().get_blob(fresh()).code(), Code::not_found);
}

TEST_P(AgentWriteContract, SpendingIsCountedForSessionAgentAndNamespace) {
  const auto spent = [&](std::optional<AgentSessionId> session, std::optional<AgentId> agent, Instant day) {
    return must(client().get_spending({.ns = kDefault, .session = session, .agent = agent, .day = day}));
  };
  EXPECT_EQ(spent(session_.id, agent_.id, now()).session, Spending());
  run_ = write({.run = run_, .spent = {{1, 2, 3, 4}, 5}}).run;
  run_ = write({.run = run_, .spent = {{10, 20, 30, 40}, 50}}).run;
  const Agent critic = make_agent("critic");
  write({.run = start(session_, critic), .spent = {{.input = 100}, 0}});
  const SpendingView today = spent(session_.id, agent_.id, now());
  EXPECT_EQ(today.session, (Spending{{111, 22, 33, 44}, 55}));
  EXPECT_EQ(today.agent_today, (Spending{{11, 22, 33, 44}, 55}));
  EXPECT_EQ(today.namespace_today, (Spending{{111, 22, 33, 44}, 55}));
  EXPECT_EQ(spent(std::nullopt, critic.id, now()).agent_today, (Spending{{.input = 100}, 0}));
  EXPECT_EQ(spent(std::nullopt, std::nullopt, now()).session, Spending());
  advance(24h);
  EXPECT_EQ(spent(session_.id, agent_.id, now()).namespace_today, Spending());
  write({.run = run_, .spent = {{.output = 7}, 0}});
  crash();
  const SpendingView tomorrow = spent(session_.id, agent_.id, now());
  EXPECT_EQ(tomorrow.session.usage.output, 29u);
  EXPECT_EQ(tomorrow.agent_today, (Spending{{.output = 7}, 0}));
  EXPECT_EQ(tomorrow.namespace_today, (Spending{{.output = 7}, 0}));
  EXPECT_EQ(spent(session_.id, agent_.id, now() - 24h).agent_today, today.agent_today);
}

// A summary, which is made when the run has ended.
TEST_P(AgentWriteContract, ARunThatHasEndedStillPays) {
  run_ = end(write({.run = run_, .spent = {{1, 2, 3, 4}, 5}}).run);
  const AgentSession session = must(client().get_session(kDefault, session_.id));
  AgentRun paying = run_;
  paying.usage += {10, 20, 30, 40};
  paying.microdollars += 50;
  AgentRunWrite payment{.run = paying, .spent = {{10, 20, 30, 40}, 50}};
  const AgentRun paid = write(payment).run;
  EXPECT_EQ(paid.usage, (TokenUsage{10, 20, 30, 40}));
  EXPECT_EQ(paid.microdollars, 50u);
  EXPECT_EQ(paid.revision, run_.revision + 1);
  EXPECT_EQ(client().write_agent_run(payment).code(), Code::conflict) << "a repeat counts once";
  crash();
  EXPECT_EQ(run_now(run_), paid);
  EXPECT_EQ(must(client().get_session(kDefault, session_.id)).revision, session.revision) << "nothing was said in it";
  const SpendingView spent =
      must(client().get_spending({.ns = kDefault, .session = session_.id, .agent = agent_.id, .day = now()}));
  EXPECT_EQ(spent.session, (Spending{{11, 22, 33, 44}, 55}));
  EXPECT_EQ(spent.agent_today, (Spending{{11, 22, 33, 44}, 55}));
  EXPECT_EQ(spent.namespace_today, (Spending{{11, 22, 33, 44}, 55}));
  const auto refused = [&](auto spoil, int line = __builtin_LINE()) {
    AgentRunWrite one{.run = paid, .spent = {{.input = 1}, 1}};
    spoil(one);
    EXPECT_EQ(client().write_agent_run(one).code(), Code::conflict) << "line " << line;
    EXPECT_EQ(run_now(run_), paid) << "line " << line;
  };
  refused([](AgentRunWrite& w) { w.run.state = AgentRunState::failed; });
  refused([](AgentRunWrite& w) { w.run.response_text = "something else"; });
  refused([&](AgentRunWrite& w) { w.messages = {said(MessageRole::user, "late")}; });
  refused([](AgentRunWrite& w) { w.blobs = {{Uuid{1, 9}, "late"}}; });
}

INSTANTIATE_TEST_SUITE_P(Stores, AgentWriteContract, ::testing::ValuesIn(stores()), store_name);
INSTANTIATE_TEST_SUITE_P(Stores, AgentChildContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
