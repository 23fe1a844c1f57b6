// Load through the engine on the real store: beats of any wire drain a worker and bring it back.
#include "engine/load_drains.h"

#include <gtest/gtest.h>

#include "base/ask_testing.h"
#include "base/temp_folder_testing.h"
#include "engine/workers.h"
#include "store/scripted_testing.h"
#include "store/sqlite/open_testing.h"

namespace muster::engine {
namespace {

using namespace std::chrono_literals;

class LoadDrainsTest : public testing::Test {
 protected:
  LoadDrainsTest() {
    const auto made = ask<NamespaceInfo>([&](auto reply) {
      NamespaceInfo info;
      info.name = NamespaceName("small");
      store_->create_namespace(info, std::move(reply));
    });
    EXPECT_TRUE(made.ok());
    options_.load_by_namespace["small"] = {.mem_pct = 50, .disk_pct = 0, .margin_pct = 10, .calm_beats = 1};
    start();
    join("default");
    join("small");
  }
  ~LoadDrainsTest() override { static_cast<void>(store_->close()); }

  void start() { workers_ = std::make_unique<Workers>(*store_, clock_, options_); }
  void join(const std::string& ns) {
    WorkerSpec spec;
    spec.ns = NamespaceName(ns);
    spec.id = WorkerId("w1");
    const auto joined =
        ask<store::Each<store::Registered>>([&](auto reply) { workers_->register_workers({spec}, std::move(reply)); });
    EXPECT_TRUE(joined.ok() && (*joined)[0].ok());
  }
  store::BeatReply beat(const std::string& stats, const std::string& ns = "default") {
    store::Beat beat;
    beat.ns = NamespaceName(ns);
    beat.worker = WorkerId("w1");
    beat.stats = stats;
    const auto answers = ask<store::Each<store::BeatReply>>([&](auto reply) { workers_->heartbeat({beat}, std::move(reply)); });
    EXPECT_TRUE(answers.ok() && (*answers)[0].ok());
    return *(*answers)[0];
  }
  store::BeatReply memory(int percent, const std::string& ns = "default") {
    return beat(fmt::format(R"({{"mem_pct":{}}})", percent), ns);
  }
  Worker worker(const std::string& ns = "default") {
    return *ask_one<Worker>([&](auto reply) { workers_->get(NamespaceName(ns), {WorkerId("w1")}, std::move(reply)); });
  }
  template <class T>
  Result<T> ask_one(auto call) {
    const auto all = ask<store::Each<T>>(std::move(call));
    return all.ok() ? (*all)[0] : all.status();
  }
  Result<Worker> resume() {
    return ask_one<Worker>(
        [&](auto reply) { workers_->resume({{.ns = NamespaceName("default"), .worker = WorkerId("w1")}}, std::move(reply)); });
  }
  Result<Worker> drain() {
    return ask_one<Worker>([&](auto reply) {
      workers_->drain({{.ns = NamespaceName("default"), .worker = WorkerId("w1"), .reason = "upgrade"}}, std::move(reply));
    });
  }

  ManualClock clock_;
  TempFolder folder_;
  Metrics metrics_;
  std::unique_ptr<store::sqlite::SqliteStore> store_ = store::sqlite::open_for_test(folder_.path("muster.db"), clock_, metrics_);
  Options options_;
  std::unique_ptr<Workers> workers_;
};

TEST_F(LoadDrainsTest, TheBeatThatTellsTheLoadIsAnsweredWithTheDrain) {
  const store::BeatReply reply = memory(93);
  EXPECT_EQ(reply.state, WorkerState::draining);
  EXPECT_EQ(reply.drain_reason, "memory 93 %");
  EXPECT_EQ(reply.drain_origin, DrainOrigin::load);
  EXPECT_FALSE(reply.drain_deadline);
  EXPECT_EQ(worker().state, WorkerState::draining);
  EXPECT_EQ(memory(97).drain_reason, "memory 93 %") << "the drain is the one that began";
}

TEST_F(LoadDrainsTest, ItWorksAgainAfterThreeCalmBeats) {
  memory(93);
  EXPECT_EQ(memory(84).state, WorkerState::draining);
  EXPECT_EQ(memory(84).state, WorkerState::draining);
  EXPECT_EQ(memory(84).state, WorkerState::online);
  EXPECT_EQ(worker().drain_origin, DrainOrigin::none);
  EXPECT_EQ(worker().drain_reason, "");
}

TEST_F(LoadDrainsTest, ALoadAboutTheThresholdDoesNotMoveItToAndFro) {
  memory(93);
  for (const int percent : {84, 84, 87, 84, 84, 91, 84, 84, 89}) EXPECT_EQ(memory(percent).state, WorkerState::draining);
}

TEST_F(LoadDrainsTest, BeatsWithoutNumbersNeitherBreakNorLengthenTheRow) {
  memory(93);
  memory(84);
  memory(84);
  EXPECT_EQ(beat("{}").state, WorkerState::draining);
  EXPECT_EQ(memory(84).state, WorkerState::online);
}

TEST_F(LoadDrainsTest, ANamespaceMayHaveThresholdsOfItsOwn) {
  EXPECT_EQ(memory(60).state, WorkerState::online);
  EXPECT_EQ(memory(60, "small").state, WorkerState::draining);
  EXPECT_EQ(memory(40, "small").state, WorkerState::draining);
  EXPECT_EQ(memory(39, "small").state, WorkerState::online);
  EXPECT_EQ(beat(R"({"disk_pct":100})", "small").state, WorkerState::online) << "0: its disk drains nobody";
}

TEST_F(LoadDrainsTest, AnOperatorsDrainIsNotTakenBackByACalmWorker) {
  ASSERT_TRUE(drain().ok());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(memory(10).state, WorkerState::draining);
  EXPECT_EQ(memory(99).drain_reason, "upgrade");
}

TEST_F(LoadDrainsTest, AnOperatorOverrulesLoadUntilItHasFallen) {
  memory(93);
  ASSERT_TRUE(resume().ok());
  EXPECT_EQ(memory(99).state, WorkerState::online);
  start();  // the calm beats are forgotten with the process, the operator's word is not
  EXPECT_EQ(memory(99).state, WorkerState::online);
  for (int i = 0; i < 3; ++i) memory(50);
  EXPECT_EQ(worker().drain_origin, DrainOrigin::none);
  EXPECT_EQ(memory(99).state, WorkerState::draining);
}

TEST_F(LoadDrainsTest, AfterARestartTheCalmBeatsAreCountedAnew) {
  memory(93);
  memory(84);
  memory(84);
  start();
  EXPECT_EQ(memory(84).state, WorkerState::draining);
  memory(84);
  EXPECT_EQ(memory(84).state, WorkerState::online);
}

TEST(LoadDrainsFailure, ABeatIsAnsweredThoughTheDrainFailsAndTheNextOneTriesAgain) {
  store::ScriptedStore store;
  ManualClock clock;
  Workers workers(store, clock, Options());
  store.on(store::Verb::drain,
           [](const std::vector<store::Drain>&) -> Result<store::Each<Worker>> { return Status::unavailable("full"); });
  store::Beat beat;
  beat.ns = NamespaceName("default");
  beat.worker = WorkerId("w1");
  beat.stats = R"({"disk_pct":99})";
  for (int i = 0; i < 2; ++i) {
    Caught<store::Each<store::BeatReply>> answers;
    workers.heartbeat({beat}, answers.reply());
    ASSERT_EQ(answers.code(), Code::ok);
    EXPECT_TRUE((**answers.result)[0].ok());
  }
  EXPECT_EQ(store.elements<store::Drain>(store::Verb::drain).size(), 2u);
}

}  // namespace
}  // namespace muster::engine
