#include "store/faults.h"

#include <thread>

#include <gtest/gtest.h>

#include "store/scripted_testing.h"

namespace muster::store {
namespace {

// The code each call was answered with, in the order of the answers.
class Answers {
 public:
  template <class T>
  Reply<T> next() {
    return [this](Result<T> answer) {
      const std::lock_guard lock(mutex_);
      codes_.push_back(answer.code());
    };
  }
  std::vector<Code> codes() const {
    const std::lock_guard lock(mutex_);
    return codes_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Code> codes_;
};

class FaultStoreTest : public ::testing::Test {
 protected:
  void renew() { store.renew({}, answers.next<Each<Renewed>>()); }
  void list() { store.list_queues(NamespaceName(), answers.next<std::vector<QueueStats>>()); }

  ScriptedStore inner;
  FaultStore store{inner, {}};
  Answers answers;
};

TEST_F(FaultStoreTest, IsTransparentWithoutAPolicy) {
  renew();
  list();
  EXPECT_EQ(answers.codes(), (std::vector{Code::ok, Code::ok}));
  EXPECT_EQ(inner.asked(), (std::vector{Verb::renew, Verb::list_queues}));
  EXPECT_EQ(store.injected(Fault::none), 2u);
}

TEST_F(FaultStoreTest, RefusesWithoutAskingTheInnerStore) {
  store.add_script(Verb::renew, {Fault::refuse});
  renew();
  EXPECT_EQ(answers.codes(), std::vector{Code::unavailable});
  EXPECT_TRUE(inner.asked().empty());
}

TEST_F(FaultStoreTest, PerformsAndSaysUnknown) {
  store.add_script(Verb::renew, {Fault::unknown});
  renew();
  EXPECT_EQ(answers.codes(), std::vector{Code::outcome_unknown});
  EXPECT_EQ(inner.asked(), std::vector{Verb::renew});
}

TEST_F(FaultStoreTest, HidesAFailureBehindUnknownToo) {
  inner.fail_with(Status::not_found("x"));
  store.add_script(Verb::renew, {Fault::unknown});
  renew();
  EXPECT_EQ(answers.codes(), std::vector{Code::outcome_unknown});
}

TEST_F(FaultStoreTest, ScriptsAreUsedUpInOrderAndTouchOneVerbOnly) {
  store.add_script(Verb::renew, {Fault::refuse, Fault::none});
  store.add_script(Verb::renew, {Fault::unknown});
  list();
  renew();
  renew();
  renew();
  renew();
  EXPECT_EQ(answers.codes(), (std::vector{Code::ok, Code::unavailable, Code::ok, Code::outcome_unknown, Code::ok}));
}

TEST_F(FaultStoreTest, HoldsAnAnswerUntilTold) {
  store.add_script(Verb::renew, {Fault::hold});
  renew();
  list();
  EXPECT_EQ(answers.codes(), std::vector{Code::ok});  // the list's alone
  EXPECT_EQ(inner.asked().size(), 2u);
  EXPECT_EQ(store.held(), 1u);
  EXPECT_EQ(store.deliver_held(), 1u);
  EXPECT_EQ(answers.codes().size(), 2u);
  EXPECT_EQ(store.deliver_held(), 0u);
}

TEST_F(FaultStoreTest, LetsAHeldAnswerGoWithTheNthLaterCall) {
  FaultStore late(inner, {.seed = 1, .hold_calls = 2});
  late.add_script(Verb::renew, {Fault::hold});
  late.renew({}, answers.next<Each<Renewed>>());
  late.add_script(Verb::info, {Fault::refuse});
  late.list_namespaces(answers.next<std::vector<NamespaceInfo>>());
  EXPECT_EQ(answers.codes().size(), 1u);
  late.info(answers.next<StoreInfo>());
  EXPECT_EQ(answers.codes(), (std::vector{Code::ok, Code::ok, Code::unavailable}));
  EXPECT_EQ(late.held(), 0u);
}

TEST_F(FaultStoreTest, HoldsNothingAfterClose) {
  store.set_policy(Verb::renew, {.hold = 1});
  renew();
  ASSERT_TRUE(store.close().ok());
  EXPECT_EQ(answers.codes().size(), 1u);
  EXPECT_TRUE(inner.closed());
  renew();
  EXPECT_EQ(answers.codes().size(), 2u);
}

TEST_F(FaultStoreTest, LeavesTheAnswersOfAClosedStoreAlone) {
  store.set_policy_of_all({.unknown = 1});
  ASSERT_TRUE(store.close().ok());
  inner.fail_with(Status::unavailable("closed"));
  renew();
  EXPECT_EQ(answers.codes(), std::vector{Code::unavailable});
}

TEST_F(FaultStoreTest, KeepsToTheSharesOfItsPolicy) {
  store.set_policy(Verb::renew, {.refuse = 0.2, .unknown = 0.3});
  constexpr int kCalls = 10'000;
  for (int i = 0; i < kCalls; ++i) renew();
  EXPECT_NEAR(static_cast<double>(store.injected(Fault::refuse)), kCalls * 0.2, kCalls * 0.02);
  EXPECT_NEAR(static_cast<double>(store.injected(Fault::unknown)), kCalls * 0.3, kCalls * 0.02);
  EXPECT_EQ(store.injected(Fault::hold), 0u);
}

TEST_F(FaultStoreTest, APolicyOfAllReachesEveryVerb) {
  store.set_policy_of_all({.refuse = 1});
  renew();
  list();
  store.backup("x", answers.next<BackupReport>());
  EXPECT_EQ(answers.codes(), std::vector(3, Code::unavailable));
}

TEST_F(FaultStoreTest, RepeatsItselfFromTheSameSeed) {
  const auto run = [this](std::uint64_t seed) {
    FaultStore seeded(inner, {.seed = seed});
    seeded.set_policy_of_all({.refuse = 0.5});
    Answers seen;
    for (int i = 0; i < 64; ++i) seeded.renew({}, seen.next<Each<Renewed>>());
    return seen.codes();
  };
  EXPECT_EQ(run(7), run(7));
  EXPECT_NE(run(7), run(8));
}

TEST_F(FaultStoreTest, AnswersEveryCallOnceFromManyThreads) {
  FaultStore shared(inner, {.seed = 3, .hold_calls = 3});
  shared.set_policy_of_all({.refuse = 0.2, .unknown = 0.2, .hold = 0.2});
  constexpr std::size_t kThreads = 4, kCalls = 500;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < kCalls; ++i) shared.renew({}, answers.next<Each<Renewed>>());
    });
  for (std::thread& thread : threads) thread.join();
  shared.deliver_held();
  EXPECT_EQ(answers.codes().size(), kThreads * kCalls);
}

TEST_F(FaultStoreTest, PassesHealthAndListenerThrough) {
  class Deaf final : public Listener {
    void committed(const Committed&) override {}
  } listener;
  store.set_listener(&listener);
  EXPECT_EQ(inner.listener(), &listener);
  inner.set_health({.writable = false, .reason = "a test says so"});
  EXPECT_EQ(store.health().reason, "a test says so");
}

}  // namespace
}  // namespace muster::store
