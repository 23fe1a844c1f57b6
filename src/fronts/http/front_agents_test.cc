// Agents, tools, sessions and runs over HTTP: what is asked reaches the service as it was meant, what it answers is shown in
// AgentPG's words, and a run's stream goes on where a reader stopped.
#include <fmt/format.h>

#include "command/agent_service_testing.h"
#include "fronts/http/front_testing.h"
#include "fronts/http/run_stream.h"

namespace muster::http {
namespace {

using namespace std::chrono_literals;
using json = nlohmann::json;

constexpr const char* kAgentText = "0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0c00";
constexpr const char* kSessionText = "0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0d00";
constexpr const char* kRunText = "0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0a1b";
constexpr const char* kOtherText = "0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0b02";

std::string at(std::string_view rest) { return fmt::format("/api/v1{}", rest); }

class AgentsFront : public FrontTest {
 protected:
  void begin(HttpOptions options = {}) {
    facts.agents = agents;
    start(std::move(options));
  }
  template <class Request>
  Request asked() {
    return agents->asked<Request>();
  }

  const std::shared_ptr<command::ScriptedAgents> agents = std::make_shared<command::ScriptedAgents>();  // shared with facts
};

// --- what is asked -------------------------------------------------------------------------------------------------

TEST_F(AgentsFront, AnAgentIsReadInTheWordsOfAgentPG) {
  begin();
  call_json("POST", at("/agents"),
            R"({"name":"a","description":"d","model":"m","system_prompt":"s","max_tokens":9,"temperature":0.5,"top_k":3,
            "top_p":0.25,"tool_names":["t1","t2"],"agent_ids":["0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0b02"],"betas":["b"],
            "tool_choice":{"type":"any"},"thinking":{"type":"enabled","budget_tokens":1024},"stop_sequences":["x"],
            "cache_prompt":false,"iterations_max":7,"budget":{"tokens_per_run":5,"microdollars_per_day":6},
            "metadata":{"n":1.50},"config":{"k":[1]},"namespace":"default"})",
            201);
  const AgentSpec spec = asked<command::AgentCreateRequest>().agent;
  AgentSpec meant;
  meant.name = "a";
  meant.description = "d";
  meant.model = "m";
  meant.system_prompt = "s";
  meant.max_tokens = 9;
  meant.temperature = 0.5;
  meant.top_k = 3;
  meant.top_p = 0.25;
  meant.tools = {ToolName("t1"), ToolName("t2")};
  meant.delegates = {*AgentId::parse(kOtherText)};
  meant.betas = {"b"};
  meant.tool_choice = R"({"type":"any"})";
  meant.thinking = R"({"type":"enabled","budget_tokens":1024})";
  meant.stop_sequences = {"x"};
  meant.cache_prompt = false;
  meant.iterations_max = 7;
  meant.budget.tokens_per_run = 5;
  meant.budget.microdollars_per_day = 6;
  meant.metadata = R"({"n":1.50})";
  meant.config = R"({"k":[1]})";
  EXPECT_EQ(spec, meant);
}

TEST_F(AgentsFront, AgentsAreListedShownReplacedAndDeleted) {
  begin();
  call_json("GET", at("/agents?name=a&metadata=%7B%22t%22:1%7D&limit=5&cursor=c"));
  const auto list = asked<command::AgentListRequest>();
  EXPECT_EQ(list.ns, NamespaceName("default"));
  EXPECT_EQ(list.name, "a");
  EXPECT_EQ(list.metadata, R"({"t":1})");
  EXPECT_EQ(list.limit, 5U);
  EXPECT_EQ(list.cursor, "c");
  call_json("GET", at("/agents/by%20name?namespace=other"));
  EXPECT_EQ(asked<command::AgentGetRequest>().agent, "by name");
  EXPECT_EQ(asked<command::AgentGetRequest>().ns, NamespaceName("other"));
  call_json("PUT", at("/agents/") + kAgentText, R"({"name":"b","model":"m","namespace":"other","revision":4})");
  const auto update = asked<command::AgentUpdateRequest>();
  EXPECT_EQ(update.id.text(), kAgentText);
  EXPECT_EQ(update.ns, NamespaceName("other"));
  EXPECT_EQ(update.agent.ns, NamespaceName("other"));
  EXPECT_EQ(update.revision, 4U);
  call_json("DELETE", at("/agents/") + kAgentText);
  EXPECT_EQ(asked<command::AgentDeleteRequest>().id.text(), kAgentText);
}

TEST_F(AgentsFront, ToolsAreDefinedListedShownRunAndDeleted) {
  begin();
  call_json("POST", at("/tools"),
            R"({"name":"t","description":"d","input_schema":{"type":"object","required":["a"]},"queue":"q","needs":["gpu"],
            "approval":"ask","timeout_ms":1000,"max_attempts":3,"retry_jitter":0.5,"concurrency":2,"arguments":["-c","{{input.a}}"],
            "metadata":{"m":1}})",
            201);
  ToolSpec meant;
  meant.name = ToolName("t");
  meant.description = "d";
  meant.input_schema = R"({"type":"object","required":["a"]})";
  meant.queue = QueueName("q");
  meant.needs = {"gpu"};
  meant.approval = ToolApproval::ask;
  meant.timeout = 1s;
  meant.attempts_max = 3;
  meant.retry_jitter = 0.5;
  meant.concurrency = 2;
  meant.arguments = {"-c", "{{input.a}}"};
  meant.metadata = R"({"m":1})";
  EXPECT_EQ(asked<command::ToolDefineRequest>().tool, meant);
  Tool again;
  again.revision = 2;
  agents->will_answer(again);
  call_json("POST", at("/tools"), R"({"name":"t","description":"d"})", 200);
  EXPECT_EQ(asked<command::ToolDefineRequest>().tool.input_schema, R"({"type":"object"})");
  call_json("GET", at("/tools?limit=3&cursor=x"));
  EXPECT_EQ(asked<command::ToolListRequest>().limit, 3U);
  call_json("GET", at("/tools/t"));
  EXPECT_EQ(asked<command::ToolGetRequest>().tool, ToolName("t"));
  call_json("DELETE", at("/tools/t?namespace=other"));
  EXPECT_EQ(asked<command::ToolDeleteRequest>().ns, NamespaceName("other"));
  check_members("Submitted", call_json("POST", at("/tools/t/runs"), R"({"input":{"a": [1,2.0]}})", 201));
  EXPECT_EQ(asked<command::ToolRunRequest>().input, R"({"a": [1,2.0]})");
  call_json("POST", at("/tools/t/runs"), "", 201);
  EXPECT_EQ(asked<command::ToolRunRequest>().input, "{}");
}

TEST_F(AgentsFront, SessionsAreCreatedChangedReadCompactedAndRestored) {
  begin();
  const std::string path = at("/sessions/") + kSessionText;
  call_json("POST", at("/sessions"),
            fmt::format(R"({{"parent_session_id":"{}","metadata":{{"a":1}},"variables":{{"v":2}}}})", kOtherText), 201);
  EXPECT_EQ(asked<command::SessionCreateRequest>().parent->text(), kOtherText);
  EXPECT_EQ(asked<command::SessionCreateRequest>().variables, R"({"v":2})");
  call_json("POST", at("/sessions"), "", 201);
  EXPECT_FALSE(asked<command::SessionCreateRequest>().parent);
  call_json("GET", path);
  EXPECT_EQ(asked<command::SessionGetRequest>().id.text(), kSessionText);
  call_json("GET", at("/sessions?parent_session_id=") + kOtherText);
  EXPECT_EQ(asked<command::SessionListRequest>().parent->text(), kOtherText);
  call_json("PATCH", path, R"({"variables":{"v":3}})");
  EXPECT_EQ(asked<command::SessionUpdateRequest>().variables, R"({"v":3})");
  EXPECT_FALSE(asked<command::SessionUpdateRequest>().metadata) << "what is absent stays";
  call_json("GET", path + "/messages?after=7&limit=2&context_of=" + kRunText);
  const store::MessageQuery query = asked<command::SessionMessagesRequest>().query;
  EXPECT_EQ(query.session.text(), kSessionText);
  EXPECT_EQ(query.after, 7U);
  EXPECT_EQ(query.limit, 2U);
  EXPECT_EQ(query.context_of->text(), kRunText);
  call_json("POST", path + "/compact", R"({"strategy":"summarization","only_if_needed":true})");
  EXPECT_EQ(asked<command::SessionCompactRequest>().strategy, "summarization");
  EXPECT_TRUE(asked<command::SessionCompactRequest>().only_if_needed);
  call_json("POST", path + "/compact");
  EXPECT_EQ(asked<command::SessionCompactRequest>().strategy, "hybrid");
  call_json("GET", path + "/compactions?limit=3&cursor=x");
  const store::CompactionQuery compactions = asked<command::SessionCompactionsRequest>().query;
  EXPECT_EQ(compactions.session.text(), kSessionText);
  EXPECT_EQ(compactions.limit, 3U);
  EXPECT_EQ(compactions.cursor, "x");
  call_json("POST", path + "/compactions/" + kOtherText + "/restore");
  EXPECT_EQ(asked<command::SessionRestoreRequest>().event.text(), kOtherText);
  call_json("DELETE", path);
  EXPECT_EQ(asked<command::SessionDeleteRequest>().id.text(), kSessionText);
}

TEST_F(AgentsFront, RunsAreStartedListedDecidedCancelledAndForked) {
  begin();
  const std::string path = at("/agent-runs/") + kRunText;
  call_json("POST", at("/agent-runs"),
            fmt::format(R"({{"agent":"support","session_id":"{}","run_mode":"batch","prompt":"p","variables":{{"v":1}},
                        "budget":{{"tokens_per_run":9}},"idempotency_key":"k","correlation":"c"}})",
                        kSessionText),
            201);
  const auto start = asked<command::AgentRunStartRequest>();
  EXPECT_EQ(start.agent, "support");
  EXPECT_EQ(start.session->text(), kSessionText);
  EXPECT_EQ(start.mode, RunMode::batch);
  EXPECT_EQ(start.variables, R"({"v":1})");
  EXPECT_EQ(start.budget.tokens_per_run, 9U);
  EXPECT_EQ(start.idempotency_key, "k");
  EXPECT_EQ(start.correlation, "c");
  store::AgentRunStarted found;
  found.existed = true;
  agents->will_answer(found);
  EXPECT_TRUE(call_json("POST", at("/agent-runs"), R"({"agent":"a","prompt":"p"})", 200)["existed"]);
  EXPECT_EQ(asked<command::AgentRunStartRequest>().mode, RunMode::streaming);

  call_json("GET", at("/agent-runs?state=awaiting_input&run_mode=streaming&unfinished=true&session_id=") + kSessionText +
                       "&agent_id=" + kAgentText + "&parent_run_id=" + kRunText);
  const auto list = asked<command::AgentRunListRequest>();
  EXPECT_EQ(list.state, AgentRunState::awaiting_input);
  EXPECT_EQ(list.mode, RunMode::streaming);
  EXPECT_TRUE(list.unfinished);
  EXPECT_EQ(list.session->text(), kSessionText);
  EXPECT_EQ(list.agent->text(), kAgentText);
  EXPECT_EQ(list.parent->text(), kRunText);

  call_json("GET", path + "?wait_ms=250");
  EXPECT_EQ(asked<command::AgentRunGetRequest>().wait, 250ms);
  call_json("POST", path + "/cancel", R"({"reason":"r"})");
  EXPECT_EQ(asked<command::AgentRunCancelRequest>().reason, "r");
  call_json("POST", path + "/approve", fmt::format(R"({{"execution":"{}","input":{{"a": 1}},"reason":"ok"}})", kOtherText));
  const auto approve = asked<command::AgentRunDecideRequest>();
  EXPECT_TRUE(approve.approve);
  EXPECT_EQ(approve.execution->text(), kOtherText);
  EXPECT_EQ(approve.input, R"({"a": 1})");
  EXPECT_EQ(approve.reason, "ok");
  call_json("POST", path + "/deny");
  EXPECT_FALSE(asked<command::AgentRunDecideRequest>().approve);
  EXPECT_FALSE(asked<command::AgentRunDecideRequest>().execution);
  agents->will_answer(store::AgentRunStarted());
  call_json("POST", path + "/fork", R"({"through":3,"prompt":"q","agent":"b"})", 201);
  EXPECT_EQ(asked<command::AgentRunForkRequest>().through, 3U);
  EXPECT_EQ(asked<command::AgentRunForkRequest>().agent, "b");
}

TEST_F(AgentsFront, ExecutionsAreListedAndTheirWholeOutputIsPlainText) {
  begin();
  call_json("GET", at("/tool-executions?approval_asked=true&state=pending&tool_name=t&run_id=") + kRunText);
  const auto list = asked<command::ToolExecutionListRequest>();
  EXPECT_TRUE(list.approval_asked);
  EXPECT_EQ(list.state, ToolExecutionState::pending);
  EXPECT_EQ(list.tool, ToolName("t"));
  EXPECT_EQ(list.run->text(), kRunText);
  agents->will_answer(command::ToolExecutionOutputReply{"<b>line</b>\n"});
  const Answer whole = call("GET", at("/tool-executions/") + kOtherText + "/output");
  EXPECT_EQ(whole.status, 200);
  EXPECT_EQ(whole.body, "<b>line</b>\n");
  EXPECT_EQ(asked<command::ToolExecutionOutputRequest>().execution.text(), kOtherText);
}

// --- what is answered ----------------------------------------------------------------------------------------------

AgentRun finished_run() {
  AgentRun run;
  run.id = *JobId::parse(kRunText);
  run.session = *AgentSessionId::parse(kSessionText);
  run.agent = *AgentId::parse(kAgentText);
  run.mode = RunMode::streaming;
  run.state = AgentRunState::completed;
  run.previous_state = AgentRunState::streaming;
  run.prompt = "p";
  run.response_text = "r";
  run.stop_reason = "end_turn";
  run.usage = {.input = 1, .output = 2, .cache_creation = 3, .cache_read = 4};
  run.microdollars = 5;
  run.iterations = 2;
  run.tool_iterations = 1;
  run.error_type = "batch_error";
  run.claimed_by = WorkerId("agents-n1");
  run.finalized_at = Instant{};
  return run;
}

ToolExecution weather_call() {
  ToolExecution out;
  out.id = *ToolExecutionId::parse(kOtherText);
  out.run = *JobId::parse(kRunText);
  out.state = ToolExecutionState::completed;
  out.tool_use_id = "toolu_1";
  out.tool = ToolName("get_weather");
  out.input = R"({"city":"Berlin"})";
  out.output = "sunny";
  out.whole_output = Uuid{1, 1};
  out.approval = ApprovalState::approved;
  out.decided_by = "ops";
  out.attempts = 1;
  return out;
}

TEST_F(AgentsFront, ARunIsShownInTheWordsOfAgentPG) {
  begin();
  Iteration iteration;
  iteration.trigger = IterationTrigger::tool_results;
  iteration.batch_status = BatchStatus::ended;
  agents->will_answer(
      command::AgentRunGetReply{.run = finished_run(), .iterations = {iteration}, .executions = {weather_call()}});
  const json run = call_json("GET", at("/agent-runs/") + kRunText);
  check_members("AgentRunView", run);
  check_members("Iteration", run["iterations"][0]);
  check_members("ToolExecution", run["tool_executions"][0]);
  EXPECT_EQ(run["state"], "completed");
  EXPECT_EQ(run["previous_state"], "streaming");
  EXPECT_EQ(run["run_mode"], "streaming");
  EXPECT_EQ(run["input_tokens"], 1);
  EXPECT_EQ(run["cache_read_input_tokens"], 4);
  EXPECT_EQ(run["iteration_count"], 2);
  EXPECT_EQ(run["tool_iterations"], 1);
  EXPECT_EQ(run["error_type"], "batch_error");
  EXPECT_EQ(run["claimed_by_instance_id"], "agents-n1");
  EXPECT_EQ(run["variables"], json::object());
  EXPECT_EQ(run["iterations"][0]["trigger_type"], "tool_results");
  EXPECT_EQ(run["iterations"][0]["batch_status"], "ended");
  const json& execution = run["tool_executions"][0];
  EXPECT_EQ(execution["tool_input"], (json{{"city", "Berlin"}}));
  EXPECT_EQ(execution["tool_output"], "sunny");
  EXPECT_EQ(execution["is_truncated"], true);
  EXPECT_EQ(execution["is_agent_tool"], false);
  EXPECT_EQ(execution["approval"], "approved");
}

TEST_F(AgentsFront, EveryOtherReplyIsDescribed) {
  begin();
  Agent agent;
  agent.spec.name = "a";
  agent.spec.max_tokens = 5;
  agent.spec.budget.tokens_per_day = 1;
  agents->will_answer(store::AgentPage{.agents = {agent}, .next = "n", .total = 9});
  const json agent_page = call_json("GET", at("/agents"));
  check_members("AgentPage", agent_page);
  check_members("Agent", agent_page["agents"][0]);
  EXPECT_EQ(agent_page["total"], 9);
  agents->will_answer(store::ToolPage{.tools = {Tool()}, .next = "n"});
  check_members("Tool", call_json("GET", at("/tools"))["tools"][0]);

  command::SessionGetReply view;
  view.session.metadata = R"({"a":1})";
  view.spent = {.usage = {.input = 7}, .microdollars = 8};
  agents->will_answer(view);
  const json session = call_json("GET", at("/sessions/") + kSessionText);
  check_members("SessionView", session);
  EXPECT_EQ(session["metadata"], (json{{"a", 1}}));
  EXPECT_EQ(session["input_tokens"], 7);
  EXPECT_EQ(session["microdollars"], 8);
  agents->will_answer(store::SessionPage{.sessions = {view.session}, .next = "", .total = 1});
  check_members("Session", call_json("GET", at("/sessions"))["sessions"][0]);

  AgentMessage message;
  message.number = 3;
  message.role = MessageRole::assistant;
  message.blocks = R"([{"type":"thinking","thinking":"hm","signature":"sig=="}])";
  agents->will_answer(store::MessagePage{.messages = {message}, .more = true});
  const json messages = call_json("GET", at("/sessions/") + kSessionText + "/messages");
  check_members("MessagePage", messages);
  check_members("Message", messages["messages"][0]);
  EXPECT_EQ(messages["messages"][0]["blocks"][0]["signature"], "sig==");

  store::CompactionEvent event;
  event.strategy = "hybrid";
  event.preserved = {MessageId{Uuid{1, 2}}};
  event.took = 5ms;
  agents->will_answer(command::SessionCompactReply{.done = true, .event = event, .tokens = 10, .needed = true});
  const json compacted = call_json("POST", at("/sessions/") + kSessionText + "/compact");
  check_members("Compacted", compacted);
  check_members("Compaction", compacted["compaction"]);
  EXPECT_EQ(compacted["compaction"]["duration_ms"], 5);
  agents->will_answer(store::CompactionPage{.events = {event}, .next = "n"});
  check_members("CompactionPage", call_json("GET", at("/sessions/") + kSessionText + "/compactions"));

  agents->will_answer(command::AgentRunDecideReply{.run = finished_run(), .executions = {weather_call()}});
  const json decided = call_json("POST", at("/agent-runs/") + kRunText + "/approve");
  check_members("AgentRunDecided", decided);
  check_members("AgentRun", decided["run"]);
  agents->will_answer(store::AgentRunPage{.runs = {finished_run()}, .next = "n"});
  check_members("AgentRunPage", call_json("GET", at("/agent-runs")));
  agents->will_answer(store::ExecutionPage{.executions = {weather_call()}, .next = ""});
  check_members("ToolExecutionPage", call_json("GET", at("/tool-executions")));
  agents->will_answer(store::AgentRunStarted{.run = finished_run()});
  check_members("AgentRunStarted", call_json("POST", at("/agent-runs"), R"({"agent":"a","prompt":"p"})", 201));
}

// --- what is refused -----------------------------------------------------------------------------------------------

TEST_F(AgentsFront, BadRequestsAreRefusedByName) {
  begin();
  EXPECT_NE(refused("POST", at("/agents"), R"({"name":"a"})", 400).find("model"), std::string::npos);
  EXPECT_NE(refused("POST", at("/agents"), R"({"name":"a","model":"m","tool_name":["x"]})", 400).find("tool_names"),
            std::string::npos);
  EXPECT_NE(refused("POST", at("/agents"), R"({"name":"a","model":"m","metadata":[]})", 400).find("metadata"), std::string::npos);
  EXPECT_NE(refused("POST", at("/agents"), R"({"name":"a","model":"m","agent_ids":["x"]})", 400).find("agent_ids[0]"),
            std::string::npos);
  refused("POST", at("/agents"), R"({"name":"a","model":)", 400);
  refused("POST", at("/agents"), "", 400);
  refused("PUT", at("/agents/by-name"), R"({"name":"a","model":"m"})", 400);
  refused("GET", at("/agents?metadata=[]"), "", 400);
  EXPECT_NE(refused("POST", at("/tools"), R"({"name":"t","description":"d","input_schema":"x"})", 400).find("input_schema"),
            std::string::npos);
  EXPECT_NE(refused("POST", at("/tools"), R"({"name":"t","description":"d","approval":"maybe"})", 400).find("\"ask\""),
            std::string::npos);
  refused("GET", at("/sessions/x"), "", 400);
  refused("PATCH", at("/sessions/") + kSessionText, R"({"metadata":5})", 400);
  refused("POST", at("/sessions/") + kSessionText + "/compact", R"({"strategy":"burn"})", 400);
  refused("GET", at("/sessions/") + kSessionText + "/compactions?limit=1001", "", 400);
  refused("POST", at("/sessions/") + kSessionText + "/compactions/x/restore", "", 400);
  refused("POST", at("/agent-runs"), R"({"agent":"a"})", 400);
  refused("POST", at("/agent-runs"), R"({"agent":"a","prompt":"p","run_mode":"slow"})", 400);
  refused("GET", at("/agent-runs?state=lost"), "", 400);
  refused("GET", at("/agent-runs?state=failed,completed"), "", 400);
  refused("GET", at("/agent-runs/x"), "", 400);
  refused("GET", at("/agent-runs/") + kRunText + "?wait_ms=60001", "", 400);
  refused("POST", at("/agent-runs/") + kRunText + "/deny", R"({"input":{}})", 400);
  refused("GET", at("/tool-executions/x/output"), "", 400);
  EXPECT_FALSE(agents->was_asked());
}

TEST_F(AgentsFront, APromptThatIsTooLongIsRefusedWithItsBound) {
  begin();
  const auto start_with = [&](std::size_t bytes) {
    return call("POST", at("/agent-runs"), fmt::format(R"({{"agent":"a","prompt":"{}"}})", std::string(bytes, 'x')));
  };
  const Answer long_prompt = start_with(5 * 1024 * 1024);
  EXPECT_EQ(long_prompt.status, 400);
  EXPECT_NE(long_prompt.body.find("4194304"), std::string::npos) << long_prompt.body.substr(0, 300);
  EXPECT_EQ(start_with(9 * 1024 * 1024).status, 413);
  EXPECT_FALSE(agents->was_asked());
}

TEST_F(AgentsFront, WhatTheServiceRefusesIsAnsweredInItsWords) {
  begin();
  agents->will_refuse(Status::not_found("there is no agent \"x\" in namespace default"));
  EXPECT_EQ(refused("GET", at("/agents/x"), "", 404), "there is no agent \"x\" in namespace default");
  agents->will_refuse(Status::conflict("nothing waits for approval"));
  EXPECT_EQ(refused("POST", at("/agent-runs/") + kRunText + "/approve", "", 409), "nothing waits for approval");
  refused("GET", at("/agent-runs/") + kRunText + "/stream", "", 409);
}

TEST_F(AgentsFront, AServerWithoutAgentsSaysSo) {
  start();
  EXPECT_NE(refused("GET", at("/agents"), "", 503).find("runs no agents"), std::string::npos);
  refused("GET", at("/agent-runs/") + kRunText + "/stream", "", 503);
}

TEST_F(AgentsFront, ReadersReadAndOperatorsWrite) {
  begin(
      {.auth = {.tokens = {{.name = "eyes", .role = command::Role::read_only, .secret = "reader-reader-reader", .worker = {}},
                           {.name = "ops", .role = command::Role::operator_role, .secret = "operator-operator-x", .worker = {}}},
                .required = true}});
  const char* eyes = "Authorization: Bearer reader-reader-reader\r\n";
  EXPECT_EQ(call("GET", at("/agents")).status, 401);
  EXPECT_EQ(call("GET", at("/agent-runs/") + kRunText + "/stream").status, 401);
  EXPECT_EQ(call("GET", at("/agents"), {}, eyes).status, 200);
  EXPECT_EQ(call("POST", at("/agents"), R"({"name":"a","model":"m"})", eyes).status, 403);
  EXPECT_EQ(call("POST", at("/agent-runs/") + kRunText + "/approve", "", eyes).status, 403);
  EXPECT_EQ(call("POST", at("/agent-runs/") + kRunText + "/approve", "", "Authorization: Bearer operator-operator-x\r\n").status,
            200);
  EXPECT_EQ(agents->asked_by(), "ops");
}

// --- the stream ----------------------------------------------------------------------------------------------------

class RunStreams : public AgentsFront {
 protected:
  // A job that stands for the run: what it puts out is what the run says.
  void running() {
    begin();
    register_worker("w1");
    id = submit(R"({"type":"t"})");
    fence = claim_one("w1")["fence"].dump();
    AgentRun run = finished_run();
    run.id = *JobId::parse(id);
    agents->will_answer(command::AgentRunGetReply{.run = run, .iterations = {}, .executions = {}});
  }
  void says(const std::string& data) {
    const json body{{"fence", json::parse(fence)}, {"chunks", {{{"channel", "llm"}, {"text", data}}}}};
    call_json("POST", fmt::format("/api/v1/jobs/{}/feedback", id), body.dump());
  }
  void ends() { call_json("POST", fmt::format("/api/v1/jobs/{}/complete", id), fmt::format(R"({{"fence":{}}})", fence)); }
  Client stream(std::string_view query = {}, std::string_view headers = {}) {
    Client reader = connect();
    reader.send(request_text("GET", fmt::format("/api/v1/agent-runs/{}/stream{}", id, query), "", headers));
    const std::string head = reader.read_until("\r\n\r\n");
    EXPECT_EQ(head.substr(0, 15), "HTTP/1.1 200 OK") << head;
    EXPECT_NE(head.find("text/event-stream"), std::string::npos);
    return reader;
  }

  std::string id;
  std::string fence;
};

TEST_F(RunStreams, TellWhatARunSaysAndThenThatItIsFinished) {
  running();
  Client reader = stream();
  says(R"({"type":"text_delta","iteration":1,"index":0,"text":"Hel"})");
  EXPECT_EQ(reader.read_until("\n\n"),
            "id: 1\nevent: text_delta\ndata: {\"type\":\"text_delta\",\"iteration\":1,\"index\":0,\"text\":\"Hel\"}\n\n");
  clock.advance(1s);
  engine->tick();
  says(R"({"type":"tool_call","name":"x"})");
  EXPECT_EQ(reader.read_until("\n\n"), "id: 2\nevent: tool_call\ndata: {\"type\":\"tool_call\",\"name\":\"x\"}\n\n");
  ends();
  const std::string last = reader.read_until("\n\n");
  ASSERT_EQ(last.substr(0, 27), "event: run.finished\ndata: {");
  const json run = json::parse(last.substr(26));
  EXPECT_EQ(run["id"], id);
  EXPECT_EQ(run["state"], "completed");
  EXPECT_TRUE(reader.read_end());
}

// Its job may end before it.
TEST_F(RunStreams, SayThatARunIsFinishedWhenItIs) {
  running();
  AgentRun run = finished_run();
  run.id = *JobId::parse(id);
  run.state = AgentRunState::streaming;
  run.finalized_at.reset();
  agents->will_answer(command::AgentRunGetReply{.run = run, .iterations = {}, .executions = {}});
  Client reader = stream();
  ends();
  EXPECT_EQ(reader.read_until("\n\n"), ": still here\n\n");
  run.state = AgentRunState::cancelled;
  agents->will_answer(command::AgentRunGetReply{.run = run, .iterations = {}, .executions = {}});
  std::string last;
  do last = reader.read_until("\n\n");
  while (last == ": still here\n\n");
  ASSERT_EQ(last.substr(0, 27), "event: run.finished\ndata: {");
  EXPECT_EQ(json::parse(last.substr(26))["state"], "cancelled");
}

TEST_F(RunStreams, GoOnBehindTheLastEventThatWasSeen) {
  running();
  for (int i = 1; i <= 4; ++i) {
    says(fmt::format(R"({{"type":"text_delta","text":"{}"}})", i));
    clock.advance(1s);
    engine->tick();
  }
  ends();
  EXPECT_EQ(stream("", "Last-Event-ID: 2\r\n").read_until("\n\n").substr(0, 6), "id: 3\n");
  EXPECT_EQ(stream("?last_event_id=3").read_until("\n\n").substr(0, 6), "id: 4\n");
  EXPECT_EQ(stream("?last_event_id=4").read_until("\n\n").substr(0, 20), "event: run.finished\n");
  Client whole = stream();
  for (int i = 1; i <= 4; ++i) EXPECT_EQ(whole.read_until("\n\n").substr(0, 6), fmt::format("id: {}\n", i));
}

TEST_F(RunStreams, ShowWhatIsNoEventOfARunAsTheOutputItIs) {
  running();
  says("plain words\nin two lines");
  Client reader = stream();
  const std::string event = reader.read_until("\n\n");
  EXPECT_EQ(event.substr(0, 26), "id: 1\nevent: chunk\ndata: {") << event;
  EXPECT_EQ(json::parse(event.substr(25))["text"], "plain words\nin two lines");
}

TEST_F(RunStreams, CommentOnSilence) {
  running();
  Client reader = stream();
  // The wait is over when the engine's pass sees the time.
  std::atomic<bool> read{false};
  std::thread ticking([&] {
    while (!read) {
      clock.advance(1s);
      engine->tick();
      std::this_thread::yield();
    }
  });
  const std::string comment = reader.read_until("\n\n");
  read = true;
  ticking.join();
  EXPECT_EQ(comment, ": still here\n\n");
}

TEST_F(RunStreams, AreRefusedForABadPlaceToResume) {
  running();
  refused("GET", fmt::format("/api/v1/agent-runs/{}/stream?last_event_id=x", id), "", 400);
  refused("GET", "/api/v1/agent-runs/x/stream", "", 400);
  EXPECT_EQ(call("HEAD", fmt::format("/api/v1/agent-runs/{}/stream", id)).status, 200);
}

TEST(RunStreamEvents, DataMayHaveSeveralLines) {
  OutputChunk chunk;
  chunk.number = 7;
  chunk.data = "{\"type\":\"state\",\r\n\"state\":\"failed\"}";
  std::string out;
  append_run_chunk(out, chunk);
  EXPECT_EQ(out, "id: 7\nevent: state\ndata: {\"type\":\"state\",\ndata: \"state\":\"failed\"}\n\n");
  chunk.data = R"({"type":"a b\nevent: forged"})";
  out.clear();
  append_run_chunk(out, chunk);
  EXPECT_EQ(out.find("\nevent: forged"), std::string::npos) << out;
  EXPECT_EQ(out.substr(0, 19), "id: 7\nevent: chunk\n");
}

}  // namespace
}  // namespace muster::http
