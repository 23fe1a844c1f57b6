// Who runs a group of verbs, and on which thread their callers are answered.
#include "store/sqlite/op_queue.h"

#include <atomic>
#include <future>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "base/patience_testing.h"
#include "base/temp_folder_testing.h"
#include "base/wake.h"
#include "store/sqlite/open_testing.h"

namespace muster::store::sqlite {
namespace {

// A thread that helps, as the store sees the I/O loop: the test makes its rounds.
class FakeHelper final : public Helper {
 public:
  void come_by(std::shared_ptr<Sleeper> who) override {
    const std::lock_guard lock(mutex_);
    asked_ = std::move(who);
  }
  bool asked() {
    const std::lock_guard lock(mutex_);
    return asked_ != nullptr;
  }
  void make_round() {
    std::shared_ptr<Sleeper> who;
    {
      const std::lock_guard lock(mutex_);
      who.swap(asked_);
    }
    const WakeRound round(WakeRound::Helps::yes);
    if (who != nullptr) wake(who);
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<Sleeper> asked_;
};

class HelpedTest : public ::testing::Test {
 protected:
  HelpedTest() { store_->set_helper(helper_); }
  ~HelpedTest() override {
    store_->set_helper(nullptr);
    EXPECT_TRUE(store_->close().ok());
  }

  // Says on which thread it was answered.
  auto note(std::promise<std::thread::id>& answered) {
    return [&answered](const auto&) { answered.set_value(std::this_thread::get_id()); };
  }
  void enqueue(std::promise<std::thread::id>& answered) {
    JobSpec spec;
    spec.type = JobType("work");
    store_->enqueue({spec}, note(answered));
  }
  static std::thread::id answer_of(std::promise<std::thread::id>& answered) {
    auto future = answered.get_future();
    EXPECT_EQ(future.wait_for(patience()), std::future_status::ready);
    return future.get();
  }

  const TempFolder folder_;
  const ManualClock clock_;
  Metrics metrics_;
  const std::shared_ptr<FakeHelper> helper_ = std::make_shared<FakeHelper>();
  const std::unique_ptr<SqliteStore> store_ = open_for_test(folder_.path("m.db"), clock_, metrics_);
};

TEST_F(HelpedTest, AReadIsAnsweredByWhoHelpsBeforeItsRoundIsOver) {
  std::promise<std::thread::id> answered;
  {
    const WakeRound round(WakeRound::Helps::yes);
    store_->get_jobs({JobId{}}, note(answered));
  }
  auto future = answered.get_future();
  ASSERT_EQ(future.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  EXPECT_EQ(future.get(), std::this_thread::get_id());
}

TEST_F(HelpedTest, AWriteIsAnsweredByWhoHelpsOnceItIsDurable) {
  std::promise<std::thread::id> answered;
  {
    const WakeRound round(WakeRound::Helps::yes);
    enqueue(answered);
  }
  ASSERT_TRUE(eventually([&] { return helper_->asked(); })) << "who writes calls who helps";
  auto future = answered.get_future();
  EXPECT_NE(future.wait_for(std::chrono::seconds(0)), std::future_status::ready) << "who writes answers nobody itself";
  helper_->make_round();
  ASSERT_EQ(future.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  EXPECT_EQ(future.get(), std::this_thread::get_id());
}

TEST_F(HelpedTest, WhatWouldTakeLongIsTheThreads) {
  std::promise<std::thread::id> many, list;
  {
    const WakeRound round(WakeRound::Helps::yes);
    store_->get_jobs(std::vector<JobId>(500), note(many));
  }
  EXPECT_NE(answer_of(many), std::this_thread::get_id());
  {
    const WakeRound round(WakeRound::Helps::yes);
    store_->list_queues(NamespaceName(kDefaultNamespace), note(list));
  }
  EXPECT_NE(answer_of(list), std::this_thread::get_id());
}

TEST_F(HelpedTest, ARoundThatDoesNotHelpLeavesItToTheThread) {
  std::promise<std::thread::id> answered;
  {
    const WakeRound round;
    store_->get_jobs({JobId{}}, note(answered));
  }
  EXPECT_NE(answer_of(answered), std::this_thread::get_id());
}

TEST_F(HelpedTest, WhatTheHelperWasAskedForIsTheThreadsWhenThereIsNoHelperAnyMore) {
  std::promise<std::thread::id> answered;
  {
    const WakeRound round(WakeRound::Helps::yes);
    enqueue(answered);
  }
  ASSERT_TRUE(eventually([&] { return helper_->asked(); }));
  store_->set_helper(nullptr);
  EXPECT_NE(answer_of(answered), std::this_thread::get_id());
}

TEST_F(HelpedTest, VerbsOfManyRoundsAndThreadsAreAllAnswered) {
  constexpr int kThreads = 3, kRounds = 200;
  std::atomic<int> answers{0};
  std::atomic<bool> over{false};
  // The one that helps goes round until all is answered, as a loop does.
  std::thread loop([&] {
    for (int i = 0; !over; ++i) {
      const WakeRound round(WakeRound::Helps::yes);
      if (i < kRounds) {
        JobSpec spec;
        spec.type = JobType("work");
        store_->enqueue({spec}, [&](const auto& made) { answers += made.ok() ? 1 : 0; });
        store_->get_jobs({JobId{}}, [&](const auto&) { ++answers; });
      }
      helper_->make_round();
    }
  });
  std::vector<std::thread> others;
  for (int t = 0; t < kThreads; ++t)
    others.emplace_back([&] {
      for (int i = 0; i < kRounds; ++i) {
        store_->get_jobs(std::vector<JobId>(i % 3 == 0 ? 200 : 1), [&](const auto&) { ++answers; });
        store_->enqueue({JobSpec{.type = JobType("work")}}, [&](const auto& made) { answers += made.ok() ? 1 : 0; });
      }
    });
  for (std::thread& other : others) other.join();
  EXPECT_TRUE(eventually([&] { return answers == 2 * kRounds * (kThreads + 1); })) << answers;
  over = true;
  loop.join();
}

TEST(OpQueue, AGroupThatChangesNothingIsAnswered) {
  const TempFolder folder;
  const ManualClock clock;
  Metrics metrics;
  const auto store = open_for_test(folder.path("m.db"), clock, metrics);
  constexpr std::size_t kMany = 20;  // more than are written without a thread
  std::vector<std::promise<void>> answers(kMany);
  {
    const WakeRound round;  // so that they come together
    for (std::promise<void>& answer : answers)
      store->complete({Completion{}}, [&answer](const Result<Each<Settled>>&) { answer.set_value(); });
  }
  for (std::promise<void>& answer : answers) ASSERT_EQ(answer.get_future().wait_for(patience()), std::future_status::ready);
  EXPECT_TRUE(store->close().ok());
}

TEST(OpQueue, WhoIsInNoRoundWaitsForNobodyElsesRound) {
  const TempFolder folder;
  const ManualClock clock;
  Metrics metrics;
  const auto store = open_for_test(folder.path("m.db"), clock, metrics);
  const auto ask = [&](std::promise<bool>& answer) {
    store->enqueue({}, [&](const Result<std::vector<Enqueued>>& made) { answer.set_value(made.ok()); });
  };
  // A writer that is not asleep yet finds everything by itself: most of the rounds find it asleep.
  for (int i = 0; i < 50; ++i) {
    std::thread([] {}).join();  // time to fall asleep
    std::promise<bool> in_round;
    {
      const WakeRound round;  // of the loop, which is busy with other connections
      ask(in_round);
      std::promise<bool> other;
      std::thread([&] { ask(other); }).join();
      ASSERT_EQ(other.get_future().wait_for(patience()), std::future_status::ready);
    }
    EXPECT_TRUE(in_round.get_future().get());
  }
  EXPECT_TRUE(store->close().ok());
}

}  // namespace
}  // namespace muster::store::sqlite
