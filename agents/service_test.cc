// What the agent commands mean: fields and their ranges, names and ids, approvals, forks, compaction.
#include "agents/service.h"

#include "agents/stage_testing.h"
#include "agents/validate.h"
#include "command/namespaces.h"

namespace muster::agents {
namespace {

using namespace std::chrono_literals;
using claude::ScriptedApi;
using claude::text_answer;
using claude::tool_answer;
using claude::tool_block;

class ServiceTest : public Stage {
 protected:
  Status created(void (*change)(AgentSpec&)) {
    AgentSpec spec;
    spec.name = "a";
    spec.model = "m";
    change(spec);
    return ask(command::AgentCreateRequest{.agent = spec}).status();
  }
  Status defined(void (*change)(ToolSpec&)) {
    ToolSpec spec;
    spec.name = ToolName("t");
    change(spec);
    return ask(command::ToolDefineRequest{.tool = spec}).status();
  }
};

TEST_F(ServiceTest, FieldsOfAnAgentHaveRanges) {
  start_node();
  EXPECT_EQ(created([](AgentSpec& a) { a.name = ""; }).message(), "name is empty; 1 to 255 bytes are accepted");
  EXPECT_EQ(created([](AgentSpec& a) { a.model = ""; }).code(), Code::invalid_argument);
  EXPECT_EQ(created([](AgentSpec& a) { a.temperature = 1.5; }).message(), "temperature is 1.5; 0 to 1 is accepted");
  EXPECT_EQ(created([](AgentSpec& a) { a.max_tokens = 0; }).code(), Code::invalid_argument);
  EXPECT_EQ(created([](AgentSpec& a) { a.iterations_max = 0; }).code(), Code::invalid_argument);
  EXPECT_EQ(created([](AgentSpec& a) { a.metadata = "[1]"; }).message(), "metadata is no JSON object");
  EXPECT_EQ(created([](AgentSpec& a) { a.thinking = "yes"; }).code(), Code::invalid_argument);
  EXPECT_EQ(created([](AgentSpec& a) { a.tools = {ToolName("no such/name")}; }).code(), Code::invalid_argument);
  EXPECT_EQ(created([](AgentSpec& a) { a.system_prompt = std::string(limits::kAgentTextMax + 1, 'x'); }).code(),
            Code::invalid_argument);
  EXPECT_EQ(created([](AgentSpec& a) { a.delegates = {AgentId{Uuid{1, 2}}}; }).code(), Code::not_found);
  EXPECT_EQ(created([](AgentSpec&) {}).code(), Code::ok);
  EXPECT_EQ(created([](AgentSpec&) {}).code(), Code::already_exists);
  EXPECT_EQ(created([](AgentSpec& a) { a.metadata = R"({ "x" : 1 })"; }).code(), Code::ok) << "the name with other metadata";
  EXPECT_EQ(created([](AgentSpec& a) { a.metadata = R"({"x":1})"; }).code(), Code::already_exists) << "however it is written";
}

TEST_F(ServiceTest, ASchemaThatIsNoneIsRefused) {
  start_node();
  EXPECT_EQ(defined([](ToolSpec& t) { t.input_schema = "{"; }).message(), "input_schema is not JSON");
  EXPECT_EQ(defined([](ToolSpec& t) { t.input_schema = R"({"type":"object","properties":7})"; }).code(), Code::invalid_argument);
  EXPECT_EQ(defined([](ToolSpec& t) { t.input_schema = R"({"type":"string"})"; }).code(), Code::invalid_argument);
  EXPECT_EQ(defined([](ToolSpec& t) { t.name = ToolName(std::string(128, 'x')); }).code(), Code::invalid_argument);
  EXPECT_EQ(defined([](ToolSpec& t) { t.attempts_max = 0; }).code(), Code::invalid_argument);
  EXPECT_EQ(defined([](ToolSpec&) {}).code(), Code::ok);
}

TEST_F(ServiceTest, AgentsAreKnownByIdAndByANameThatOneHas) {
  start_node();
  const Agent one = agent("twin");
  EXPECT_EQ(ask(command::AgentGetRequest{.agent = "twin"})->id, one.id);
  EXPECT_EQ(ask(command::AgentGetRequest{.agent = one.id.text()})->spec.name, "twin");
  EXPECT_EQ(ask(command::AgentGetRequest{.agent = "nobody"}).code(), Code::not_found);
  AgentSpec other = one.spec;
  other.metadata = R"({"tenant":2})";
  ASSERT_TRUE(ask(command::AgentCreateRequest{.agent = other}).ok());
  EXPECT_EQ(ask(command::AgentGetRequest{.agent = "twin"}).code(), Code::conflict);
  AgentSpec changed = one.spec;
  changed.delegates = {one.id};
  EXPECT_EQ(ask(command::AgentUpdateRequest{.id = one.id, .agent = changed}).code(), Code::invalid_argument);
  changed.delegates = {};
  changed.model = "claude-y";
  const auto updated = ask(command::AgentUpdateRequest{.id = one.id, .agent = changed});
  ASSERT_TRUE(updated.ok()) << updated.status().text();
  EXPECT_EQ(updated->spec.model, "claude-y");
  EXPECT_EQ(ask(command::AgentUpdateRequest{.id = one.id, .agent = changed, .revision = one.revision}).code(), Code::conflict);
}

// A database may not even be able to look for it.
TEST_F(ServiceTest, ANameThatNobodyCanHaveIsRefused) {
  start_node();
  for (const std::string& name : {std::string("\xff"), std::string("a\0b", 3), std::string(300, 'x'), std::string()}) {
    EXPECT_EQ(ask(command::AgentGetRequest{.agent = name}).code(), Code::invalid_argument) << name;
    EXPECT_EQ(ask(command::ToolGetRequest{.tool = ToolName(name)}).code(), Code::invalid_argument) << name;
    EXPECT_EQ(ask(command::ToolDeleteRequest{.tool = ToolName(name)}).code(), Code::invalid_argument) << name;
    EXPECT_EQ(ask(command::ToolRunRequest{.tool = ToolName(name)}).code(), Code::invalid_argument) << name;
    if (name.empty()) continue;  // of all names
    EXPECT_EQ(ask(store::AgentQuery{.ns = NamespaceName(kDefaultNamespace), .name = name}).code(), Code::invalid_argument);
  }
  EXPECT_EQ(ask(command::ToolGetRequest{.tool = ToolName("nobody")}).code(), Code::not_found);
}

TEST_F(ServiceTest, WithoutAKeyEverythingIsKeptAndNothingIsStarted) {
  start_node();
  agent("plain");
  const auto started = ask(command::AgentRunStartRequest{.agent = "plain", .prompt = "hi"});
  EXPECT_EQ(started.code(), Code::unavailable);
  EXPECT_NE(started.status().message().find("ANTHROPIC_API_KEY"), std::string::npos);
}

TEST_F(ServiceTest, WhatIsNotThereIsSaid) {
  api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{});
  start_node();
  agent("plain");
  EXPECT_EQ(ask(command::AgentRunStartRequest{.agent = "nobody", .prompt = "hi"}).code(), Code::not_found);
  EXPECT_EQ(ask(command::AgentRunStartRequest{.agent = "plain", .session = AgentSessionId{Uuid{1, 1}}, .prompt = "hi"}).code(),
            Code::not_found);
  EXPECT_EQ(ask(command::AgentRunStartRequest{.agent = "plain", .prompt = ""}).code(), Code::invalid_argument);
  EXPECT_EQ(ask(command::AgentRunStartRequest{.agent = "plain", .prompt = std::string(5 << 20, 'x')}).code(),
            Code::invalid_argument);
  EXPECT_EQ(ask(command::AgentRunStartRequest{.agent = "plain", .prompt = "\xFF"}).code(), Code::invalid_argument);
  EXPECT_EQ(ask(command::AgentRunStartRequest{.agent = "plain", .prompt = "hi", .variables = "7"}).code(),
            Code::invalid_argument);
  EXPECT_EQ(ask(command::ToolRunRequest{.tool = ToolName("nothing")}).code(), Code::not_found);
  EXPECT_EQ(ask(command::AgentRunGetRequest{.run = JobId{Uuid{1, 1}}}).code(), Code::not_found);
}

TEST_F(ServiceTest, ARunOfAnotherNamespaceIsNotThere) {
  api_ = std::make_shared<ScriptedApi>([](const std::string&) -> Result<claude::Answer> { return text_answer("ok"); });
  start_node();
  agent("plain");
  const AgentRun run = begin("plain", "hi");
  EXPECT_EQ(ask(command::AgentRunGetRequest{.ns = NamespaceName("other"), .run = run.id}).code(), Code::not_found);
  EXPECT_EQ(ask(command::AgentRunCancelRequest{.ns = NamespaceName("other"), .run = run.id}).code(), Code::not_found);
  EXPECT_EQ(ask(command::AgentRunDecideRequest{.ns = NamespaceName("other"), .run = run.id}).code(), Code::not_found);
  EXPECT_EQ(ask(command::AgentRunForkRequest{.ns = NamespaceName("other"), .run = run.id}).code(), Code::not_found);
  const NamespaceName other("other");
  ASSERT_TRUE(ask(command::NamespaceCreateRequest{.name = other}).ok());
  const auto session = ask(command::SessionCreateRequest{.ns = other});
  ASSERT_TRUE(session.ok()) << session.status().text();
  command::SessionMessagesRequest request{.ns = other, .query = {.session = session->id, .context_of = run.id}};
  EXPECT_EQ(ask(request).code(), Code::not_found) << "nor is it said that it is somewhere else";
}

TEST_F(ServiceTest, AStartThatIsRepeatedIsTheSameRun) {
  api_ = std::make_shared<ScriptedApi>([](const std::string&) -> Result<claude::Answer> { return text_answer("ok"); });
  start_node();
  agent("plain");
  const command::AgentRunStartRequest request{.agent = "plain", .prompt = "hi", .idempotency_key = "once"};
  const auto first = ask(request);
  const auto again = ask(request);
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_FALSE(first->existed);
  EXPECT_TRUE(again->existed);
  EXPECT_EQ(again->run.id, first->run.id);
  EXPECT_EQ(ask(store::SessionQuery{.ns = NamespaceName(kDefaultNamespace)})->sessions.size(), 1U)
      << "no session was begun twice";
}

TEST_F(ServiceTest, AStartThatIsRefusedLeavesNoSessionBehind) {
  api_ = std::make_shared<ScriptedApi>([](const std::string&) -> Result<claude::Answer> { return text_answer("ok"); });
  start_node();
  agent("plain");
  const auto sessions = [this] { return ask(store::SessionQuery{.ns = NamespaceName(kDefaultNamespace)})->total; };
  const std::string long_key(limits::kKeyBytesMax + 1, 'k');
  EXPECT_EQ(ask(command::AgentRunStartRequest{.agent = "plain", .prompt = "hi", .idempotency_key = long_key}).code(),
            Code::invalid_argument);
  EXPECT_EQ(sessions(), 0U);
  scripted_.on(store::Verb::start_agent_run,
               [](const store::AgentRunStart&) -> Result<store::AgentRunStarted> { return Status::exhausted("too many jobs"); });
  EXPECT_EQ(ask(command::AgentRunStartRequest{.agent = "plain", .prompt = "hi"}).code(), Code::exhausted);
  EXPECT_EQ(sessions(), 0U);
  scripted_.off(store::Verb::start_agent_run);
  const AgentRun run = begin("plain", "hi");
  EXPECT_EQ(ask(command::AgentRunForkRequest{.run = run.id, .prompt = "else"}).code(), Code::ok);
  EXPECT_EQ(sessions(), 2U);
}

// The answer is paid for: it is kept, and the model is told.
TEST_F(ServiceTest, AnAnswerIsKeptThoughTheAgentThatItCallsIsGone) {
  api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{
      tool_answer({tool_block("t1", "inner", R"({"task":"look"})")}), text_answer("never mind")});
  api_->hold();
  start_node();
  const Agent inner = agent("inner");
  agent("outer", {}, {inner.id});
  const AgentRun run = begin("outer", "ask the other one");
  ASSERT_EQ(api_->held(), 1U);
  ASSERT_TRUE(ask(command::AgentDeleteRequest{.id = inner.id}).ok());
  api_->let_go();
  settle();
  const auto seen = look(run.id);
  EXPECT_EQ(seen.run.state, AgentRunState::completed) << seen.run.error_message;
  ASSERT_EQ(seen.executions.size(), 1U);
  EXPECT_EQ(seen.executions[0].error_message, "There is no tool named 'inner'. Tools: none.");
  EXPECT_EQ(api_->asked("stream"), 2U);
  EXPECT_EQ(seen.run.usage.total(), 30U);
}

// A node that reads all of it is out of memory, and so is the next one.
TEST_F(ServiceTest, AConversationIsReadUpToABound) {
  api_ = std::make_shared<ScriptedApi>([](const std::string&) -> Result<claude::Answer> { return text_answer("ok"); });
  start_node();
  agent("plain");
  const AgentRun before = begin("plain", "hi");
  std::size_t pages = 0;
  scripted_.on(store::Verb::list_messages, [&](const store::MessageQuery& query) -> Result<store::MessagePage> {
    if (++pages > 100) return Status::internal("it reads on and on");
    AgentMessage message;
    message.session = query.session;
    message.number = query.after + 1;
    message.blocks = R"([{"type":"text","text":")" + std::string(8 * 1024 * 1024, 'x') + R"("}])";
    return store::MessagePage{.messages = {std::move(message)}, .more = true};
  });
  const AgentRun run = begin("plain", "and now", RunMode::streaming, before.session);
  EXPECT_LE(pages, 9U);
  EXPECT_EQ(ask(command::SessionCompactRequest{.id = before.session}).code(), Code::exhausted);
  EXPECT_LE(pages, 9U + 33);
  scripted_.off(store::Verb::list_messages);
  const auto seen = look(run.id);
  EXPECT_EQ(seen.run.state, AgentRunState::failed);
  EXPECT_NE(seen.run.error_message.find("has more than 67108864 bytes"), std::string::npos) << seen.run.error_message;
  EXPECT_EQ(api_->asked("stream"), 1U);
}

TEST_F(ServiceTest, AnUpdateThatNamesNoRevisionIsMadeWhoeverWasFaster) {
  start_node();
  const Agent made = agent("busy");
  const auto session = ask(command::SessionCreateRequest{});
  ASSERT_TRUE(session.ok());
  int faster = 2;
  scripted_.on(store::Verb::put_agent, [&](store::AgentPut put, Reply<Agent> reply) {
    if (faster-- > 0) return reply(Status::conflict("it moved on"));
    store_->put_agent(std::move(put), std::move(reply));
  });
  AgentSpec spec = made.spec;
  spec.description = "second";
  EXPECT_EQ(ask(command::AgentUpdateRequest{.id = made.id, .agent = spec})->spec.description, "second");
  faster = 1;
  EXPECT_EQ(ask(command::AgentUpdateRequest{.id = made.id, .agent = spec, .revision = 2}).code(), Code::conflict);
  faster = 1'000;
  EXPECT_EQ(ask(command::AgentUpdateRequest{.id = made.id, .agent = spec}).code(), Code::conflict) << "not for ever";
  int moved = 2;
  scripted_.on(store::Verb::update_session, [&](AgentSession given, Reply<AgentSession> reply) {
    if (moved-- > 0) return reply(Status::conflict("it moved on"));
    store_->update_session(std::move(given), std::move(reply));
  });
  EXPECT_EQ(ask(command::SessionUpdateRequest{.id = session->id, .metadata = R"({"a":1})"})->metadata, R"({"a":1})");
}

TEST_F(ServiceTest, ToolsCanBeTriedWithoutAModel) {
  start_node();
  tool("add", ToolApproval::never, R"({"type":"object","required":["n"]})");
  EXPECT_EQ(ask(command::ToolRunRequest{.tool = ToolName("add")}).code(), Code::invalid_argument);
  ASSERT_TRUE(ask(command::ToolRunRequest{.tool = ToolName("add"), .input = R"({"n":1})"}).ok());
  EXPECT_EQ(take_tools({"add"}).size(), 1U);
}

class ApprovalTest : public Stage {
 protected:
  AgentRun ask_for(const std::vector<std::string>& calls) {
    api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{tool_answer(calls), text_answer("ok")});
    start_node();
    tool("pay", ToolApproval::ask, R"({"type":"object","properties":{"sum":{"type":"integer"}}})");
    agent("clerk", {"pay"});
    return begin("clerk", "pay");
  }
};

TEST_F(ApprovalTest, NothingRunsBeforeSomebodySaysYes) {
  const AgentRun run = ask_for({tool_block("t1", "pay", R"({"sum":5})")});
  EXPECT_EQ(state(run.id), AgentRunState::awaiting_input);
  EXPECT_TRUE(take_tools({"pay"}).empty());
  EXPECT_EQ(ask(store::ExecutionQuery{.ns = NamespaceName(kDefaultNamespace), .approval_asked = true})->executions.size(), 1U);
  const auto decided = ask(command::AgentRunDecideRequest{.run = run.id, .approve = true});
  ASSERT_TRUE(decided.ok()) << decided.status().text();
  EXPECT_EQ(decided->run.state, AgentRunState::pending_tools);
  const auto grants = take_tools({"pay"});
  ASSERT_EQ(grants.size(), 1U);
  EXPECT_EQ(grants[0].payload.data, R"({"sum":5})");
  answer(grants[0], R"("paid")");
  const auto seen = look(run.id);
  EXPECT_EQ(seen.run.state, AgentRunState::completed);
  EXPECT_EQ(seen.executions[0].decided_by, "ops");
  EXPECT_EQ(seen.executions[0].approval, ApprovalState::approved);
  EXPECT_TRUE(seen.executions[0].decided_at.has_value());
  EXPECT_EQ(ask(command::AgentRunDecideRequest{.run = run.id, .approve = true}).code(), Code::conflict);
}

TEST_F(ApprovalTest, AnInputMayBeChangedWithinTheSchema) {
  const AgentRun run = ask_for({tool_block("t1", "pay", R"({"sum":500})")});
  EXPECT_EQ(ask(command::AgentRunDecideRequest{.run = run.id, .approve = true, .input = R"({"sum":"few"})"}).code(),
            Code::invalid_argument);
  ASSERT_TRUE(ask(command::AgentRunDecideRequest{.run = run.id, .approve = true, .input = R"({"sum":5})"}).ok());
  EXPECT_EQ(take_tools({"pay"}).at(0).payload.data, R"({"sum":5})");
}

TEST_F(ApprovalTest, ANoGoesToTheModel) {
  const AgentRun run = ask_for({tool_block("t1", "pay"), tool_block("t2", "pay")});
  const auto waiting = look(run.id).executions;
  ASSERT_EQ(waiting.size(), 2U);
  ASSERT_TRUE(
      ask(command::AgentRunDecideRequest{.run = run.id, .execution = waiting[1].id, .approve = false, .reason = "too much"})
          .ok());
  EXPECT_EQ(state(run.id), AgentRunState::awaiting_input) << "the other one still waits";
  ASSERT_TRUE(ask(command::AgentRunDecideRequest{.run = run.id, .approve = false}).ok());
  EXPECT_EQ(state(run.id), AgentRunState::completed);
  EXPECT_NE(messages(run.session)[2].blocks.find("denied by a person: too much"), std::string::npos);
  EXPECT_TRUE(take_tools({"pay"}).empty());
}

TEST_F(ApprovalTest, ARunThatWasCancelledAsksNobodyAnyMore) {
  const AgentRun run = ask_for({tool_block("t1", "pay")});
  const store::ExecutionQuery waiting{.ns = NamespaceName(kDefaultNamespace), .approval_asked = true};
  ASSERT_EQ(ask(waiting)->executions.size(), 1U);
  ASSERT_TRUE(ask(command::AgentRunCancelRequest{.run = run.id, .reason = "never mind"}).ok());
  EXPECT_TRUE(ask(waiting)->executions.empty());
  EXPECT_EQ(look(run.id).executions.at(0).state, ToolExecutionState::skipped);
}

TEST_F(ServiceTest, AForkGoesOnFromAnyMessage) {
  api_ = std::make_shared<ScriptedApi>([](const std::string& params) -> Result<claude::Answer> {
    return text_answer(params.find("one") != std::string::npos ? "knows one" : "knows nothing");
  });
  start_node();
  agent("plain");
  const AgentRun first = begin("plain", "one");
  const AgentRun second = begin("plain", "two", RunMode::streaming, first.session);
  const auto before = ask(command::AgentRunForkRequest{.run = second.id, .prompt = "instead"});
  ASSERT_TRUE(before.ok()) << before.status().text();
  EXPECT_NE(before->run.session, first.session);
  EXPECT_EQ(look(before->run.id).run.response_text, "knows one");
  ASSERT_EQ(messages(before->run.session).size(), 4U);
  EXPECT_EQ(messages(first.session).size(), 4U) << "the session itself is as it was";
  const auto start = ask(command::AgentRunForkRequest{.run = first.id, .prompt = "else"});
  ASSERT_TRUE(start.ok()) << start.status().text();
  EXPECT_EQ(look(start->run.id).run.response_text, "knows nothing");
  const auto through = ask(command::AgentRunForkRequest{.run = second.id, .through = 1});
  ASSERT_TRUE(through.ok()) << through.status().text();
  EXPECT_EQ(look(through->run.id).run.prompt, "two");
  EXPECT_EQ(messages(through->run.session).size(), 3U);
}

// Everything that was said later would be copied as if it had been said before.
TEST_F(ServiceTest, AForkBeforeAPromptThatWasCompactedAwayIsRefused) {
  api_ = std::make_shared<ScriptedApi>([](const std::string&) -> Result<claude::Answer> { return text_answer("yes"); });
  settings_.compaction.protected_tokens = 0;
  settings_.compaction.preserve_last = 1;
  start_node();
  agent("plain");
  const AgentRun first = begin("plain", "one");
  const AgentRun second = begin("plain", "two", RunMode::streaming, first.session);
  const AgentRun third = begin("plain", "three", RunMode::streaming, first.session);
  const auto done = ask(command::SessionCompactRequest{.id = first.session, .strategy = kSummarization});
  ASSERT_TRUE(done.ok() && done->done);
  const auto refused = ask(command::AgentRunForkRequest{.run = second.id});
  EXPECT_EQ(refused.code(), Code::conflict) << refused.status().text();
  ASSERT_TRUE(ask(command::SessionRestoreRequest{.id = first.session, .event = done->event->id}).ok());
  const auto forked = ask(command::AgentRunForkRequest{.run = second.id});
  ASSERT_TRUE(forked.ok()) << forked.status().text();
  EXPECT_EQ(messages(forked->run.session).size(), 4U) << "what was before it, and what it says itself";
  EXPECT_EQ(messages(third.session).size(), 6U);
}

TEST_F(ServiceTest, Case63CompactionKeepsWhatItTakesAway) {
  api_ = std::make_shared<ScriptedApi>([](const std::string& params) -> Result<claude::Answer> {
    return text_answer(params.find("memory of a conversation") != std::string::npos ? "they greeted" : std::string(400, 'y'));
  });
  settings_.compaction.window = 1'000;
  settings_.compaction.target = 100;
  settings_.compaction.protected_tokens = 150;
  settings_.compaction.preserve_last = 1;
  start_node();
  agent("plain");
  const AgentRun run = begin("plain", std::string(400, 'x'));
  for (int i = 0; i < 5; ++i) begin("plain", std::string(400, 'x'), RunMode::streaming, run.session);
  const auto before = messages(run.session);
  ASSERT_EQ(before.size(), 12U);
  EXPECT_EQ(ask(command::SessionCompactRequest{.id = run.session, .strategy = "magic"}).code(), Code::invalid_argument);
  const auto done = ask(command::SessionCompactRequest{.id = run.session, .strategy = kHybrid, .only_if_needed = true});
  ASSERT_TRUE(done.ok()) << done.status().text();
  EXPECT_TRUE(done->done);
  EXPECT_EQ(done->event->summary, "they greeted");
  const auto after = messages(run.session);
  EXPECT_LT(after.size(), before.size());
  EXPECT_TRUE(after.front().summary);
  const auto session = ask(command::SessionGetRequest{.id = run.session});
  EXPECT_EQ(session->session.compactions, 1U);
  EXPECT_EQ(state(begin("plain", "and now", RunMode::streaming, run.session).id), AgentRunState::completed);
  EXPECT_NE(api_->asked().back().text.find("they greeted"), std::string::npos);
  EXPECT_EQ(ask(command::SessionCompactionsRequest{.query = {.session = run.session}})->events.size(), 1U);
  const auto restored = ask(command::SessionRestoreRequest{.id = run.session, .event = done->event->id});
  ASSERT_TRUE(restored.ok()) << restored.status().text();
  const auto back = messages(run.session);
  ASSERT_EQ(back.size(), 14U);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(back[i].blocks, before[i].blocks);
}

// A session whose next compaction asks the model for a summary; every answer takes 15 tokens.
class SummaryTest : public ServiceTest {
 protected:
  void talk(const AgentBudget& budget) {
    api_ = std::make_shared<ScriptedApi>([this](const std::string& params) -> Result<claude::Answer> {
      if (params.find("memory of a conversation") == std::string::npos) return text_answer(std::string(400, 'y'));
      ++summaries_;
      return text_answer("they greeted");
    });
    settings_.compaction.window = 1'000;
    settings_.compaction.target = 100;
    settings_.compaction.protected_tokens = 150;
    settings_.compaction.preserve_last = 1;
    settings_.prices = *Prices::parse({"scripted=1/2"});
    start_node();
    AgentSpec spec = agent("plain").spec;
    spec.budget = budget;
    const auto found = ask(command::AgentGetRequest{.agent = "plain"});
    ASSERT_TRUE(found.ok());
    agent_ = found->id;
    const auto updated = ask(command::AgentUpdateRequest{.id = agent_, .agent = spec});
    ASSERT_TRUE(updated.ok()) << updated.status().text();
    run_ = begin("plain", std::string(400, 'x'));
    for (int i = 0; i < 5; ++i) run_ = begin("plain", std::string(400, 'x'), RunMode::streaming, run_.session);
    ASSERT_EQ(state(run_.id), AgentRunState::completed);
  }
  Result<command::SessionCompactReply> compact() {
    return ask(command::SessionCompactRequest{.id = run_.session, .strategy = kSummarization});
  }
  store::SpendingView spent() {
    std::optional<store::SpendingView> out;
    store_->get_spending({.ns = NamespaceName(kDefaultNamespace), .session = run_.session, .agent = agent_, .day = clock_.now()},
                         Reply<store::SpendingView>([&out](Result<store::SpendingView> view) { out = *view; }));
    settle();
    return out.value_or(store::SpendingView());
  }

  AgentId agent_;
  AgentRun run_;  // the last one
  int summaries_ = 0;
};

TEST_F(SummaryTest, IsPaidForByRunSessionAgentAndNamespace) {
  talk({});
  const store::SpendingView before = spent();
  const AgentRun run = look(run_.id).run;
  ASSERT_EQ(before.session.usage.total(), 6U * 15);
  const auto done = compact();
  ASSERT_TRUE(done.ok()) << done.status().text();
  ASSERT_EQ(summaries_, 1);
  const store::SpendingView after = spent();
  for (const auto scope :
       {&store::SpendingView::session, &store::SpendingView::agent_today, &store::SpendingView::namespace_today}) {
    EXPECT_EQ((after.*scope).usage.total(), (before.*scope).usage.total() + 15);
    EXPECT_EQ((after.*scope).microdollars, (before.*scope).microdollars + 20) << "10 at one microdollar, 5 at two";
  }
  EXPECT_EQ(look(run_.id).run.usage.total(), run.usage.total() + 15);
  EXPECT_EQ(look(run_.id).run.microdollars, run.microdollars + 20);
}

TEST_F(SummaryTest, IsNotMadeWhenABudgetIsUsedUp) {
  talk({.tokens_per_session = 6 * 15});
  const std::size_t before = messages(run_.session).size();
  const auto refused = compact();
  EXPECT_EQ(refused.code(), Code::exhausted);
  EXPECT_NE(refused.status().message().find("the session has spent 90 of 90 tokens"), std::string::npos)
      << refused.status().message();
  EXPECT_EQ(summaries_, 0);
  EXPECT_EQ(messages(run_.session).size(), before);
}

TEST_F(SummaryTest, IsNotMadeWhenTheDayOfTheNamespaceIsUsedUp) {
  settings_.budgets["*"].microdollars_per_day = 6 * 20;
  talk({});
  const auto refused = compact();
  EXPECT_EQ(refused.code(), Code::exhausted);
  EXPECT_NE(refused.status().message().find("the namespace today"), std::string::npos) << refused.status().message();
  EXPECT_EQ(summaries_, 0);
}

TEST_F(SummaryTest, IsCountedThoughTheSessionHasChangedMeanwhile) {
  talk({});
  api_->hold();
  std::optional<Code> ended;
  door_->run(command::itself(), command::SessionCompactRequest{.id = run_.session, .strategy = kSummarization},
             Reply<command::SessionCompactReply>([&ended](Result<command::SessionCompactReply> done) { ended = done.code(); }));
  settle();
  ASSERT_EQ(api_->held(), 1U);
  ASSERT_TRUE(ask(command::SessionUpdateRequest{.id = run_.session, .metadata = R"({"a":1})"}).ok());
  const std::uint64_t before = spent().session.usage.total();
  api_->let_go();
  settle();
  EXPECT_EQ(ended, Code::conflict);
  EXPECT_EQ(spent().session.usage.total(), before + 15);
}

// Neither the summary nor what it cost is lost, and nothing is counted twice.
TEST_F(SummaryTest, WaitsForAStoreThatIsAwayForAMoment) {
  talk({});
  int refusals = 3;
  scripted_.on(store::Verb::write_agent_run, [&](store::AgentRunWrite write, Reply<store::AgentRunWritten> reply) {
    if (refusals-- > 0) return reply(Status::unavailable("the disk is full"));
    store_->write_agent_run(std::move(write), std::move(reply));
  });
  int away = 2;
  scripted_.on(store::Verb::compact_session, [&](store::Compaction compaction, Reply<store::CompactionEvent> reply) {
    if (away-- > 0) return reply(Status::unavailable("the database restarts"));
    store_->compact_session(std::move(compaction), std::move(reply));
  });
  const std::uint64_t before = spent().session.usage.total();
  std::optional<Code> ended;
  door_->run(command::itself(), command::SessionCompactRequest{.id = run_.session, .strategy = kSummarization},
             Reply<command::SessionCompactReply>([&ended](Result<command::SessionCompactReply> done) { ended = done.code(); }));
  settle();
  EXPECT_FALSE(ended.has_value());
  pass(10s);
  EXPECT_EQ(ended, Code::ok);
  EXPECT_EQ(summaries_, 1);
  EXPECT_EQ(spent().session.usage.total(), before + 15);
}

TEST_F(ServiceTest, AWaitEndsWithTheRun) {
  api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{text_answer("late")});
  api_->hold();
  start_node();
  agent("plain");
  const AgentRun run = begin("plain", "hi");
  std::optional<AgentRunState> seen;
  door_->run(command::itself(), command::AgentRunGetRequest{.run = run.id, .wait = 50s},
             Reply<command::AgentRunGetReply>([&seen](Result<command::AgentRunGetReply> got) { seen = got->run.state; }));
  settle();
  EXPECT_FALSE(seen.has_value());
  api_->let_go();
  settle();
  EXPECT_EQ(seen, AgentRunState::completed);
}

// Whoever asks for the end of a run would ask again at once, and again.
TEST_F(ServiceTest, AWaitGoesOnUntilTheRunHasEndedAsItsJobHas) {
  api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{text_answer("late")});
  api_->hold();
  start_node();
  agent("plain");
  const AgentRun run = begin("plain", "hi");
  std::optional<AgentRunState> seen;
  door_->run(command::itself(), command::AgentRunGetRequest{.run = run.id, .wait = 50s},
             Reply<command::AgentRunGetReply>([&seen](Result<command::AgentRunGetReply> got) { seen = got->run.state; }));
  settle();
  scripted_.on(store::Verb::write_agent_run, [](const store::AgentRunWrite&) -> Result<store::AgentRunWritten> {
    return Status::unavailable("the database restarts");
  });
  command::JobCancelRequest cancel;
  cancel.cancel = {.job = run.id, .reason = "wrong", .at_once = true, .as_dead = std::nullopt};
  ASSERT_TRUE(ask(cancel).ok());
  EXPECT_FALSE(seen.has_value());
  scripted_.off(store::Verb::write_agent_run);
  pass(40s);
  EXPECT_EQ(seen, AgentRunState::cancelled);
}

TEST_F(ServiceTest, AWaitEndsThoughTheRunDoesNot) {
  api_ = std::make_shared<ScriptedApi>(std::initializer_list<Result<claude::Answer>>{text_answer("late")});
  api_->hold();
  start_node();
  agent("plain");
  const AgentRun run = begin("plain", "hi");
  scripted_.on(store::Verb::write_agent_run, [](const store::AgentRunWrite&) -> Result<store::AgentRunWritten> {
    return Status::unavailable("the database restarts");
  });
  command::JobCancelRequest cancel;
  cancel.cancel = {.job = run.id, .reason = "wrong", .at_once = true, .as_dead = std::nullopt};
  ASSERT_TRUE(ask(cancel).ok());
  std::optional<AgentRunState> seen;
  door_->run(command::itself(), command::AgentRunGetRequest{.run = run.id, .wait = 3s},
             Reply<command::AgentRunGetReply>([&seen](Result<command::AgentRunGetReply> got) { seen = got->run.state; }));
  settle();
  EXPECT_FALSE(seen.has_value());
  pass(3s);
  EXPECT_EQ(seen, AgentRunState::streaming);
}

TEST_F(ServiceTest, TheWholeOutputOfAToolCanBeRead) {
  api_ = std::make_shared<ScriptedApi>(
      std::initializer_list<Result<claude::Answer>>{tool_answer({tool_block("t1", "dump")}), text_answer("ok")});
  start_node();
  tool("dump");
  agent("reader", {"dump"});
  const AgentRun run = begin("reader", "go");
  const std::string big(limits::kToolOutputMax + 500, 'z');
  answer(take_tools({"dump"}).at(0), json::dump(big));
  const auto seen = look(run.id);
  EXPECT_EQ(seen.run.state, AgentRunState::completed);
  EXPECT_LT(seen.executions[0].output->size(), big.size());
  EXPECT_EQ(ask(command::ToolExecutionOutputRequest{.execution = seen.executions[0].id})->output, big);
}

}  // namespace
}  // namespace muster::agents
