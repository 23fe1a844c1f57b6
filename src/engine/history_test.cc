#include "engine/history.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/job_moves.h"
#include "store/commit_metrics.h"
#include "store/scripted_testing.h"

namespace muster::engine {
namespace {

using namespace std::chrono_literals;
using store::Verb;

class HistoryTest : public testing::Test {
 protected:
  HistoryTest() {
    store_.on(Verb::list_queues, [this](const NamespaceName&) -> Result<std::vector<QueueStats>> { return queues_; });
    store_.on(Verb::list_workers, [this](const store::WorkerQuery&) -> Result<store::WorkerPage> {
      return store::WorkerPage{.workers = workers_, .next = {}};
    });
    options_.history = true;
    options_.processor_time = [this] { return processor_; };
  }

  void start() { history_ = std::make_unique<History>(store_, clock_, metrics_, options_); }
  // To the beginning of the next step.
  void step() {
    clock_.advance(history_->tick());
    history_->tick();
  }
  void did(JobEvent event, std::uint64_t times) { job_moves(metrics_, event).add(times); }
  QueueStats& queue(std::uint64_t ready) {
    QueueStats& out = queues_.emplace_back();
    out.ready = ready;
    return out;
  }
  Worker& worker() {
    Worker& out = workers_.emplace_back();
    out.spec.policy = HeartbeatPolicy{.interval = 10s, .dead_after = 30s};
    out.last_seen_at = clock_.now();
    return out;
  }
  std::vector<double> series(const char* name) const { return history_->read(HistorySpan::hour, {}).series.at(name); }
  double last(const char* name) const {
    const auto values = series(name);
    return values.empty() ? -1 : values.back();
  }

  ManualClock clock_{Instant(std::chrono::hours(480'000))};
  Metrics metrics_;
  store::ScriptedStore store_;
  Options options_;
  std::vector<QueueStats> queues_;
  std::vector<Worker> workers_;
  Ticks processor_{};
  std::unique_ptr<History> history_;
};

TEST_F(HistoryTest, NothingIsRecordedOrAskedUnlessWanted) {
  options_.history = false;
  start();
  step();
  step();
  EXPECT_EQ(series("ready").size(), 0u);
  EXPECT_TRUE(store_.asked().empty());
}

TEST_F(HistoryTest, ARowIsWrittenForEachStepThatEnded) {
  start();
  history_->tick();
  EXPECT_EQ(series("ready").size(), 0u);
  for (int i = 0; i < 3; ++i) step();
  EXPECT_EQ(series("ready").size(), 3u);
  EXPECT_EQ(history_->read(HistorySpan::hour, {}).from, Instant(std::chrono::hours(480'000)));
}

TEST_F(HistoryTest, TickSleepsUntilTheStepIsOver) {
  start();
  clock_.advance(1'200ms);
  EXPECT_EQ(history_->tick(), 3'800ms);
  clock_.advance(1s);
  EXPECT_EQ(history_->tick(), 2'800ms);
}

TEST_F(HistoryTest, RatesAreWhatHappenedDuringTheStep) {
  did(JobEvent::enqueued, 1'000);  // before anybody looked
  start();
  history_->tick();
  did(JobEvent::enqueued, 40);
  did(JobEvent::redriven, 10);
  did(JobEvent::completed, 20);
  did(JobEvent::exhausted, 5);
  did(JobEvent::failed, 10);
  processor_ += 2'500ms;
  store::CommitMetrics(metrics_).commit_seconds.observe(0.002);
  store::CommitMetrics(metrics_).commit_seconds.observe(0.004);
  step();
  EXPECT_EQ(last("jobs_in_per_second"), 10);
  EXPECT_EQ(last("jobs_out_per_second"), 5);
  EXPECT_EQ(last("jobs_failed_per_second"), 3);
  EXPECT_EQ(last("cpu_cores"), 0.5);
  EXPECT_EQ(last("store_commit_ms"), 3);
}

TEST_F(HistoryTest, AStepWithoutCommitsHasNoTimeOfOne) {
  start();
  history_->tick();
  step();
  EXPECT_TRUE(std::isnan(last("store_commit_ms")));
  EXPECT_EQ(last("jobs_in_per_second"), 0);
}

TEST_F(HistoryTest, DepthsOfAllQueuesAreAddedUp) {
  queue(3).oldest_ready_at = clock_.now() - 7s;
  queue(4).oldest_ready_at = clock_.now() - 2s;
  queues_[0].running = 2;
  queues_[1].dead = 1;
  start();
  history_->tick();
  step();
  EXPECT_EQ(last("ready"), 7);
  EXPECT_EQ(last("running"), 2);
  EXPECT_EQ(last("dead"), 1);
  EXPECT_EQ(last("oldest_ready_ms"), 7'000);
}

TEST_F(HistoryTest, WorkersAreCountedByStateAndHealth) {
  worker();
  worker().state = WorkerState::draining;
  worker().last_seen_at = clock_.now() - 25s;
  start();
  history_->tick();
  step();
  EXPECT_EQ(last("workers_live"), 3);
  EXPECT_EQ(last("workers_draining"), 1);
  EXPECT_EQ(last("workers_unhealthy"), 1);
}

TEST_F(HistoryTest, ManyWorkersAreReadPageByPage) {
  store_.on(Verb::list_workers, [this](const store::WorkerQuery& query) -> Result<store::WorkerPage> {
    worker();
    return store::WorkerPage{.workers = {workers_.back()}, .next = query.cursor.size() < 2 ? query.cursor + "x" : ""};
  });
  start();
  history_->tick();
  step();
  EXPECT_EQ(last("workers_live"), 3);
}

TEST_F(HistoryTest, TheStoreRestsTwentyTimesAsLongAsItsAnswerTook) {
  Reply<std::vector<QueueStats>> kept;
  store_.on(Verb::list_queues, [&kept](NamespaceName, Reply<std::vector<QueueStats>> reply) { kept = std::move(reply); });
  start();
  history_->tick();
  clock_.advance(1s);
  kept(std::vector<QueueStats>());
  int steps = 0;
  for (; store_.asked(Verb::list_queues) == 1 && steps < 100; ++steps) step();
  EXPECT_EQ(steps, 5);  // 21 s after it was asked
}

TEST_F(HistoryTest, AStoreThatDoesNotAnswerIsAskedOnceAndItsFiguresBecomeUnknown) {
  queue(5);
  start();
  history_->tick();
  store_.on(Verb::list_queues,
            [](const NamespaceName&) -> Result<std::vector<QueueStats>> { return Status::unavailable("away"); });
  step();
  EXPECT_EQ(last("ready"), 5);
  for (int i = 0; i < 20; ++i) step();
  EXPECT_TRUE(std::isnan(last("ready")));
  EXPECT_EQ(last("jobs_in_per_second"), 0);
}

TEST_F(HistoryTest, WhatItDidBeforeARestartIsThereAfterIt) {
  queue(5);
  start();
  history_->tick();
  for (int i = 0; i < 3; ++i) step();
  const std::string image = history_->image();
  start();
  ASSERT_TRUE(history_->restore(image).ok());
  history_->tick();
  clock_.advance(10s);
  step();
  EXPECT_EQ(series("ready").size(), 6u);
  EXPECT_EQ(series("ready").front(), 5);
}

TEST_F(HistoryTest, ADamagedImageChangesNothing) {
  start();
  history_->tick();
  step();
  EXPECT_EQ(history_->restore("nonsense").code(), Code::corrupt);
  EXPECT_EQ(series("ready").size(), 1u);
}

}  // namespace
}  // namespace muster::engine
