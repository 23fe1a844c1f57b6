// Runs from their start to their end, on a real store with a scripted model. Numbers are those of the digest's conformance cases.
#include "agents/runtime.h"

#include "agents/run_driver.h"
#include "agents/stage_testing.h"
#include "command/queues.h"

namespace muster::agents {
namespace {

using namespace std::chrono_literals;
using claude::ScriptedApi;
using claude::text_answer;
using claude::tool_answer;
using claude::tool_block;

using RuntimeTest = Stage;

TEST_F(RuntimeTest, ARunWithoutToolsIsOneCall) {
  api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{text_answer("Hello you")});
  start_node();
  agent("plain");
  const AgentRun run = begin("plain", "hi");
  const auto seen = look(run.id);
  EXPECT_EQ(seen.run.state, AgentRunState::completed);
  EXPECT_EQ(seen.run.response_text, "Hello you");
  EXPECT_EQ(seen.run.claimed_by.text(), "agents-n1");
  ASSERT_EQ(seen.iterations.size(), 1U);
  EXPECT_EQ(seen.iterations[0].attempts, 1U);
  EXPECT_EQ(job(run.id).state, JobState::completed);
  EXPECT_EQ(api_->asked("stream"), 1U);
  const auto params = json::parse(api_->asked()[0].text);
  EXPECT_EQ((*params)["messages"][0]["content"][0]["text"], "hi");
}

TEST_F(RuntimeTest, Case48ToolThenText) {
  api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{
      tool_answer({tool_block("t1", "lint", R"({"file":"a"})")}), text_answer("clean")});
  start_node();
  tool("lint");
  agent("code", {"lint"});
  const AgentRun run = begin("code", "check");
  EXPECT_EQ(state(run.id), AgentRunState::pending_tools);
  EXPECT_EQ(job(run.id).state, JobState::scheduled) << "parked";
  const auto grants = take_tools({"lint"});
  ASSERT_EQ(grants.size(), 1U);
  EXPECT_EQ(grants[0].payload.data, R"({"file":"a"})");
  EXPECT_EQ(look(run.id).executions[0].state, ToolExecutionState::running) << "shown, though nobody wrote it";
  answer(grants[0], R"("no faults")");
  const auto seen = look(run.id);
  EXPECT_EQ(seen.run.state, AgentRunState::completed);
  EXPECT_EQ(seen.run.iterations, 2U);
  EXPECT_EQ(seen.run.tool_iterations, 1U);
  ASSERT_EQ(seen.iterations.size(), 2U);
  EXPECT_EQ(seen.iterations[0].trigger, IterationTrigger::user_prompt);
  EXPECT_EQ(seen.iterations[1].trigger, IterationTrigger::tool_results);
  EXPECT_EQ(told_states(run.id), (std::vector<std::string>{"streaming", "pending_tools", "pending", "streaming", "completed"}));
  const auto talk = messages(run.session);
  ASSERT_EQ(talk.size(), 4U);
  EXPECT_EQ(talk[0].role, MessageRole::user);
  EXPECT_EQ(talk[1].role, MessageRole::assistant);
  EXPECT_EQ(talk[2].role, MessageRole::user);
  EXPECT_NE(talk[2].blocks.find("no faults"), std::string::npos);
  EXPECT_EQ(talk[3].role, MessageRole::assistant);
  EXPECT_EQ(seen.executions[0].output, "no faults");
  EXPECT_EQ(seen.executions[0].claimed_by.text(), "toolbox");
}

TEST_F(RuntimeTest, TokensComeAsTheyAreSaid) {
  api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{text_answer("Hello you")});
  api_->break_streams_once();
  start_node();
  agent("plain");
  const AgentRun run = begin("plain", "hi");
  std::string text;
  bool broke = false;
  for (const json::Tree& event : told(run.id)) {
    if (event.value("type", "") == "retry") {
      broke = true;
      text.clear();
    }
    if (event.value("type", "") == "text_delta") text += event.value("text", "");
  }
  EXPECT_EQ(text, "Hello you");
  EXPECT_TRUE(broke) << "the second attempt says that it is one";
}

TEST_F(RuntimeTest, SeveralToolsRunSideBySideAndReturnInTheModelsOrder) {
  api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{
      tool_answer({tool_block("t1", "lint"), tool_block("t2", "nothing_there"), tool_block("t3", "test")}), text_answer("ok")});
  start_node();
  tool("lint");
  tool("test");
  agent("code", {"lint", "test"});
  const AgentRun run = begin("code", "check");
  const auto grants = take_tools({"lint", "test"});
  ASSERT_EQ(grants.size(), 2U);
  answer(grants[1], R"("second")");
  EXPECT_EQ(state(run.id), AgentRunState::pending_tools);
  answer(grants[0], R"("first")");
  EXPECT_EQ(state(run.id), AgentRunState::completed);
  const auto blocks = json::parse(messages(run.session)[2].blocks);
  ASSERT_EQ(blocks->size(), 3U);
  EXPECT_EQ((*blocks)[0]["tool_use_id"], "t1");
  EXPECT_EQ((*blocks)[1]["is_error"], true);
  EXPECT_EQ((*blocks)[2]["tool_use_id"], "t3");
}

TEST_F(RuntimeTest, Case49AToolThatFailsTwiceIsAnErrorForTheModel) {
  api_ = std::make_shared<ScriptedApi>(
      std::initializer_list<Result<claude::Answer>>{tool_answer({tool_block("t1", "lint")}), text_answer("pity")});
  start_node();
  tool("lint");
  agent("code", {"lint"});
  const AgentRun run = begin("code", "check");
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto grants = take_tools({"lint"});
    ASSERT_EQ(grants.size(), 1U) << attempt;
    fail(grants[0], "boom", "disk full");
  }
  EXPECT_TRUE(take_tools({"lint"}).empty());
  const auto seen = look(run.id);
  EXPECT_EQ(seen.run.state, AgentRunState::completed);
  EXPECT_EQ(seen.executions[0].state, ToolExecutionState::failed);
  EXPECT_EQ(seen.executions[0].attempts, 2U);
  EXPECT_TRUE(seen.executions[0].is_error);
  EXPECT_NE(messages(run.session)[2].blocks.find(R"("is_error":true)"), std::string::npos);
}

TEST_F(RuntimeTest, Case51CancelAndDiscardEndAtTheFirstAttempt) {
  api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{
      tool_answer({tool_block("t1", "lint"), tool_block("t2", "lint")}), text_answer("pity")});
  start_node();
  tool("lint");
  agent("code", {"lint"});
  const AgentRun run = begin("code", "check");
  const auto grants = take_tools({"lint"});
  ASSERT_EQ(grants.size(), 2U);
  fail(grants[0], kToolCancel, "not today");
  fail(grants[1], kToolDiscard, "too old");
  const auto seen = look(run.id);
  EXPECT_EQ(seen.run.state, AgentRunState::completed);
  EXPECT_EQ(seen.executions[0].error_message, "tool cancelled: not today");
  EXPECT_EQ(seen.executions[1].error_message, "tool discarded: too old");
  EXPECT_EQ(seen.executions[0].attempts, 1U);
}

TEST_F(RuntimeTest, Case52ASnoozedToolSpendsNoAttempt) {
  api_ = std::make_shared<ScriptedApi>(
      std::initializer_list<Result<claude::Answer>>{tool_answer({tool_block("t1", "lint")}), text_answer("ok")});
  start_node();
  tool("lint");
  agent("code", {"lint"});
  const AgentRun run = begin("code", "check");
  for (int i = 0; i < 3; ++i) {
    const auto grants = take_tools({"lint"});
    ASSERT_EQ(grants.size(), 1U) << i;
    ASSERT_TRUE(ask(command::JobSnoozeRequest{.lease = {grants[0].id, grants[0].fence}, .delay = 2s}).ok());
    pass(3s);
  }
  answer(take_tools({"lint"}).at(0), "1");
  const auto seen = look(run.id);
  EXPECT_EQ(seen.run.state, AgentRunState::completed);
  EXPECT_EQ(seen.executions[0].attempts, 1U);
}

TEST_F(RuntimeTest, Case55AStreamThatCannotBeHadFailsTheRun) {
  api_ = std::make_shared<ScriptedApi>(
      std::initializer_list<Result<claude::Answer>>{Status::invalid_argument("max_tokens: too many")});
  start_node();
  agent("plain");
  const AgentRun run = begin("plain", "hi");
  const auto seen = look(run.id);
  EXPECT_EQ(seen.run.state, AgentRunState::failed);
  EXPECT_EQ(seen.run.error_type, kRunStreamingError);
  EXPECT_NE(seen.run.error_message.find("max_tokens: too many"), std::string::npos);
  EXPECT_EQ(job(run.id).state, JobState::dead);
}

TEST_F(RuntimeTest, ABusyApiIsAskedAgainLaterAndNotForEver) {
  api_ =
      std::make_shared<ScriptedApi>([](const std::string&) -> Result<claude::Answer> { return Status::exhausted("overloaded"); });
  start_node();
  agent("plain");
  const AgentRun run = begin("plain", "hi");
  EXPECT_EQ(state(run.id), AgentRunState::pending);
  pass(30s);
  const auto seen = look(run.id);
  EXPECT_EQ(seen.run.state, AgentRunState::failed);
  EXPECT_EQ(seen.run.error_type, kRunStreamingError);
  ASSERT_EQ(seen.iterations.size(), 1U);
  EXPECT_EQ(seen.iterations[0].attempts, kCallAttemptsMax);
  EXPECT_EQ(messages(run.session).size(), 1U) << "the prompt once";
}

TEST_F(RuntimeTest, ACallThatSomebodyElseBreaksOffIsMadeAgainAfterAPause) {
  int broken = 0;
  api_ = std::make_shared<ScriptedApi>([&broken](const std::string&) -> Result<claude::Answer> {
    if (++broken < 3) return Status::conflict("the call was cancelled");
    return text_answer("ok");
  });
  start_node();
  agent("plain");
  const AgentRun run = begin("plain", "hi");
  EXPECT_EQ(api_->asked("stream"), 1U);
  EXPECT_EQ(job(run.id).state, JobState::scheduled) << "parked";
  pass(settings_.retry_delay * 4);
  EXPECT_EQ(state(run.id), AgentRunState::completed);
  EXPECT_EQ(look(run.id).run.rescues, 0U) << "nobody lost it";
}

TEST_F(RuntimeTest, Case57ADelegateHasItsOwnContext) {
  api_ = std::make_shared<ScriptedApi>([](const std::string& params) -> Result<claude::Answer> {
    if (params.find("dig here") != std::string::npos && params.find("start") == std::string::npos) return text_answer("gold");
    if (params.find("tool_result") == std::string::npos)
      return tool_answer({tool_block("t1", "miner", R"({"task":"dig here"})")});
    return text_answer("rich");
  });
  start_node();
  const Agent miner = agent("miner");
  agent("boss", {}, {miner.id});
  command::AgentRunStartRequest request;
  request.agent = "boss";
  request.prompt = "start";
  request.variables = R"({"x":1})";
  const auto started = ask(std::move(request));
  ASSERT_TRUE(started.ok());
  const auto seen = look(started->run.id);
  EXPECT_EQ(seen.run.state, AgentRunState::completed);
  EXPECT_EQ(seen.run.response_text, "rich");
  ASSERT_TRUE(seen.executions[0].child_run.has_value());
  EXPECT_EQ(seen.executions[0].output, "gold");
  const AgentRun child = look(*seen.executions[0].child_run).run;
  EXPECT_EQ(child.depth, 1U);
  EXPECT_EQ(child.session, seen.run.session);
  EXPECT_EQ(child.mode, RunMode::streaming);
  EXPECT_EQ(child.variables, R"({"x":1})");
  const auto asked = api_->asked();
  ASSERT_EQ(asked.size(), 3U);
  EXPECT_EQ(asked[1].text.find("start"), std::string::npos) << "the child sees its own messages alone";
  const auto last = json::parse(asked[2].text);
  EXPECT_EQ((*last)["messages"].size(), 3U) << "and the caller none of the child's";
}

TEST_F(RuntimeTest, Case58ToolsSeeVariables) {
  api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{tool_answer({tool_block("t1", "lint")})});
  start_node();
  tool("lint");
  agent("code", {"lint"});
  const auto session = ask(command::SessionCreateRequest{.metadata = "{}", .variables = R"({"x":0,"y":"s"})"});
  ASSERT_TRUE(session.ok());
  command::AgentRunStartRequest request;
  request.agent = "code";
  request.prompt = "go";
  request.session = session->id;
  request.variables = R"({"x":1})";
  ASSERT_TRUE(ask(std::move(request)).ok());
  const auto grants = take_tools({"lint"});
  ASSERT_EQ(grants.size(), 1U);
  EXPECT_EQ(grants[0].labels.at("var.x"), "1");
  EXPECT_EQ(grants[0].labels.at("var.y"), "s");
}

TEST_F(RuntimeTest, TwoRunsOfASessionTakeTurns) {
  api_ = std::make_shared<ScriptedApi>([](const std::string& params) -> Result<claude::Answer> {
    if (params.find("tool_result") == std::string::npos) return tool_answer({tool_block("t1", "lint")});
    return text_answer("ok");
  });
  start_node();
  tool("lint");
  agent("code", {"lint"});
  const AgentRun first = begin("code", "one");
  const AgentRun second = begin("code", "two", RunMode::streaming, first.session);
  EXPECT_EQ(state(second.id), AgentRunState::pending);
  const auto why = ask(command::JobWhyRequest{.job = second.id});
  ASSERT_TRUE(why.ok());
  EXPECT_EQ(why->code, command::JobWhyCode::waiting_for_jobs);
  answer(take_tools({"lint"}).at(0), "1");
  EXPECT_EQ(state(first.id), AgentRunState::completed);
  EXPECT_EQ(state(second.id), AgentRunState::completed) << "the results are in its context already";
  std::vector<JobId> order;
  for (const AgentMessage& one : messages(first.session)) order.push_back(*one.run);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end(), [&](JobId a, JobId b) { return a == first.id && b == second.id; }));
}

TEST_F(RuntimeTest, Cases60And61ANodeThatWasForgottenRegistersAgain) {
  api_ = std::make_shared<ScriptedApi>([](const std::string&) -> Result<claude::Answer> { return text_answer("ok"); });
  start_node();
  agent("plain");
  ASSERT_TRUE(ask(store::Unregister{.ns = NamespaceName(kDefaultNamespace), .worker = WorkerId("agents-n1")}).ok());
  pass(20s);
  const auto worker = ask(command::WorkerGetRequest{.worker = WorkerId("agents-n1")});
  ASSERT_TRUE(worker.ok());
  EXPECT_EQ(worker->state, WorkerState::online);
  EXPECT_EQ(worker->spec.policy->dead_after, kRuntimeDeadAfter);
  EXPECT_EQ(state(begin("plain", "hi").id), AgentRunState::completed);
}

// The store has runs without end, and never tells anything about them.
TEST_F(RuntimeTest, ANodeTakesNoMoreThanItsBeatsMayName) {
  settings_.streams_max = 50'000;
  std::uint64_t granted = 0;
  scripted_.on(store::Verb::claim, [&granted](store::ClaimRequest request, Reply<store::ClaimReply> reply) {
    store::ClaimReply claimed;
    for (std::size_t i = 0; i < request.limit; ++i) {
      Grant grant;
      grant.id = JobId{Uuid{9, ++granted}};
      grant.ns = request.ns;
      grant.type = JobType(kRunType);
      claimed.grants.push_back(std::move(grant));
    }
    reply(std::move(claimed));
  });
  scripted_.on(store::Verb::view_agent_run, [](JobId, Reply<store::AgentRunView>) {});
  std::size_t named = 0;
  scripted_.on(store::Verb::heartbeat, [&](std::vector<store::Beat> beats, Reply<store::Each<store::BeatReply>> reply) {
    for (const store::Beat& beat : beats) named += beat.held.size();
    store::Each<store::BeatReply> heard;
    for (std::size_t i = 0; i < beats.size(); ++i) heard.emplace_back(store::BeatReply());
    reply(std::move(heard));
  });
  api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{});
  start_node();
  agent("plain");
  pass(kRuntimeBeat + 1s);
  EXPECT_EQ(granted, kInHandMax);
  EXPECT_EQ(named, kInHandMax) << "all of them, and the beat is taken";
}

TEST_F(RuntimeTest, AToolThatEndedWhileTheNodeWasDownIsFoundAtItsStart) {
  api_ = std::make_shared<ScriptedApi>(
      std::initializer_list<Result<claude::Answer>>{tool_answer({tool_block("t1", "lint", "{}")}), text_answer("clean")});
  start_node();
  tool("lint");
  agent("code", {"lint"});
  const AgentRun run = begin("code", "check");
  const auto grants = take_tools({"lint"});
  ASSERT_EQ(grants.size(), 1U);
  crash();
  answer(grants[0], R"("no faults")");
  start_node();
  EXPECT_EQ(state(run.id), AgentRunState::completed) << "and not at its own look, half a minute later";
}

// One tool ended while the node was down, the other one after its first look: that end is heard, though no look saw the first
// one's.
TEST_F(RuntimeTest, AToolThatEndsAfterTheFirstLookOfARestartedNodeIsHeard) {
  api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{
      tool_answer({tool_block("t1", "lint", "{}"), tool_block("t2", "test", "{}")}), text_answer("clean")});
  start_node();
  tool("lint");
  tool("test");
  agent("code", {"lint", "test"});
  const AgentRun run = begin("code", "check");
  const auto grants = take_tools({"lint", "test"});
  ASSERT_EQ(grants.size(), 2U);
  crash();
  answer(grants[0], R"("no faults")");
  start_node();
  EXPECT_EQ(state(run.id), AgentRunState::pending_tools);
  answer(grants[1], R"("green")");
  EXPECT_EQ(state(run.id), AgentRunState::completed) << "and not at its own look, half a minute later";
}

// AgentPG's running executions never time out, and keep their run for ever.
TEST_F(RuntimeTest, AToolThatNeverAnswersIsAnErrorForTheModel) {
  api_ = std::make_shared<ScriptedApi>(
      std::initializer_list<Result<claude::Answer>>{tool_answer({tool_block("t1", "lint")}), text_answer("pity")});
  start_node();
  ToolSpec spec;
  spec.name = ToolName("lint");
  spec.description = "hangs";
  spec.timeout = 10s;
  ASSERT_TRUE(ask(command::ToolDefineRequest{.tool = spec}).ok());
  agent("code", {"lint"});
  const AgentRun run = begin("code", "check");
  for (int attempt = 0; attempt < 2; ++attempt) {
    ASSERT_EQ(take_tools({"lint"}).size(), 1U) << attempt;
    pass(15s);
  }
  const auto seen = look(run.id);
  EXPECT_EQ(seen.run.state, AgentRunState::completed);
  EXPECT_EQ(seen.executions[0].state, ToolExecutionState::failed);
  EXPECT_TRUE(seen.executions[0].is_error);
  EXPECT_EQ(seen.executions[0].attempts, 2U);
}

// What the model asks for at once goes as fast as the queue of its tool lets it.
TEST_F(RuntimeTest, AToolRunsNoMoreOftenThanItsQueueAllows) {
  api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{
      tool_answer({tool_block("t1", "mail"), tool_block("t2", "mail"), tool_block("t3", "mail")}), text_answer("sent")});
  start_node();
  ToolSpec spec;
  spec.name = ToolName("mail");
  spec.description = "sends one";
  spec.queue = QueueName("mails");
  ASSERT_TRUE(ask(command::ToolDefineRequest{.tool = spec}).ok());
  command::QueueLimitRequest limits;
  limits.queue = QueueName("mails");
  limits.rate = RateLimit{.count = 1, .per = 10s, .burst = 1};
  ASSERT_TRUE(ask(std::move(limits)).ok());
  agent("code", {"mail"});
  const AgentRun run = begin("code", "three of them");
  for (int sent = 0; sent < 3; ++sent) {
    const auto grants = take_tools({"mail"});
    ASSERT_EQ(grants.size(), 1U) << sent;
    answer(grants[0], "1");
    EXPECT_TRUE(take_tools({"mail"}).empty());
    pass(10s);
  }
  EXPECT_EQ(state(run.id), AgentRunState::completed);
}

// Cases 32 and 34: what its node has lost is taken again, once for each loss, and the conversation is as it was.
TEST_F(RuntimeTest, Case34ARescuedRunGoesOnWhereItWas) {
  api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{text_answer("late"), text_answer("again")});
  api_->hold();
  start_node();
  agent("plain");
  const AgentRun run = begin("plain", "hi");
  ASSERT_EQ(state(run.id), AgentRunState::streaming);
  crash();
  pass(4s);
  EXPECT_EQ(job(run.id).rescues, 0U) << "its node may come back";
  pass(70s);
  EXPECT_EQ(job(run.id).rescues, 1U);
  api_->let_go();
  start_node();
  pass(2s);
  const auto seen = look(run.id);
  EXPECT_EQ(seen.run.state, AgentRunState::completed);
  EXPECT_EQ(seen.run.rescues, 1U);
  EXPECT_TRUE(seen.run.last_rescue_at.has_value());
  EXPECT_EQ(messages(run.session).size(), 2U) << "the prompt once";
}

TEST_F(RuntimeTest, CancelMidStreamEndsTheCall) {
  api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{text_answer("late")});
  api_->hold();
  start_node();
  agent("plain");
  const AgentRun run = begin("plain", "hi");
  EXPECT_EQ(state(run.id), AgentRunState::streaming);
  EXPECT_EQ(api_->held(), 1U);
  const auto cancelled = ask(command::AgentRunCancelRequest{.run = run.id, .reason = "enough"});
  ASSERT_TRUE(cancelled.ok()) << cancelled.status().text();
  EXPECT_EQ(api_->held(), 0U) << "the call is broken off";
  EXPECT_EQ(state(run.id), AgentRunState::cancelled);
  EXPECT_EQ(job(run.id).state, JobState::cancelled);
  EXPECT_EQ(ask(command::AgentRunCancelRequest{.run = run.id, .reason = ""}).code(), Code::conflict);
  EXPECT_TRUE(runtime_->idle());
}

TEST_F(RuntimeTest, CancelEndsToolsAndTheRunsItCalled) {
  api_ = std::make_shared<ScriptedApi>([](const std::string& params) -> Result<claude::Answer> {
    if (params.find("dig here") != std::string::npos && params.find("start") == std::string::npos)
      return tool_answer({tool_block("c1", "lint")});
    return tool_answer({tool_block("t1", "miner", R"({"task":"dig here"})"), tool_block("t2", "lint")});
  });
  start_node();
  tool("lint");
  const Agent miner = agent("miner", {"lint"});
  agent("boss", {"lint"}, {miner.id});
  const AgentRun run = begin("boss", "start");
  const auto before = look(run.id);
  ASSERT_EQ(before.executions.size(), 2U);
  const JobId child = *before.executions[0].child_run;
  EXPECT_EQ(state(child), AgentRunState::pending_tools);
  ASSERT_TRUE(ask(command::AgentRunCancelRequest{.run = run.id, .reason = "stop"}).ok());
  EXPECT_EQ(state(child), AgentRunState::cancelled);
  EXPECT_TRUE(take_tools({"lint"}).empty()) << "no tool of a run that ended is carried out";
  for (const ToolExecution& one : look(run.id).executions) EXPECT_EQ(one.state, ToolExecutionState::skipped);
}

TEST_F(RuntimeTest, ARunWhoseJobWasCancelledIsCancelled) {
  api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{text_answer("late")});
  api_->hold();
  start_node();
  agent("plain");
  const AgentRun run = begin("plain", "hi");
  ASSERT_TRUE(ask(command::JobCancelRequest{.cancel = {.job = run.id, .reason = "by hand", .at_once = true}}).ok());
  EXPECT_EQ(state(run.id), AgentRunState::cancelled);
  EXPECT_EQ(api_->held(), 0U);
}

TEST_F(RuntimeTest, ARunThatIsLostTooOftenFails) {
  api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{text_answer("never")});
  api_->hold();
  start_node();
  agent("plain");
  const AgentRun run = begin("plain", "hi");
  for (int i = 0; i < 4; ++i) {
    crash();
    pass(70s);
    start_node();
    pass(2s);
  }
  pass(40s);
  const auto seen = look(run.id);
  EXPECT_EQ(seen.run.state, AgentRunState::failed);
  EXPECT_EQ(seen.run.error_type, kRunRescueFailed);
  EXPECT_EQ(seen.run.rescues, 3U);
}

TEST_F(RuntimeTest, BudgetsStopARunWithTheReason) {
  api_ = std::make_shared<ScriptedApi>(
      [](const std::string&) -> Result<claude::Answer> { return tool_answer({tool_block("t1", "nothing")}); });
  start_node();
  agent("plain");
  command::AgentRunStartRequest request;
  request.agent = "plain";
  request.prompt = "go";
  request.budget.tokens_per_run = 40;
  const auto started = ask(std::move(request));
  ASSERT_TRUE(started.ok());
  const auto seen = look(started->run.id);
  EXPECT_EQ(seen.run.state, AgentRunState::failed);
  EXPECT_EQ(seen.run.error_type, kRunBudgetSpent);
  EXPECT_EQ(seen.run.error_message, "the run has spent 45 of 40 tokens");
  EXPECT_EQ(seen.run.iterations, 3U);
}

TEST_F(RuntimeTest, RunsThatEndedWhileTheyWaitedForAStreamGetNone) {
  settings_.streams_max = 1;
  api_ = std::make_shared<ScriptedApi>([](const std::string&) -> Result<claude::Answer> { return text_answer("ok"); });
  api_->hold();
  start_node();
  agent("plain");
  const AgentRun first = begin("plain", "1");
  std::vector<JobId> gone;
  for (int i = 0; i < 5; ++i) gone.push_back(begin("plain", "gone").id);
  const AgentRun last = begin("plain", "2");
  for (const JobId run : gone) ASSERT_TRUE(ask(command::AgentRunCancelRequest{.run = run, .reason = "enough"}).ok());
  api_->let_go();
  settle();
  EXPECT_EQ(state(first.id), AgentRunState::completed);
  EXPECT_EQ(state(last.id), AgentRunState::completed);
  EXPECT_EQ(api_->asked("stream"), 2U);
}

// A run driven by hand, as by a node that never heard of the end of its tools.
class LoneDriverTest : public RuntimeTest, public DriverHost {
 protected:
  void finished(JobId) override {}
  void wants_stream(RunDriverPtr driver) override { driver->stream(); }
  void stream_ended() override {}
  void wants_batch(RunDriverPtr, claude::BatchRequest, std::vector<std::string>) override {}
  void watch_tools(JobId, const std::vector<ToolExecution>& executions) override { watched_.push_back(executions.size()); }
  void saw_ended(JobId, const std::vector<JobId>&) override {}
  void completed(const AgentRun&) override {}

  // The node that began the run is gone.
  void take_over() {
    runtime_.reset();
    base_ = std::make_shared<Base>(*base_);
    base_->agenda = std::make_shared<Agenda>(clock_, metrics_);
  }
  void drive() {
    WorkerSpec spec;
    spec.id = base_->worker();
    spec.capabilities = CapabilitySet({kRuntimeCapability});
    spec.queues = {QueueName(kAgentQueue)};
    ASSERT_TRUE(ask(std::move(spec)).ok());
    command::JobClaimRequest claim;
    claim.claim.ns = NamespaceName(kDefaultNamespace);
    claim.claim.worker = base_->worker();
    const auto reply = ask(std::move(claim));
    ASSERT_TRUE(reply.ok()) << reply.status().text();
    ASSERT_EQ(reply->grants.size(), 1U);
    driver_ = std::make_shared<RunDriver>(base_, *this, reply->grants[0]);
    driver_->start();
    settle();
  }

  RunDriverPtr driver_;
  std::vector<std::size_t> watched_;  // how many tools, at each look
};

TEST_F(LoneDriverTest, ALookThatFindsAllToolsEndedForgetsThem) {
  api_ = std::make_shared<ScriptedApi>(
      std::initializer_list<Result<claude::Answer>>{tool_answer({tool_block("t1", "lint")}), text_answer("clean")});
  start_node();
  tool("lint");
  agent("code", {"lint"});
  const AgentRun run = begin("code", "check");
  take_over();
  answer(take_tools({"lint"}).at(0), "1");
  pass(settings_.tool_look_every + 1s);
  api_->hold();
  drive();
  EXPECT_EQ(state(run.id), AgentRunState::streaming);
  ASSERT_FALSE(watched_.empty());
  EXPECT_EQ(watched_.back(), 0U);
  api_->let_go();
  settle();
  EXPECT_EQ(state(run.id), AgentRunState::completed);
}

TEST_F(LoneDriverTest, ARunThatEndsWithOpenToolsForgetsThem) {
  api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{tool_answer({tool_block("t1", "lint")})});
  start_node();
  tool("lint");
  agent("code", {"lint"});
  const AgentRun run = begin("code", "check");
  take_over();
  pass(settings_.tool_look_every + 1s);
  // Cancelled by another node while this one looks at it.
  scripted_.on(store::Verb::view_agent_run, [this](JobId id, Reply<store::AgentRunView> reply) {
    scripted_.off(store::Verb::view_agent_run);
    store_->view_agent_run(id, [this, reply = std::move(reply)](Result<store::AgentRunView> view) mutable {
      if (view.ok()) view->run.state = AgentRunState::cancelled;
      reply(std::move(view));
    });
  });
  drive();
  EXPECT_TRUE(driver_->is_over());
  ASSERT_FALSE(watched_.empty());
  EXPECT_EQ(watched_.back(), 0U);
  EXPECT_EQ(job(run.id).state, JobState::cancelled);
}

class CalledAgentTest : public RuntimeTest {
 protected:
  // A run of an agent that calls another one; both may spend so many tokens together.
  AgentRun begin_boss(std::uint64_t tokens) {
    start_node();
    const Agent miner = agent("miner");
    agent("boss", {}, {miner.id});
    command::AgentRunStartRequest request;
    request.agent = "boss";
    request.prompt = "start";
    request.budget.tokens_per_run = tokens;
    const auto started = ask(std::move(request));
    EXPECT_TRUE(started.ok()) << started.status().text();
    return started.ok() ? started->run : AgentRun();
  }
};

// The caller may spend 25 tokens; each call of the model takes 15 of them, whoever makes it.
TEST_F(CalledAgentTest, WhatACalledAgentSpendsIsItsCallersToo) {
  api_ = std::make_shared<ScriptedApi>([](const std::string& params) -> Result<claude::Answer> {
    if (params.find("dig here") != std::string::npos && params.find("start") == std::string::npos) return text_answer("gold");
    return tool_answer({tool_block("t1", "miner", R"({"task":"dig here"})")});
  });
  const auto seen = look(begin_boss(25).id);
  EXPECT_EQ(seen.run.error_type, kRunBudgetSpent);
  EXPECT_EQ(seen.run.error_message, "the run has spent 30 of 25 tokens");
  EXPECT_EQ(seen.executions.at(0).output, "gold");
  Result<store::SpendingView> spent = Status::internal("no answer came");
  store_->get_spending({.ns = NamespaceName(kDefaultNamespace), .session = {}, .agent = seen.run.agent, .day = clock_.now()},
                       [&](Result<store::SpendingView> got) { spent = std::move(got); });
  settle();
  ASSERT_TRUE(spent.ok());
  EXPECT_EQ(spent->agent_today.usage.total(), 30U) << "and its agent's of the day";
}

// The caller has spent nothing but its first call when the called one wants its second.
TEST_F(CalledAgentTest, ACalledAgentStopsAtTheBudgetOfItsCaller) {
  api_ = std::make_shared<ScriptedApi>([](const std::string& params) -> Result<claude::Answer> {
    const bool child = params.find("dig here") != std::string::npos && params.find("start") == std::string::npos;
    if (child) return tool_answer({tool_block("c1", "no_such_tool", "{}")});
    if (params.find("tool_result") == std::string::npos)
      return tool_answer({tool_block("t1", "miner", R"({"task":"dig here"})")});
    return text_answer("never asked");
  });
  const auto seen = look(begin_boss(30).id);
  ASSERT_TRUE(seen.executions.at(0).child_run.has_value());
  const AgentRun child = look(*seen.executions[0].child_run).run;
  EXPECT_EQ(child.error_type, kRunBudgetSpent);
  EXPECT_EQ(child.error_message, "the run that called it has spent 30 of 30 tokens");
  EXPECT_EQ(seen.run.error_type, kRunBudgetSpent);
}

TEST_F(RuntimeTest, ATurnThatTheModelPausesGoesOn) {
  const std::string blocks = R"([{"type":"thinking","thinking":"so","signature":"s=="},{"type":"text","text":"One, "}])";
  claude::Answer paused = text_answer("");
  paused.blocks = blocks;
  paused.stop_reason = "pause_turn";
  api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{paused, text_answer("two.")});
  start_node();
  agent("plain");
  const auto seen = look(begin("plain", "hi").id);
  EXPECT_EQ(seen.run.state, AgentRunState::completed);
  EXPECT_EQ(seen.run.response_text, "One, two.");
  EXPECT_EQ(seen.run.iterations, 2U);
  const auto asked = json::parse(api_->asked().at(1).text);
  ASSERT_EQ((*asked)["messages"].size(), 2U) << "its own words are the last that it is shown";
  EXPECT_EQ((*asked)["messages"][1]["content"][0]["signature"], "s==");
}

TEST_F(RuntimeTest, ANamespaceHasABudgetOfItsDay) {
  api_ = std::make_shared<ScriptedApi>([](const std::string&) -> Result<claude::Answer> { return text_answer("ok"); });
  settings_.budgets["*"] = {.tokens_per_day = 30};
  start_node();
  agent("plain");
  EXPECT_EQ(state(begin("plain", "1").id), AgentRunState::completed);
  EXPECT_EQ(state(begin("plain", "2").id), AgentRunState::completed);
  EXPECT_EQ(look(begin("plain", "3").id).run.error_message, "the namespace today has spent 30 of 30 tokens");
  clock_.advance(24h);
  settle();
  pass(20s);
  EXPECT_EQ(state(begin("plain", "4").id), AgentRunState::completed) << "another day";
}

TEST_F(RuntimeTest, ARunThatCallsToolsForEverStops) {
  api_ = std::make_shared<ScriptedApi>(
      [](const std::string&) -> Result<claude::Answer> { return tool_answer({tool_block("t1", "nothing")}); });
  start_node();
  Agent plain = agent("plain");
  plain.spec.iterations_max = 3;
  ASSERT_TRUE(ask(command::AgentUpdateRequest{.id = plain.id, .agent = plain.spec}).ok());
  const auto seen = look(begin("plain", "go").id);
  EXPECT_EQ(seen.run.error_type, kRunIterationsSpent);
  EXPECT_EQ(api_->asked("stream"), 3U);
}

TEST_F(RuntimeTest, AStopHandsRunsBackAndAnotherNodeGoesOn) {
  api_ = std::make_shared<ScriptedApi>([](const std::string&) -> Result<claude::Answer> { return text_answer("ok"); });
  api_->hold();
  start_node();
  agent("plain");
  const AgentRun run = begin("plain", "hi");
  EXPECT_EQ(state(run.id), AgentRunState::streaming);
  runtime_->begin_stop();
  settle();
  EXPECT_TRUE(runtime_->idle());
  EXPECT_EQ(state(run.id), AgentRunState::pending);
  EXPECT_EQ(job(run.id).state, JobState::ready) << "at once, and without cost";
  EXPECT_EQ(job(run.id).rescues, 0U);
  crash();
  settings_.node = "n2";
  api_->let_go();
  start_node();
  EXPECT_EQ(state(run.id), AgentRunState::completed);
  EXPECT_EQ(look(run.id).run.claimed_by.text(), "agents-n2");
  EXPECT_EQ(look(run.id).iterations[0].attempts, 2U);
}

class RefusedSettlementTest : public RuntimeTest {
 protected:
  AgentRun begin_with_tool() {
    api_ = std::make_shared<ScriptedApi>(
        std::initializer_list<Result<claude::Answer>>{tool_answer({tool_block("t1", "lint")}), text_answer("clean")});
    start_node();
    tool("lint");
    agent("code", {"lint"});
    return begin("code", "check");
  }
};

TEST_F(RefusedSettlementTest, AParkIsMadeAgainUntilTheStoreTakesIt) {
  refuse_snoozes(3);
  const AgentRun run = begin_with_tool();
  EXPECT_EQ(job(run.id).state, JobState::running);
  pass(5s);
  EXPECT_EQ(job(run.id).state, JobState::scheduled) << "parked";
  EXPECT_TRUE(runtime_->idle());
  answer(take_tools({"lint"}).at(0), "1");
  EXPECT_EQ(state(run.id), AgentRunState::completed);
}

TEST_F(RefusedSettlementTest, TheEndOfARunIsWrittenAgainUntilTheStoreTakesIt) {
  api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{text_answer("hello")});
  int refusals = 2;
  scripted_.on(store::Verb::complete, [&](std::vector<store::Completion> batch, Reply<store::Each<store::Settled>> reply) {
    if (refusals-- > 0) return reply(Status::exhausted("too many writes are pending"));
    store_->complete(std::move(batch), std::move(reply));
  });
  start_node();
  agent("plain");
  const AgentRun run = begin("plain", "hi");
  EXPECT_EQ(state(run.id), AgentRunState::completed);
  pass(5s);
  EXPECT_EQ(job(run.id).state, JobState::completed);
}

TEST_F(RefusedSettlementTest, AJobThatIsLetGoOfUnsettledIsHandedBackByTheBeats) {
  refuse_snoozes(kWritesMax + 1);
  const AgentRun run = begin_with_tool();
  pass(kWriteAgainAfter * kWritesMax);
  EXPECT_TRUE(runtime_->idle());
  EXPECT_EQ(job(run.id).state, JobState::running) << "in nobody's hand";
  pass(kRuntimeBeat * 3);
  EXPECT_EQ(job(run.id).state, JobState::scheduled) << "taken again, and parked";
  EXPECT_EQ(job(run.id).rescues, 0U);
}

// The store or the model stops answering at the nth call, the node dies and another one takes over: whatever n is, the run
// completes, no answer that was stored is asked for again and no tool that had finished is run again.
class CrashTest : public Stage {
 protected:
  // Everything the tools are given is answered; whatever the node does goes on meanwhile.
  void work_until_done(JobId run) {
    for (int round = 0; round < 60 && !is_final(state(run)); ++round) {
      for (const Grant& grant : take_tools({"lint", "test"})) answer(grant, R"("done")");
      pass(5s);
    }
  }
};

TEST_F(CrashTest, AtEveryPointOfARunWithTwoTools) {
  std::size_t points = 0;
  std::size_t answers = 0;
  api_ = std::make_shared<ScriptedApi>([&answers](const std::string& params) -> Result<claude::Answer> {
    ++answers;
    const std::size_t results = params.find("tool_result") == std::string::npos ? 0 : 1;
    return results == 0 ? tool_answer({tool_block("t1", "lint"), tool_block("t2", "test")}) : text_answer("fine");
  });
  start_node();
  tool("lint");
  tool("test");
  agent("code", {"lint", "test"});
  bool died = true;
  for (std::size_t n = 1; died; ++n) {
    SCOPED_TRACE(n);
    ASSERT_LT(n, 200U);
    executed_.clear();
    std::size_t calls = 0;
    died = false;
    // The nth write of the node is made and never answered; from then on nothing it asks is even made.
    const auto dies = [&] {
      if (died) return true;
      died = ++calls == n;
      return false;
    };
    scripted_.on(store::Verb::write_agent_run, [&](store::AgentRunWrite write, Reply<store::AgentRunWritten> reply) {
      if (dies()) return;
      if (died) return store_->write_agent_run(std::move(write), [](Result<store::AgentRunWritten>) {});
      store_->write_agent_run(std::move(write), std::move(reply));
    });
    scripted_.on(store::Verb::view_agent_run, [&](JobId run, Reply<store::AgentRunView> reply) {
      if (dies() || died) return;
      store_->view_agent_run(run, std::move(reply));
    });
    scripted_.on(store::Verb::snooze, [&](std::vector<store::Snooze> batch, Reply<store::Each<store::Settled>> reply) {
      if (dies()) return;
      if (died) return store_->snooze(std::move(batch), [](Result<store::Each<store::Settled>>) {});
      store_->snooze(std::move(batch), std::move(reply));
    });
    scripted_.on(store::Verb::list_messages, [&](store::MessageQuery query, Reply<store::MessagePage> reply) {
      if (dies() || died) return;
      store_->list_messages(std::move(query), std::move(reply));
    });
    const std::size_t before = answers;
    const AgentRun run = begin("code", "check");
    for (int round = 0; round < 3 && !died; ++round) {
      for (const Grant& grant : take_tools({"lint", "test"}, 1)) answer(grant, R"("done")");
    }
    if (died) {
      ++points;
      crash();
    }
    for (const auto verb :
         {store::Verb::write_agent_run, store::Verb::view_agent_run, store::Verb::snooze, store::Verb::list_messages})
      scripted_.off(verb);
    if (!base_) {
      pass(65s);
      start_node();
    }
    work_until_done(run.id);
    const auto seen = look(run.id);
    EXPECT_EQ(seen.run.state, AgentRunState::completed) << seen.run.error_message;
    EXPECT_EQ(seen.run.iterations, 2U);
    EXPECT_EQ(executed_["lint"], 1);
    EXPECT_EQ(executed_["test"], 1);
    EXPECT_EQ(messages(run.session).size(), 4U);
    // Only an answer that never reached the store may be asked for once more.
    std::size_t made = 0;
    for (const Iteration& one : seen.iterations) made += one.attempts;
    EXPECT_LE(answers - before, made);
    EXPECT_LE(answers - before, 3U);
  }
  EXPECT_GE(points, 12U);
}

// A full disk, or a database that restarts: from the nth call on the store refuses everything for a while, or does what it is
// asked once more and cannot say so. Whatever n is, the run completes, no call of the model is repeated and no tool.
class OutageTest : public Stage {
 protected:
  void prepare() {
    api_ = std::make_shared<ScriptedApi>([this](const std::string& params) -> Result<claude::Answer> {
      ++calls_;
      if (params.find("tool_result") != std::string::npos) return text_answer("fine");
      return tool_answer({tool_block("t1", "lint"), tool_block("t2", "test")});
    });
    start_node();
    tool("lint");
    tool("test");
    agent("code", {"lint", "test"});
    take_tools({"lint", "test"});
  }
  enum class Kind : std::uint8_t { refuses, forgets };
  // From the nth call about the run on. `forgets`: that one is done, and its answer is lost.
  void fail_at(std::size_t n, Kind kind) {
    left_ = n;
    out_ = false;
    on_call(store::Verb::write_agent_run, &store::Store::write_agent_run, kind);
    on_call(store::Verb::view_agent_run, &store::Store::view_agent_run, kind);
    on_call(store::Verb::list_messages, &store::Store::list_messages, kind);
    on_call(store::Verb::snooze, &store::Store::snooze, kind);
    on_call(store::Verb::complete, &store::Store::complete, kind);
  }
  void recover() {
    out_ = false;
    scripted_.fail_with(std::nullopt);
    for (const auto verb : {store::Verb::write_agent_run, store::Verb::view_agent_run, store::Verb::list_messages,
                            store::Verb::snooze, store::Verb::complete})
      scripted_.off(verb);
  }

  std::size_t calls_ = 0;  // of the model
  std::size_t left_ = 0;   // calls of the store until it fails
  bool out_ = false;

 private:
  template <class Noun, class Given, class Answer>
  void on_call(store::Verb verb, void (Noun::*method)(Given, Reply<Answer>), Kind kind) {
    scripted_.on(verb, [this, method, kind](Given given, Reply<Answer> reply) {
      if (out_) return reply(Status::unavailable("the disk is full"));
      if (left_ == 0 || --left_ > 0) return ((*store_).*method)(std::move(given), std::move(reply));
      out_ = true;
      scripted_.fail_with(Status::unavailable("the disk is full"));
      if (kind == Kind::refuses) return reply(Status::unavailable("the disk is full"));
      ((*store_).*method)(std::move(given), [reply = std::move(reply)](const Result<Answer>&) mutable {
        reply(Status::outcome_unknown("the connection was lost"));
      });
    });
  }
};

TEST_F(OutageTest, NothingIsLostAndNothingIsDoneTwice) {
  prepare();
  std::size_t points = 0;
  for (const Kind kind : {Kind::refuses, Kind::forgets}) {
    bool failed = true;
    for (std::size_t n = 1; failed; ++n) {
      SCOPED_TRACE(testing::Message() << (kind == Kind::refuses ? "refused at " : "forgotten at ") << n);
      ASSERT_LT(n, 100U);
      executed_.clear();
      calls_ = 0;
      const AgentRun run = begin("code", "check");
      ASSERT_EQ(state(run.id), AgentRunState::pending_tools);
      const auto grants = take_tools({"lint", "test"});
      ASSERT_EQ(grants.size(), 2U);
      // From here on: the tools end, and the run goes on.
      fail_at(n, kind);
      door_->run(command::itself(), command::JobCompleteRequest{.lease = {grants[0].id, grants[0].fence}, .result = {}},
                 Reply<store::Settled>([](const Result<store::Settled>&) {}));
      settle();
      door_->run(command::itself(), command::JobCompleteRequest{.lease = {grants[1].id, grants[1].fence}, .result = {}},
                 Reply<store::Settled>([](const Result<store::Settled>&) {}));
      pass(20s);
      failed = out_;
      points += failed ? 1 : 0;
      recover();
      // A tool whose end the store did not take says so again.
      for (const Grant& grant : grants)
        if (!is_finished(job(grant.id).state)) answer(grant, R"("done")");
      pass(settings_.tool_look_every + 15s);
      const auto seen = look(run.id);
      EXPECT_EQ(seen.run.state, AgentRunState::completed) << seen.run.error_message;
      EXPECT_EQ(job(run.id).state, JobState::completed);
      EXPECT_EQ(calls_, 2U);
      EXPECT_EQ(seen.run.iterations, 2U);
      EXPECT_EQ(messages(run.session).size(), 4U);
      for (const ToolExecution& one : seen.executions) EXPECT_EQ(one.attempts, 1U);
    }
  }
  EXPECT_GE(points, 12U);
}

TEST_F(OutageTest, AnAnswerThatArrivesMeanwhileIsKept) {
  prepare();
  api_->hold();
  const AgentRun run = begin("code", "check");
  ASSERT_EQ(api_->held(), 1U);
  scripted_.fail_with(Status::unavailable("the database restarts"));
  api_->let_go();
  pass(30s);
  scripted_.fail_with(std::nullopt);
  pass(5s);
  EXPECT_EQ(state(run.id), AgentRunState::pending_tools);
  EXPECT_EQ(calls_, 1U);
  for (const Grant& grant : take_tools({"lint", "test"})) answer(grant, R"("done")");
  EXPECT_EQ(state(run.id), AgentRunState::completed);
  EXPECT_EQ(calls_, 2U);
}

}  // namespace
}  // namespace muster::agents
