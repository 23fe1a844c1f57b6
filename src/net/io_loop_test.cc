#include "net/io_loop.h"

#include <gtest/gtest.h>

#include <csignal>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/patience_testing.h"
#include "net/on_loop_testing.h"

namespace muster::net {
namespace {

using namespace std::chrono_literals;

class LoopTest : public testing::Test {
 protected:
  void on_loop(UniqueFunction<void()> work) { run_on(loop, std::move(work)); }
  RealClock clock;
  IoLoop loop{clock};
};

TEST_F(LoopTest, RunsPostedWorkInOrderOnItsOwnThread) {
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) loop.post([&order, i] { order.push_back(i); });
  EXPECT_FALSE(loop.inside());
  loop.start();
  on_loop([&] { EXPECT_TRUE(loop.inside()); });
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST_F(LoopTest, TakesWorkFromManyThreads) {
  loop.start();
  int count = 0;  // the loop's thread alone counts
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 1'000; ++i) loop.post([&] { ++count; });
    });
  for (std::thread& thread : threads) thread.join();
  on_loop([&] { EXPECT_EQ(count, 4'000); });
}

TEST_F(LoopTest, RunsWorkThatWorkPosts) {
  loop.start();
  std::promise<void> done;
  loop.post([&] { loop.post([&] { loop.post([&] { done.set_value(); }); }); });
  EXPECT_EQ(done.get_future().wait_for(patience()), std::future_status::ready);
}

TEST_F(LoopTest, WorkThatThrowsEndsAloneAndIsCounted) {
  Metrics metrics;
  IoLoop counted(clock, &metrics);
  std::promise<void> done;
  counted.post([] { throw std::runtime_error("boom"); });
  counted.post([] { throw 7; });
  counted.post([&] { done.set_value(); });
  counted.start();
  EXPECT_EQ(done.get_future().wait_for(10s), std::future_status::ready) << "what is posted with it still runs";
  EXPECT_EQ(metrics.counter("muster_internal_errors_total", "", {{"where", "wire"}}).value(), 2u);
  EXPECT_TRUE(counted.running());
  counted.stop();
}

TEST_F(LoopTest, ATimerThatThrowsLeavesTheLoopRunning) {
  loop.start();
  std::unique_ptr<Timer> timer;
  std::promise<void> fired;
  on_loop([&] {
    timer = std::make_unique<Timer>(loop);
    timer->start(Duration(0), [&] {
      fired.set_value();
      throw std::length_error("boom");
    });
  });
  fired.get_future().wait();
  on_loop([&] { timer.reset(); });
  EXPECT_TRUE(loop.running());
}

TEST_F(LoopTest, WhatThrowingWorkHoldsIsLetGoOf) {
  loop.start();
  const auto held = std::make_shared<int>();
  loop.post([held] { throw std::runtime_error("boom"); });
  on_loop([] {});
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(LoopTest, SurvivesStopBeforeStartAndTwice) {
  loop.stop();
  loop.stop();
  bool ran = false;
  loop.post([&] { ran = true; });
  EXPECT_FALSE(ran);
}

TEST_F(LoopTest, DropsWorkThatIsPostedAfterItStopped) {
  loop.start();
  loop.stop();
  bool ran = false;
  loop.post([&] { ran = true; });
  EXPECT_FALSE(loop.running());
  EXPECT_FALSE(ran);
}

TEST_F(LoopTest, FiresATimerOnceAndNotWhenCancelled) {
  loop.start();
  int fired = 0;
  std::promise<void> done;
  std::unique_ptr<Timer> timer;
  std::unique_ptr<Timer> other;
  on_loop([&] {
    timer = std::make_unique<Timer>(loop);
    other = std::make_unique<Timer>(loop);
    timer->start(1ms, [&] { fired += 100; });
    timer->start(2ms, [&] { fired += 1; });  // replaces the first
    other->start(1ms, [&] { fired += 1'000; });
    other->cancel();
  });
  on_loop([&] { other->start(20ms, [&] { done.set_value(); }); });
  done.get_future().wait();
  on_loop([&] {
    EXPECT_EQ(fired, 1);
    timer->start(1ms, [&] { fired += 10'000; });
    timer.reset();
    other.reset();
  });
  EXPECT_EQ(fired, 1);
}

TEST_F(LoopTest, TellsOfSignals) {
  std::promise<int> seen;
  loop.on_signals({SIGUSR2}, [&](int signal) { seen.set_value(signal); });
  loop.start();
  on_loop([] {});
  ::kill(::getpid(), SIGUSR2);
  EXPECT_EQ(seen.get_future().get(), SIGUSR2);
}

}  // namespace
}  // namespace muster::net
