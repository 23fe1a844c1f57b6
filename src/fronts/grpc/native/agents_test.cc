// Runs of agents over muster.v1: what is asked reaches the service as it was meant, what it answers is shown, and a watch goes on
// where its reader stopped and waits for one that is slow.
#include <mutex>
#include <thread>

#include "base/ask_testing.h"
#include "command/agent_service_testing.h"
#include "command/feedback.h"
#include "command/jobs.h"
#include "command/workers.h"
#include "fronts/grpc/dialect/runs.h"
#include "fronts/grpc/front_testing.h"
#include "fronts/grpc/native/agent_watch.h"
#include "muster_v1.grpc.pb.h"
#include "net/on_loop_testing.h"

namespace muster::rpc {
namespace {

using namespace std::chrono_literals;
namespace pb = ::muster::v1;

constexpr const char* kService = "muster.v1.AgentRunService";
constexpr const char* kAgentText = "0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0c00";
constexpr const char* kSessionText = "0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0d00";
constexpr const char* kRunText = "0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0a1b";
constexpr const char* kOtherText = "0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0b02";

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
  run.variables = R"({"v":1})";
  run.usage = {.input = 1, .output = 2, .cache_creation = 3, .cache_read = 4};
  run.microdollars = 5;
  run.finalized_at = Instant{};
  return run;
}

ToolExecution weather_call() {
  ToolExecution out;
  out.id = *ToolExecutionId::parse(kOtherText);
  out.state = ToolExecutionState::completed;
  out.tool = ToolName("get_weather");
  out.input = R"({"city":"Berlin"})";
  out.output = "sunny";
  out.whole_output = Uuid{1, 1};
  out.approval = ApprovalState::approved;
  out.decided_by = "ops";
  return out;
}

class AgentRunsTest : public FrontTest {
 protected:
  AgentRunsTest() { agents = scripted; }

  template <class Response, class Request>
  Answer<Response> about(std::string_view method, const Request& request, std::optional<Duration> patient = {}) {
    const auto call = std::make_shared<FakeCall>(*core, request.SerializeAsString());
    call->caller = caller;
    if (patient) call->deadline = clock.elapsed() + *patient;
    find_method(kService, method)->run(call);
    return end<Response>(call);
  }
  static pb::StartAgentRunRequest start_request() {
    pb::StartAgentRunRequest request;
    request.set_agent("support");
    request.set_prompt("p");
    return request;
  }
  template <class Request>
  static Request of_run(const std::string& run = kRunText) {
    Request request;
    request.set_run_id(run);
    return request;
  }

  const std::shared_ptr<command::ScriptedAgents> scripted = std::make_shared<command::ScriptedAgents>();  // as `agents`
};

// --- what is asked and answered --------------------------------------------------------------------------------------

TEST_F(AgentRunsTest, AStartIsReadAsItWasMeant) {
  scripted->will_answer(store::AgentRunStarted{.run = finished_run(), .existed = true});
  pb::StartAgentRunRequest request = start_request();
  request.set_session_id(kSessionText);
  request.set_run_mode("batch");
  request.set_variables(R"({"v":1})");
  request.mutable_budget()->set_tokens_per_run(9);
  request.mutable_budget()->set_microdollars_per_day(7);
  request.set_idempotency_key("k");
  const auto started = about<pb::StartAgentRunResponse>("StartRun", request);
  ASSERT_EQ(started.code, WireCode::ok) << started.text;
  EXPECT_EQ(started->run().id(), kRunText);
  EXPECT_TRUE(started->existed());
  const auto asked = scripted->asked<command::AgentRunStartRequest>();
  EXPECT_EQ(asked.ns, NamespaceName(kDefaultNamespace));
  EXPECT_EQ(asked.agent, "support");
  EXPECT_EQ(asked.session->text(), kSessionText);
  EXPECT_EQ(asked.mode, RunMode::batch);
  EXPECT_EQ(asked.prompt, "p");
  EXPECT_EQ(asked.variables, R"({"v":1})");
  EXPECT_EQ(asked.budget.tokens_per_run, 9U);
  EXPECT_EQ(asked.budget.microdollars_per_day, 7U);
  EXPECT_EQ(asked.idempotency_key, "k");
  EXPECT_EQ(asked.correlation, "test-correlation");
  ASSERT_EQ(about<pb::StartAgentRunResponse>("StartRun", start_request()).code, WireCode::ok);
  EXPECT_EQ(scripted->asked<command::AgentRunStartRequest>().mode, RunMode::streaming);
  EXPECT_EQ(scripted->asked<command::AgentRunStartRequest>().variables, "{}");
}

TEST_F(AgentRunsTest, ARunIsShownWithItsCallsOfTheModelAndOfTools) {
  Iteration iteration;
  iteration.trigger = IterationTrigger::tool_results;
  iteration.usage.output = 8;
  scripted->will_answer(
      command::AgentRunGetReply{.run = finished_run(), .iterations = {iteration}, .executions = {weather_call()}});
  const auto seen = about<pb::GetAgentRunResponse>("GetRun", of_run<pb::GetAgentRunRequest>());
  ASSERT_EQ(seen.code, WireCode::ok) << seen.text;
  EXPECT_EQ(seen->run().state(), "completed");
  EXPECT_EQ(seen->run().previous_state(), "streaming");
  EXPECT_EQ(seen->run().run_mode(), "streaming");
  EXPECT_EQ(seen->run().prompt(), "p");
  EXPECT_EQ(seen->run().response_text(), "r");
  EXPECT_EQ(seen->run().variables(), R"({"v":1})");
  EXPECT_EQ(seen->run().cache_read_input_tokens(), 4U);
  EXPECT_EQ(seen->run().microdollars(), 5U);
  EXPECT_TRUE(seen->run().has_finalized_at());
  EXPECT_EQ(seen->iterations(0).trigger_type(), "tool_results");
  EXPECT_EQ(seen->iterations(0).output_tokens(), 8U);
  EXPECT_EQ(seen->tool_executions(0).tool_name(), "get_weather");
  EXPECT_EQ(seen->tool_executions(0).tool_output(), "sunny");
  EXPECT_TRUE(seen->tool_executions(0).is_truncated());
  EXPECT_EQ(seen->tool_executions(0).approval(), "approved");
  EXPECT_EQ(seen->tool_executions_left_out(), 0);
}

TEST_F(AgentRunsTest, ExecutionsThatHaveNoRoomInAMessageAreCounted) {
  ToolExecution large = weather_call();
  large.output = std::string(limits::kToolOutputMax, 'x');
  scripted->will_answer(
      command::AgentRunGetReply{.run = finished_run(), .iterations = {}, .executions = std::vector<ToolExecution>(5, large)});
  const auto seen = about<pb::GetAgentRunResponse>("GetRun", of_run<pb::GetAgentRunRequest>());
  ASSERT_EQ(seen.code, WireCode::ok) << seen.text;
  EXPECT_EQ(seen->tool_executions_size(), 2);
  EXPECT_EQ(seen->tool_executions_left_out(), 3);
  EXPECT_LE(seen.call->response().size(), kListBytesMax);
}

TEST_F(AgentRunsTest, RunsAreListedWithoutTheirLongTexts) {
  scripted->will_answer(store::AgentRunPage{.runs = {finished_run()}, .next = "n"});
  pb::ListAgentRunsRequest request;
  request.set_namespace_("other");
  request.set_session_id(kSessionText);
  request.set_agent_id(kAgentText);
  request.set_parent_run_id(kRunText);
  request.set_state("awaiting_input");
  request.set_run_mode("streaming");
  request.set_unfinished(true);
  request.set_page_size(100'000);
  const auto listed = about<pb::ListAgentRunsResponse>("ListRuns", request);
  ASSERT_EQ(listed.code, WireCode::ok) << listed.text;
  ASSERT_EQ(listed->runs_size(), 1);
  EXPECT_EQ(listed->runs(0).state(), "completed");
  EXPECT_TRUE(listed->runs(0).prompt().empty());
  EXPECT_FALSE(listed->runs(0).has_response_text());
  const auto asked = scripted->asked<command::AgentRunListRequest>();
  EXPECT_EQ(asked.ns, NamespaceName("other"));
  EXPECT_EQ(asked.session->text(), kSessionText);
  EXPECT_EQ(asked.agent->text(), kAgentText);
  EXPECT_EQ(asked.parent->text(), kRunText);
  EXPECT_EQ(asked.state, AgentRunState::awaiting_input);
  EXPECT_EQ(asked.mode, RunMode::streaming);
  EXPECT_TRUE(asked.unfinished);
  EXPECT_EQ(asked.limit, 500U);
  request.set_page_token(listed->next_page_token());
  ASSERT_EQ(about<pb::ListAgentRunsResponse>("ListRuns", request).code, WireCode::ok);
  EXPECT_EQ(scripted->asked<command::AgentRunListRequest>().cursor, "n");
}

TEST_F(AgentRunsTest, ADecisionNamesWhatItIsAbout) {
  scripted->will_answer(command::AgentRunDecideReply{.run = finished_run(), .executions = {weather_call()}});
  auto approve = of_run<pb::ApproveAgentRunRequest>();
  approve.set_tool_execution_id(kOtherText);
  approve.set_tool_input(R"({"city":"Paris"})");
  approve.set_reason("fine");
  const auto approved = about<pb::DecideAgentRunResponse>("ApproveRun", approve);
  ASSERT_EQ(approved.code, WireCode::ok) << approved.text;
  EXPECT_EQ(approved->tool_executions(0).decided_by(), "ops");
  auto asked = scripted->asked<command::AgentRunDecideRequest>();
  EXPECT_TRUE(asked.approve);
  EXPECT_EQ(asked.run.text(), kRunText);
  EXPECT_EQ(asked.execution->text(), kOtherText);
  EXPECT_EQ(asked.input, R"({"city":"Paris"})");
  EXPECT_EQ(asked.reason, "fine");
  EXPECT_EQ(scripted->asked_by(), "test");
  ASSERT_EQ(about<pb::DecideAgentRunResponse>("DenyRun", of_run<pb::DenyAgentRunRequest>()).code, WireCode::ok);
  asked = scripted->asked<command::AgentRunDecideRequest>();
  EXPECT_FALSE(asked.approve);
  EXPECT_FALSE(asked.execution);
  auto cancel = of_run<pb::CancelAgentRunRequest>();
  cancel.set_reason("not needed");
  ASSERT_EQ(about<pb::AgentRun>("CancelRun", cancel).code, WireCode::ok);
  EXPECT_EQ(scripted->asked<command::AgentRunCancelRequest>().reason, "not needed");
}

TEST_F(AgentRunsTest, AWaitIsBoundedByTheClientsDeadline) {
  auto request = of_run<pb::GetAgentRunRequest>();
  request.mutable_wait()->set_seconds(30);
  about<pb::GetAgentRunResponse>("GetRun", request);
  EXPECT_EQ(scripted->asked<command::AgentRunGetRequest>().wait, 30s);
  about<pb::GetAgentRunResponse>("GetRun", request, Duration(10'000));
  EXPECT_EQ(scripted->asked<command::AgentRunGetRequest>().wait, 9'800ms);
  request.mutable_wait()->set_seconds(61);
  EXPECT_EQ(about<pb::GetAgentRunResponse>("GetRun", request).code, WireCode::invalid_argument);
}

// --- what is refused -------------------------------------------------------------------------------------------------

TEST_F(AgentRunsTest, WordsAndIdsThatAreNoneAreNamed) {
  const auto refused = [&](auto change) {
    pb::StartAgentRunRequest request = start_request();
    change(request);
    const auto answer = about<pb::StartAgentRunResponse>("StartRun", request);
    EXPECT_EQ(answer.code, WireCode::invalid_argument) << answer.text;
    return answer.text;
  };
  EXPECT_NE(refused([](auto& r) { r.clear_agent(); }).find("agent"), std::string::npos);
  EXPECT_NE(refused([](auto& r) { r.set_session_id("x"); }).find("session_id"), std::string::npos);
  EXPECT_NE(refused([](auto& r) { r.set_run_mode("slow"); }).find("run_mode"), std::string::npos);
  pb::ListAgentRunsRequest list;
  list.set_state("lost");
  EXPECT_EQ(about<pb::ListAgentRunsResponse>("ListRuns", list).code, WireCode::invalid_argument);
  list.clear_state();
  list.set_page_token("!!");
  EXPECT_EQ(about<pb::ListAgentRunsResponse>("ListRuns", list).code, WireCode::invalid_argument);
  EXPECT_EQ(about<pb::GetAgentRunResponse>("GetRun", of_run<pb::GetAgentRunRequest>("x")).code, WireCode::invalid_argument);
  EXPECT_EQ(about<pb::AgentRun>("CancelRun", of_run<pb::CancelAgentRunRequest>("")).code, WireCode::invalid_argument);
  auto approve = of_run<pb::ApproveAgentRunRequest>();
  approve.set_tool_execution_id("x");
  EXPECT_EQ(about<pb::DecideAgentRunResponse>("ApproveRun", approve).code, WireCode::invalid_argument);
  EXPECT_FALSE(scripted->was_asked());
}

TEST_F(AgentRunsTest, WhatTheServiceRefusesIsToldInItsWords) {
  scripted->will_refuse(Status::conflict("nothing waits for approval"));
  const auto refused = about<pb::DecideAgentRunResponse>("ApproveRun", of_run<pb::ApproveAgentRunRequest>());
  EXPECT_EQ(refused.code, WireCode::failed_precondition);
  EXPECT_EQ(refused.text, "nothing waits for approval");
  pb::ErrorDetail detail;
  ASSERT_TRUE(detail.ParseFromString(refused.details));
  EXPECT_EQ(detail.code(), "conflict");
}

TEST_F(AgentRunsTest, ACallerBoundToNamespacesKeepsToThem) {
  caller.namespaces = {NamespaceName("mine")};
  auto request = of_run<pb::GetAgentRunRequest>();
  EXPECT_EQ(about<pb::GetAgentRunResponse>("GetRun", request).code, WireCode::permission_denied) << "the default one";
  request.set_namespace_("yours");
  EXPECT_EQ(about<pb::GetAgentRunResponse>("GetRun", request).code, WireCode::permission_denied);
  EXPECT_FALSE(scripted->was_asked());
  request.set_namespace_("mine");
  EXPECT_EQ(about<pb::GetAgentRunResponse>("GetRun", request).code, WireCode::ok);
}

TEST_F(AgentRunsTest, AServerWithoutAgentsSaysSo) {
  agents.reset();
  restart();
  const auto refused = about<pb::StartAgentRunResponse>("StartRun", start_request());
  EXPECT_EQ(refused.code, WireCode::unavailable);
  EXPECT_NE(refused.text.find("runs no agents"), std::string::npos);
}

// --- the watch -------------------------------------------------------------------------------------------------------

// Keeps what it is sent; that it has left is said by the test. Its method goes with it, as on the wire.
class FakeStream final : public StreamCall, public std::enable_shared_from_this<FakeStream> {
 public:
  explicit FakeStream(Core& shared) : StreamCall(shared) {
    caller = {.role = command::Role::operator_role, .name = "test", .address = "test", .worker = {}};
  }
  std::string_view metadata(std::string_view) const override { return {}; }
  bool may_go_on() override { return true; }
  void send(std::string message) override {
    const std::lock_guard lock(mutex_);
    pb::AgentRunEvent event;
    EXPECT_TRUE(event.ParseFromString(message));
    events_.push_back(std::move(event));
  }
  std::size_t unsent() const override { return 0; }
  void finish() override { end({}); }
  void refuse(WireError error) override { end(std::move(error)); }
  void after(Duration, UniqueFunction<void()>) override {}
  std::weak_ptr<StreamCall> handle() override { return weak_from_this(); }

  std::unique_ptr<StreamMethod> method;
  std::vector<pb::AgentRunEvent> events() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  std::optional<WireError> ended() const {
    const std::lock_guard lock(mutex_);
    return ended_;
  }

 private:
  void end(WireError error) {
    const std::lock_guard lock(mutex_);
    EXPECT_FALSE(ended_) << "a stream ends once";
    ended_ = std::move(error);
  }
  mutable std::mutex mutex_;
  std::vector<pb::AgentRunEvent> events_;
  std::optional<WireError> ended_;
};

class WatchTest : public AgentRunsTest {
 protected:
  // A job that stands for the run: what it puts out is what the run says.
  void running() {
    const JobSpec spec{.ns = NamespaceName(kDefaultNamespace), .queue = QueueName("q"), .type = JobType("t")};
    const auto made = run(command::JobSubmitRequest{.job = spec});
    ASSERT_TRUE(made.ok()) << made.status().text();
    WorkerSpec worker;
    worker.id = WorkerId("w1");
    ASSERT_TRUE(run(std::move(worker)).ok());
    command::JobClaimRequest claim;
    claim.claim.ns = spec.ns;
    claim.claim.worker = WorkerId("w1");
    const auto granted = run(std::move(claim));
    ASSERT_TRUE(granted.ok() && granted->grants.size() == 1);
    lease = {.job = made->id, .fence = granted->grants[0].fence};
    AgentRun agent_run = finished_run();
    agent_run.id = made->id;
    scripted->will_answer(command::AgentRunGetReply{.run = agent_run, .iterations = {}, .executions = {}});
  }
  template <class Request>
  Result<command::AnswerTo<Request>> run(Request request) {
    return muster::ask<command::AnswerTo<Request>>([&](auto reply) { door->run(caller, std::move(request), std::move(reply)); });
  }
  void says(std::string data) {
    OutputChunk chunk;
    chunk.channel = OutputChannel::llm;
    chunk.data = std::move(data);
    command::JobFeedbackRequest report{.lease = lease, .chunks = {std::move(chunk)}};
    report.at_once = true;
    const auto told = run(std::move(report));
    EXPECT_TRUE(told.ok()) << told.status().text();
  }
  void says_word(const std::string& word) { says(fmt::format(R"({{"type":"text_delta","text":"{}"}})", word)); }
  void ends() {
    const auto done = run(command::JobCompleteRequest{.lease = lease, .result = {}});
    EXPECT_TRUE(done.ok()) << done.status().text();
  }

  // `first`: what the client does.
  std::shared_ptr<FakeStream> open(UniqueFunction<void(StreamMethod&)> first) {
    auto stream = std::make_shared<FakeStream>(*core);
    net::run_on(*loop, [&] {
      stream->method = native::watch_agent_run(*stream);
      first(*stream->method);
    });
    return stream;
  }
  void close(std::shared_ptr<FakeStream> stream) {
    net::run_on(*loop, [&] { stream.reset(); });
  }
  std::string request() const { return of_run<pb::WatchAgentRunRequest>(lease.job.text()).SerializeAsString(); }

  struct Watcher {
    grpc::ClientContext context;
    std::unique_ptr<pb::AgentRunService::Stub> stub;
    std::unique_ptr<grpc::ClientReader<pb::AgentRunEvent>> stream;
    pb::AgentRunEvent next() {
      pb::AgentRunEvent event;
      EXPECT_TRUE(stream->Read(&event));
      return event;
    }
    grpc::Status end() {
      pb::AgentRunEvent event;
      EXPECT_FALSE(stream->Read(&event)) << event.type();
      return stream->Finish();
    }
  };
  std::unique_ptr<Watcher> watch(std::uint64_t after = 0, const std::string& token = {}) {
    auto out = std::make_unique<Watcher>();
    pb::WatchAgentRunRequest request;
    request.set_run_id(lease.job.text());
    request.set_after_event_id(after);
    if (!token.empty()) out->context.AddMetadata("authorization", "Bearer " + token);
    out->stub = pb::AgentRunService::NewStub(connect());
    out->stream = out->stub->WatchRun(&out->context, request);
    return out;
  }

  LeaseRef lease;
};

TEST_F(WatchTest, TellsWhatARunSaysAndThenThatItIsFinished) {
  running();
  serve();
  const auto watcher = watch();
  says(R"({"type":"text_delta","iteration":1,"index":0,"text":"Hel"})");
  const pb::AgentRunEvent first = watcher->next();
  EXPECT_EQ(first.event_id(), 1U);
  EXPECT_EQ(first.type(), "text_delta");
  EXPECT_EQ(first.data(), R"({"type":"text_delta","iteration":1,"index":0,"text":"Hel"})");
  says("plain words\nin two lines");
  const pb::AgentRunEvent second = watcher->next();
  EXPECT_EQ(second.event_id(), 2U);
  EXPECT_EQ(second.type(), "chunk");
  EXPECT_EQ(second.data(), "plain words\nin two lines");
  ends();
  const pb::AgentRunEvent last = watcher->next();
  EXPECT_EQ(last.type(), "run.finished");
  EXPECT_EQ(last.run().id(), lease.job.text());
  EXPECT_EQ(last.run().response_text(), "r");
  EXPECT_TRUE(watcher->end().ok());
}

// Its job may end before it.
TEST_F(WatchTest, SaysThatARunIsFinishedWhenItIs) {
  running();
  AgentRun open = finished_run();
  open.id = lease.job;
  open.state = AgentRunState::streaming;
  open.finalized_at.reset();
  scripted->will_answer(command::AgentRunGetReply{.run = open, .iterations = {}, .executions = {}});
  serve();
  const auto watcher = watch();
  says_word("a");
  EXPECT_EQ(watcher->next().type(), "text_delta");
  ends();
  while (scripted->asked<command::AgentRunGetRequest>().wait == Duration(0)) std::this_thread::yield();
  open.state = AgentRunState::cancelled;
  scripted->will_answer(command::AgentRunGetReply{.run = open, .iterations = {}, .executions = {}});
  const pb::AgentRunEvent last = watcher->next();
  EXPECT_EQ(last.type(), "run.finished");
  EXPECT_EQ(last.run().state(), "cancelled");
}

TEST_F(WatchTest, GoesOnBehindTheLastEventThatWasSeen) {
  running();
  for (const char* word : {"a", "b", "c", "d"}) says_word(word);
  ends();
  serve();
  EXPECT_EQ(watch(2)->next().event_id(), 3U);
  const auto last = watch(4);
  EXPECT_EQ(last->next().type(), "run.finished");
  EXPECT_TRUE(last->end().ok());
  const auto whole = watch();
  for (std::uint64_t id = 1; id <= 4; ++id) EXPECT_EQ(whole->next().event_id(), id);
}

TEST_F(WatchTest, OfARunThatIsUnknownIsRefused) {
  running();
  serve();
  scripted->will_refuse(Status::not_found("run x does not exist"));
  EXPECT_EQ(watch()->end().error_code(), grpc::StatusCode::NOT_FOUND);
  lease.job = {};
  EXPECT_EQ(watch()->end().error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(WatchTest, HearsThatTheServerStops) {
  running();
  serve();
  says_word("a");
  const auto watcher = watch();
  EXPECT_EQ(watcher->next().event_id(), 1U);
  front->stop(20s);
  EXPECT_EQ(watcher->end().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(WatchTest, OfAReaderThatLeavesNothingStays) {
  running();
  serve();
  says_word("a");
  const auto watcher = watch();
  EXPECT_EQ(watcher->next().event_id(), 1U);
  watcher->context.TryCancel();
  EXPECT_EQ(watcher->end().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(eventually([&] { return open_calls() == 0; }));
  says_word("b");
}

TEST_F(WatchTest, EndsWhenItsTokenIsTakenBack) {
  running();
  GrpcOptions guarded;
  guarded.auth_required = true;
  guarded.tokens = {{.name = "eye", .role = command::Role::read_only, .secret = "look", .worker = {}},
                    {.name = "boss", .role = command::Role::operator_role, .secret = "operate", .worker = {}}};
  auth::AuthOptions without{.tokens = {guarded.tokens[1]}, .required = true};
  serve(std::move(guarded));
  EXPECT_EQ(watch()->end().error_code(), grpc::StatusCode::UNAUTHENTICATED);
  const auto eye = watch(0, "look");
  const auto boss = watch(0, "operate");
  says_word("a");
  EXPECT_EQ(eye->next().event_id(), 1U);
  EXPECT_EQ(boss->next().event_id(), 1U);
  ASSERT_TRUE(front->set_tokens(std::move(without)).ok());
  says_word("b");
  // What it had asked for before is still told.
  pb::AgentRunEvent event;
  while (eye->stream->Read(&event)) EXPECT_EQ(event.event_id(), 2U);
  EXPECT_EQ(eye->stream->Finish().error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(boss->next().event_id(), 2U);
  says_word("c");
  EXPECT_EQ(boss->next().event_id(), 3U);
}

TEST_F(WatchTest, AReaderThatTakesNothingHoldsOnePage) {
  running();
  const std::string words(600 * 1024, 'x');
  for (int i = 0; i < 6; ++i) says_word(words);
  auto stream = open([&](StreamMethod& method) { method.received(request()); });
  ASSERT_TRUE(eventually([&] { return !stream->events().empty(); }));
  const auto reads = [&] {
    return metrics->counter("muster_commands_total", "", {{"command", "job.output"}, {"outcome", "ok"}}).value();
  };
  // Whatever it had begun would be through behind these.
  says_word("more");
  net::run_on(*loop, [] {});
  EXPECT_EQ(reads(), 1U);
  std::size_t held = 0;
  for (const pb::AgentRunEvent& event : stream->events()) held += event.data().size();
  EXPECT_LE(held, limits::kOutputPageBytesMax);
  while (stream->events().size() < 7) {
    const std::size_t before = stream->events().size();
    net::run_on(*loop, [&] { stream->method->drained(); });
    ASSERT_TRUE(eventually([&] { return stream->events().size() > before; }));
  }
  std::uint64_t number = 0;
  for (const pb::AgentRunEvent& event : stream->events()) EXPECT_EQ(event.event_id(), ++number);
  close(std::move(stream));
}

TEST_F(WatchTest, OneMoreThanANodeHasRoomForIsRefused) {
  running();
  net::run_on(*loop, [&] { core->run_watches = native::kRunWatchesMax; });
  auto stream = open([&](StreamMethod& method) { method.received(request()); });
  ASSERT_TRUE(stream->ended());
  EXPECT_EQ(stream->ended()->code, WireCode::resource_exhausted);
  close(std::move(stream));
  net::run_on(*loop, [&] { EXPECT_EQ(core->run_watches, native::kRunWatchesMax) << "what was refused was not counted"; });
}

TEST_F(WatchTest, AsksWithOneMessage) {
  running();
  const auto ended_by = [&](UniqueFunction<void(StreamMethod&)> what) {
    auto stream = open(std::move(what));
    const auto ended = stream->ended();
    close(std::move(stream));
    return ended ? ended->code : WireCode::ok;
  };
  EXPECT_EQ(ended_by([](StreamMethod& method) { method.half_closed(); }), WireCode::invalid_argument);
  EXPECT_EQ(ended_by([](StreamMethod& method) { method.received("\xff"); }), WireCode::invalid_argument);
  EXPECT_EQ(ended_by([&](StreamMethod& method) {
              method.received(request());
              method.received(request());
            }),
            WireCode::invalid_argument);
}

}  // namespace
}  // namespace muster::rpc
