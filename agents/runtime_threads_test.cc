// The same with every thread that a server has: many runs at once, and a stop in the midst of them.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "agents/claude/scripted_testing.h"
#include "agents/runtime.h"
#include "agents/service.h"
#include "base/ask_testing.h"
#include "base/temp_folder_testing.h"
#include "command/jobs.h"
#include "command/workers.h"
#include "store/sqlite/open_testing.h"

namespace muster::agents {
namespace {

using namespace std::chrono_literals;

class ThreadedNode : public testing::Test {
 protected:
  ThreadedNode() {
    open();
    ticker_ = std::thread([this] {
      while (!done_) {
        engine_->tick();
        std::this_thread::sleep_for(2ms);
      }
    });
  }
  ~ThreadedNode() override {
    runtime_->stop(0ms);
    engine_->stop();
    done_ = true;
    ticker_.join();
    EXPECT_TRUE(store_->close().ok());
  }
  // A node: what the one before left is taken over.
  void open() {
    base_ = std::make_shared<Base>(Base{.door = *door_,
                                        .agents = *store_,
                                        .runs = *store_,
                                        .api = api_,
                                        .clock = clock_,
                                        .settings = settings(),
                                        .ids = [source = ids_] { return source->next(); },
                                        .agenda = std::make_shared<Agenda>(clock_, metrics_)});
    runtime_ = std::make_unique<Runtime>(base_);
    service_->open(base_, [this](const NamespaceName& ns) { runtime_->notice(ns); });
    runtime_->start();
  }
  static Settings settings() {
    Settings settings;
    settings.node = "n1";
    settings.streams_max = 8;
    settings.batch_window = 20ms;
    settings.poll_interval = 1s;
    settings.discover_every = 100ms;
    return settings;
  }
  template <class Request>
  Result<command::AnswerTo<Request>> ask(Request request) {
    return muster::ask<command::AnswerTo<Request>>(
        [&](auto reply) { door_->run(command::itself(), std::move(request), std::move(reply)); });
  }
  void prepare() {
    ToolSpec tool;
    tool.name = ToolName("lint");
    ASSERT_TRUE(ask(command::ToolDefineRequest{.tool = tool}).ok());
    AgentSpec spec;
    spec.name = "code";
    spec.model = "m";
    spec.tools = {ToolName("lint")};
    ASSERT_TRUE(ask(command::AgentCreateRequest{.agent = spec}).ok());
    WorkerSpec worker;
    worker.id = WorkerId("toolbox");
    worker.capabilities = CapabilitySet({"tool:lint"});
    worker.slots = 100;
    ASSERT_TRUE(ask(std::move(worker)).ok());
  }
  void start_runs(int count) {
    for (int i = 0; i < count; ++i) {
      command::AgentRunStartRequest request{.agent = "code", .prompt = "check"};
      request.mode = i % 4 == 0 ? RunMode::batch : RunMode::streaming;
      const auto started = ask(std::move(request));
      ASSERT_TRUE(started.ok()) << started.status().text();
      runs_.push_back(started->run.id);
    }
  }
  // Carries out what tools there are; true when every run has completed.
  bool work() {
    command::JobClaimRequest claim;
    claim.claim.ns = NamespaceName(kDefaultNamespace);
    claim.claim.worker = WorkerId("toolbox");
    claim.claim.limit = 50;
    const auto grants = ask(std::move(claim));
    if (!grants.ok()) return false;
    for (const Grant& grant : grants->grants) {
      EXPECT_TRUE(ask(command::JobCompleteRequest{.lease = {grant.id, grant.fence}, .result = Content{.data = "1"}}).ok());
    }
    EXPECT_TRUE(
        ask(store::Beat{
                .ns = NamespaceName(kDefaultNamespace), .worker = WorkerId("toolbox"), .session = {}, .stats = {}, .held = {}})
            .ok());
    for (const JobId run : runs_) {
      const auto seen = ask(command::AgentRunGetRequest{.run = run});
      if (!seen.ok() || seen->run.state != AgentRunState::completed) return false;
    }
    return true;
  }

  RealClock clock_;
  Metrics metrics_;
  TempFolder folder_;
  std::atomic<int> answers_{0};
  std::shared_ptr<claude::ScriptedApi> api_ =
      std::make_shared<claude::ScriptedApi>([this](const std::string& params) -> Result<claude::Answer> {
        ++answers_;
        if (params.find("tool_result") == std::string::npos)
          return claude::tool_answer({claude::tool_block("t1", "lint"), claude::tool_block("t2", "lint")});
        return claude::text_answer("fine");
      });
  std::unique_ptr<store::sqlite::SqliteStore> store_ = store::sqlite::open_for_test(folder_.path("muster.db"), clock_, metrics_);
  std::unique_ptr<engine::Engine> engine_ = std::make_unique<engine::Engine>(*store_, clock_, metrics_, engine::Options{});
  std::shared_ptr<Service> service_ = std::make_shared<Service>();
  std::unique_ptr<command::Door> door_ =
      std::make_unique<command::Door>(*engine_, command::ServerFacts{.agents = service_}, metrics_);
  std::shared_ptr<UuidSource> ids_ = std::make_shared<UuidSource>(clock_, 42);
  BasePtr base_;
  std::unique_ptr<Runtime> runtime_;
  std::atomic<bool> done_ = false;
  std::thread ticker_;
  std::vector<JobId> runs_;
};

TEST_F(ThreadedNode, ManyRunsCompleteWithTwoCallsEach) {
  prepare();
  start_runs(40);
  EXPECT_TRUE(eventually([this] { return work(); }));
  EXPECT_EQ(answers_, 80);
}

TEST_F(ThreadedNode, AStopInTheMidstLosesNothing) {
  prepare();
  start_runs(20);
  runtime_->stop(5s);
  EXPECT_TRUE(runtime_->idle());
  runtime_.reset();
  open();
  runtime_->notice(NamespaceName(kDefaultNamespace));
  EXPECT_TRUE(eventually([this] { return work(); }));
}

}  // namespace
}  // namespace muster::agents
