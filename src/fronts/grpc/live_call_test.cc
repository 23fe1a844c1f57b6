// A call ends exactly once, whoever is quicker; here without a transport, and through the door that gRPC-Web uses.
#include "fronts/grpc/live_call.h"

#include <future>
#include <stdexcept>

#include "fronts/grpc/front_testing.h"
#include "muster_v1.pb.h"

namespace muster::rpc {
namespace {

using namespace std::chrono_literals;

CallRef kept;  // by a method that answers later

void keep(CallRef call) { kept = std::move(call); }
void drop(CallRef call) { call.reset(); }

class StillCall final : public LiveCall {
 public:
  StillCall(std::shared_ptr<CallGate> gate, Entry& entry, std::vector<int>& said)
      : LiveCall(std::move(gate), entry), said_(said) {}
  void begin() { run(); }
  void done() { let_go_of_transport(); }

 private:
  void deliver(std::string response, Metadata) override {
    EXPECT_EQ(response, "yes");
    said_.push_back(0);
  }
  void deliver(WireError error, Metadata trailers) override {
    said_.push_back(static_cast<int>(error.code));
    // A method that knows of nothing goes on writing, here at the worst moment.
    const std::size_t before = trailers.size();
    for (int i = 0; i < 100; ++i) add_metadata("late", "value");
    EXPECT_EQ(trailers.size(), before);
  }
  std::vector<int>& said_;
};

class LiveCallTest : public FrontTest {
 protected:
  void SetUp() override {
    FrontTest::SetUp();
    gate = std::make_shared<CallGate>(*loop, *door, *metrics, GrpcOptions());
  }
  void TearDown() override {
    kept.reset();
    gate.reset();
    FrontTest::TearDown();
  }
  StillCall& begin(void (*run)(CallRef)) {
    entry = std::make_unique<Entry>(Method{.service = "s", .name = "m", .run = run}, *metrics);
    auto* call = new StillCall(gate, *entry, said);
    call->begin();
    return *call;
  }
  std::shared_ptr<CallGate> gate;
  std::unique_ptr<Entry> entry;
  std::vector<int> said;
};

TEST_F(LiveCallTest, OneThatItsMethodDropsIsAnsweredAsAnErrorOfOurs) {
  begin(drop).done();
  EXPECT_EQ(said, std::vector<int>{static_cast<int>(WireCode::internal)});
}

TEST_F(LiveCallTest, OneWhoseMethodThrowsIsAnsweredAsAnErrorOfOursAndCountedOnce) {
  begin([](CallRef) { throw std::runtime_error("a test throws"); }).done();
  EXPECT_EQ(said, std::vector<int>{static_cast<int>(WireCode::internal)});
  EXPECT_EQ(metrics->counter("muster_internal_errors_total", "", {{"where", "wire"}}).value(), 1u);
}

TEST_F(LiveCallTest, OneThatItsMethodAnsweredBeforeItThrewKeepsItsAnswer) {
  begin([](CallRef call) {
    call->answer("yes");
    throw std::runtime_error("a test throws");
  }).done();
  EXPECT_EQ(said, std::vector<int>{0});
}

TEST_F(LiveCallTest, AHandlerThatThrowsWhenItsCallIsGivenUpStaysInside) {
  StillCall& call = begin(keep);
  kept->on_cancel([] { throw std::runtime_error("a test throws"); });
  EXPECT_NO_THROW(call.give_up(Status::unavailable("gone")));
  call.done();
  kept.reset();
  EXPECT_EQ(said, std::vector<int>{static_cast<int>(WireCode::unavailable)});
}

TEST_F(LiveCallTest, WorkForLaterThatThrowsStaysInside) {
  std::promise<void> ran;
  gate->core.after(Duration(0), [&] {
    ran.set_value();
    throw std::runtime_error("a test throws");
  });
  ran.get_future().wait();
  gate->core.after(Duration(0), [&] {});
}

TEST_F(LiveCallTest, TrailersThatAMethodAddsToACancelledCallGoNowhere) {
  StillCall& call = begin(keep);
  kept->add_metadata("early", "value");
  call.give_up(Status::unavailable("gone"));
  EXPECT_EQ(said.size(), 1u);
  call.done();
  kept.reset();
}

TEST_F(LiveCallTest, TheFirstAnswerCounts) {
  StillCall& call = begin(keep);
  kept->answer("yes");
  kept->answer("yes");
  kept->refuse(WireError{});
  call.give_up(Status::unavailable("late"));
  EXPECT_FALSE(kept->cancelled());
  call.done();
  kept.reset();
  EXPECT_EQ(said, std::vector<int>{0});
}

TEST_F(LiveCallTest, OneThatIsGivenUpRunsItsHandlerOnceAndTakesNoAnswer) {
  StillCall& call = begin(keep);
  int handled = 0;
  int lost = 0;
  kept->on_cancel([&] { ++handled; });
  kept->on_undelivered([&] { ++lost; });
  call.give_up(Status::unavailable("gone"));
  EXPECT_TRUE(kept->cancelled());
  kept->answer("yes");
  kept->on_cancel([&] { ++handled; });
  call.done();
  kept.reset();
  EXPECT_EQ(handled, 2) << "a handler that comes late runs at once";
  EXPECT_EQ(lost, 1);
  EXPECT_EQ(said, std::vector<int>{static_cast<int>(WireCode::unavailable)});
}

TEST_F(LiveCallTest, NobodyBeginsToWaitOnceTheFrontStops) {
  begin(keep).done();
  gate->stop_waiting();
  int handled = 0;
  kept->on_cancel([&] { ++handled; });
  EXPECT_EQ(handled, 1);
  EXPECT_EQ(said, std::vector<int>{static_cast<int>(WireCode::unavailable)});
}

class WebCallTest : public FrontTest {
 protected:
  WebRequest request(const std::string& path, const std::string& message = {}) const {
    return {.path = path,
            .message = message,
            .metadata = {},
            .timeout = {},
            .caller = {.role = command::Role::operator_role, .name = "page", .address = "127.0.0.1", .worker = {}},
            .refused = {}};
  }
  WebAnswer ask(WebRequest request) {
    std::promise<WebAnswer> done;
    const WebCancel cancel = front->call(std::move(request), [&](WebAnswer answer) { done.set_value(std::move(answer)); });
    return done.get_future().get();
  }
};

TEST_F(WebCallTest, IsAnsweredAsOverGrpc) {
  serve();
  const WebAnswer info = ask(request("/kagzi.v1.AdminService/GetServerInfo"));
  EXPECT_EQ(info.code, WireCode::ok);
  kagzi::v1::GetServerInfoResponse response;
  ASSERT_TRUE(response.ParseFromString(info.response));
  EXPECT_EQ(response.api_version(), "v1");
  EXPECT_EQ(ask(request("/kagzi.v1.AdminService/NoSuch")).code, WireCode::unimplemented);
  EXPECT_EQ(ask(request("/kagzi.v1.WorkflowService/StartWorkflow", "\xff")).code, WireCode::invalid_argument);
  EXPECT_EQ(ask(request("/kagzi.v1.WorkflowService/StartWorkflow", std::string(5 << 20, 'x'))).code,
            WireCode::resource_exhausted);
}

TEST_F(WebCallTest, IsRefusedForWhatItsBringerFoundAndForItsRole) {
  serve();
  WebRequest wrong = request("/kagzi.v1.AdminService/GetServerInfo");
  wrong.refused = Status::unauthenticated("who?");
  const WebAnswer refused = ask(std::move(wrong));
  EXPECT_EQ(refused.code, WireCode::unauthenticated);
  EXPECT_FALSE(refused.details.empty());
  WebRequest reader = request("/kagzi.v1.WorkflowService/StartWorkflow");
  reader.caller.role = command::Role::read_only;
  EXPECT_EQ(ask(std::move(reader)).code, WireCode::permission_denied);
}

// The writer answers nobody until it is let go: a commit that is under way stays so.
class HeldWriter {
 public:
  explicit HeldWriter(engine::Engine& engine) {
    engine.jobs().enqueue({JobSpec{.type = JobType("t")}}, [this](auto) { go_.get_future().wait(); });
  }
  void let_go() { go_.set_value(); }

 private:
  std::promise<void> go_;
};

TEST_F(WebCallTest, OneUnderWayKeepsItsTimeWhenTheFrontStopsAndSoDoesOneOfGrpc) {
  serve();
  start_run("namespace");  // is known from here on
  HeldWriter writer(*engine);
  kagzi::v1::StartWorkflowRequest start;
  start.set_namespace_("default");
  start.set_external_id("a");
  start.set_task_queue("q");
  start.set_workflow_type("T");
  WebRequest patient = request("/kagzi.v1.WorkflowService/StartWorkflow", start.SerializeAsString());
  patient.timeout = Duration(60'000);
  std::promise<WebAnswer> web;
  const WebCancel cancel = front->call(std::move(patient), [&](WebAnswer answer) { web.set_value(std::move(answer)); });
  start.set_external_id("b");
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + 60s);
  kagzi::v1::StartWorkflowResponse response;
  std::promise<grpc::Status> wire;
  const auto stub = workflows();
  stub->async()->StartWorkflow(&context, &start, &response, [&](const grpc::Status& status) { wire.set_value(status); });
  ASSERT_TRUE(eventually([&] { return open_calls() == 2; }));
  front->core().alarms.stop();
  writer.let_go();
  EXPECT_EQ(web.get_future().get().code, WireCode::ok);
  const grpc::Status answered = wire.get_future().get();
  EXPECT_TRUE(answered.ok()) << answered.error_message();
}

TEST_F(LiveCallTest, WhatIsHeldBackRunsWhenTheFrontStopsAndADeadlineStillComesLater) {
  std::promise<void> held, due;
  bool dropped = false;
  gate->core.after(Duration(60'000), [&] { held.set_value(); });
  gate->core.alarms.remind(Duration(60'000), [&] { dropped = true; });
  gate->core.alarms.stop();
  held.get_future().wait();
  gate->core.alarms.remind(Duration(1), [&] { due.set_value(); });
  due.get_future().wait();
  gate.reset();
  EXPECT_FALSE(dropped);
}

TEST_F(WebCallTest, EndsWhenItsClientGoesAwayOrItsTimeIsOver) {
  serve();
  muster::v1::GetResultRequest wait;
  wait.set_run_id(start_run("a"));
  wait.mutable_wait()->set_seconds(60);
  std::promise<WebAnswer> done;
  WebCancel cancel = front->call(request("/muster.v1.RunService/GetResult", wait.SerializeAsString()),
                                 [&](WebAnswer answer) { done.set_value(std::move(answer)); });
  cancel();
  EXPECT_EQ(done.get_future().get().code, WireCode::cancelled);
  cancel = {};
  EXPECT_TRUE(eventually([&] { return open_calls() == 0; }));
  WebRequest hasty = request("/muster.v1.RunService/GetResult", wait.SerializeAsString());
  hasty.timeout = Duration(50);
  EXPECT_EQ(ask(std::move(hasty)).code, WireCode::deadline_exceeded);
}

}  // namespace
}  // namespace muster::rpc
