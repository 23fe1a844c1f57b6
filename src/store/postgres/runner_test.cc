// What the runner does when a verb throws: its transaction is undone, it is answered once, and the connection serves on. And what
// long reads do to the others: nothing.
#include "store/postgres/runner.h"

#include <algorithm>
#include <barrier>
#include <future>
#include <stdexcept>
#include <vector>

#include "base/wake.h"
#include "store/postgres/cluster/cluster_testing.h"

namespace muster::store::postgres {
namespace {

class RunnerTest : public ClusterTest {
 protected:
  void SetUp() override {
    ClusterTest::SetUp();
    if (HasFatalFailure()) return;
    node_ = a_node("runner");
    runner_ = std::make_unique<Runner>(node_->node, clock_);
    ASSERT_TRUE(runner_->start().ok());
  }
  void TearDown() override {
    if (runner_) runner_->stop();
    runner_.reset();
    node_.reset();
    ClusterTest::TearDown();
  }
  // Runs as a transaction of its own and waits for its answer.
  template <class Body>
  Result<int> submit(Body body) {
    auto answer = std::make_shared<std::promise<Result<int>>>();
    runner_->submit(std::make_unique<UnitOf<int, Body>>(
        std::move(body), Reply<int>([answer](Result<int> result) { answer->set_value(std::move(result)); })));
    return answer->get_future().get();
  }
  std::uint64_t incidents() { return node_->metrics.counter("muster_internal_errors_total", "", {{"where", "store"}}).value(); }

  RealClock clock_;
  std::unique_ptr<TestNode> node_;
  std::unique_ptr<Runner> runner_;
};

TEST_F(RunnerTest, AVerbThatThrowsIsRefusedAndLeavesNothingBehind) {
  const Result<int> answer = submit([](Tx& tx) -> Result<int> {
    static_cast<void>(tx.namespace_key(NamespaceName(kDefaultNamespace)));
    throw std::out_of_range("a test throws");
  });
  EXPECT_EQ(answer.code(), Code::internal);
  EXPECT_NE(answer.status().message().find("incident "), std::string::npos) << answer.status().text();
  EXPECT_EQ(incidents(), 1u);
  EXPECT_EQ(ask("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'muster " +
                node_->node.options.node + "' AND state LIKE 'idle in transaction%'"),
            0);
}

TEST_F(RunnerTest, TheConnectionServesTheVerbAfterOneThatThrew) {
  EXPECT_FALSE(submit([](Tx&) -> Result<int> { throw std::runtime_error("a test throws"); }).ok());
  const Result<int> answer =
      submit([](Tx& tx) -> Result<int> { return tx.namespace_key(NamespaceName(kDefaultNamespace)).ok() ? 7 : 0; });
  ASSERT_TRUE(answer.ok()) << answer.status().text();
  EXPECT_EQ(*answer, 7);
}

TEST_F(RunnerTest, AReplyThatThrowsIsCalledOnceAndTheThreadGoesOn) {
  auto called = std::make_shared<std::promise<void>>();
  auto body = [](Tx&) -> Result<int> { return 1; };
  runner_->submit(std::make_unique<UnitOf<int, decltype(body)>>(body, Reply<int>([called](Result<int>) {
                                                                  called->set_value();  // a second call would throw by itself
                                                                  throw std::runtime_error("a test throws");
                                                                })));
  called->get_future().wait();
  EXPECT_TRUE(submit(body).ok());
  EXPECT_TRUE(eventually([&] { return incidents() == 1; }));
}

TEST_F(RunnerTest, WhatOneRoundBringsIsServedByAsManyConnectionsAsItCanUse) {
  // Connections that are not idle yet look for work by themselves: most of the rounds find them idle.
  for (int round = 0; round < 50; ++round) {
    // Each answer waits for the other one, so both are under way at a time.
    std::promise<void> enqueued;
    std::promise<void> extended;
    std::promise<bool> met;
    std::promise<void> over;
    {
      const WakeRound together;
      runner_->submit(EnqueueRequest{.jobs = {}, .reply = [&](const Result<std::vector<Enqueued>>&) {
                                       enqueued.set_value();
                                       met.set_value(extended.get_future().wait_for(patience()) == std::future_status::ready);
                                     }});
      runner_->submit(ExtendRequest{.extensions = {}, .reply = [&](const Result<Each<Renewed>>&) {
                                      extended.set_value();
                                      enqueued.get_future().wait_for(patience());
                                      over.set_value();
                                    }});
    }
    ASSERT_TRUE(met.get_future().get());
    over.get_future().wait();
  }
}

// --- long reads ---

TEST_F(RunnerTest, ALongReadTakesNoConnectionFromTheOthers) {
  std::promise<void> end;
  const std::shared_future<void> over = end.get_future().share();
  std::promise<void> begun;
  std::promise<Result<int>> read;
  auto body = [over, &begun](Tx&) -> Result<int> {
    begun.set_value();
    over.wait();
    return 1;
  };
  runner_->submit_long_read(
      std::make_unique<UnitOf<int, decltype(body)>>(body, Reply<int>([&read](Result<int> done) { read.set_value(done); })));
  ASSERT_EQ(begun.get_future().wait_for(patience()), std::future_status::ready);
  // As many at a time as there are connections, each of which waits for the others.
  const std::size_t connections = std::clamp(node_->node.options.connections, kConnectionsMin, kConnectionsMax);
  std::barrier<> together(static_cast<std::ptrdiff_t>(connections));
  std::vector<std::promise<Result<int>>> answers(connections);
  auto verb = [&together](Tx&) -> Result<int> { return together.arrive_and_wait(), 2; };
  for (auto& answer : answers)
    runner_->submit(
        std::make_unique<UnitOf<int, decltype(verb)>>(verb, Reply<int>([&](Result<int> done) { answer.set_value(done); })));
  for (auto& answer : answers) EXPECT_TRUE(answer.get_future().get().ok());
  end.set_value();
  EXPECT_TRUE(read.get_future().get().ok());
}

TEST_F(RunnerTest, LongReadsThatWaitWhenTheRunnerStopsAreAnswered) {
  std::promise<Result<int>> read;
  auto body = [](Tx&) -> Result<int> { return 1; };
  runner_->submit_long_read(
      std::make_unique<UnitOf<int, decltype(body)>>(body, Reply<int>([&read](Result<int> done) { read.set_value(done); })));
  runner_->stop();
  EXPECT_TRUE(read.get_future().get().ok());
}

}  // namespace
}  // namespace muster::store::postgres
