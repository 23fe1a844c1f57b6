#include "base/wake.h"

#include <gtest/gtest.h>

#include <thread>

namespace muster {
namespace {

class CountedSleeper final : public Sleeper {
 public:
  void wake() override { ++woken; }
  int woken = 0;
};

TEST(Wake, HappensAtOnceOutsideARound) {
  const auto sleeper = std::make_shared<CountedSleeper>();
  wake(sleeper);
  wake(sleeper);
  EXPECT_EQ(sleeper->woken, 2);
}

TEST(Wake, HappensOnceForEachSleeperWhenTheRoundEnds) {
  const auto one = std::make_shared<CountedSleeper>();
  const auto other = std::make_shared<CountedSleeper>();
  {
    const WakeRound round;
    for (int i = 0; i < 10; ++i) wake(one);
    wake(other);
    EXPECT_EQ(one->woken, 0);
  }
  EXPECT_EQ(one->woken, 1);
  EXPECT_EQ(other->woken, 1);
  { const WakeRound empty; }
  EXPECT_EQ(one->woken, 1);
}

TEST(Wake, ARoundInsideAnotherIsAPartOfIt) {
  const auto sleeper = std::make_shared<CountedSleeper>();
  {
    const WakeRound outer;
    {
      const WakeRound inner;
      wake(sleeper);
    }
    EXPECT_EQ(sleeper->woken, 0);
    wake(sleeper);
  }
  EXPECT_EQ(sleeper->woken, 1);
}

TEST(Wake, WhoHasToWaitInsideARoundWakesFirst) {
  const auto sleeper = std::make_shared<CountedSleeper>();
  {
    const WakeRound round;
    wake(sleeper);
    wake_all_asked();
    EXPECT_EQ(sleeper->woken, 1);
  }
  EXPECT_EQ(sleeper->woken, 1) << "and not again";
}

TEST(Wake, ARoundIsOfItsThreadAlone) {
  const auto sleeper = std::make_shared<CountedSleeper>();
  const WakeRound round;
  std::thread([&] { wake(sleeper); }).join();
  EXPECT_EQ(sleeper->woken, 1);
}

TEST(Wake, ASleeperMayBeGoneButForTheRound) {
  const auto woken = std::make_shared<int>(0);
  struct Telling final : Sleeper {
    explicit Telling(std::shared_ptr<int> to) : count(std::move(to)) {}
    void wake() override { ++*count; }
    std::shared_ptr<int> count;
  };
  {
    const WakeRound round;
    wake(std::make_shared<Telling>(woken));
  }
  EXPECT_EQ(*woken, 1);
}

// Does its work where it may, and then asks for another one, as an answer that leads to the next request does.
class Willing final : public Sleeper {
 public:
  explicit Willing(int works) : works_left(works) {}
  void wake() override { ++woken; }
  bool work_here() override {
    EXPECT_TRUE(in_wake_round()) << "what the work asks for waits for the round too";
    if (works_left == 0) return false;
    --works_left;
    if (then) muster::wake(then);
    return true;
  }
  int works_left;
  int woken = 0;
  std::shared_ptr<Sleeper> then;
};

TEST(Wake, ARoundThatHelpsWakesNobodyWhoseWorkItDid) {
  const auto willing = std::make_shared<Willing>(1);
  const auto other = std::make_shared<CountedSleeper>();
  {
    const WakeRound round(WakeRound::Helps::yes);
    wake(willing);
    wake(other);
    EXPECT_EQ(willing->works_left, 1) << "not before the round ends";
  }
  EXPECT_EQ(willing->works_left, 0);
  EXPECT_EQ(willing->woken, 0);
  EXPECT_EQ(other->woken, 1);
}

TEST(Wake, ARoundThatHelpsWakesWhoCannotBeHelped) {
  const auto willing = std::make_shared<Willing>(0);
  {
    const WakeRound round(WakeRound::Helps::yes);
    wake(willing);
  }
  EXPECT_EQ(willing->woken, 1);
}

TEST(Wake, WhatHelpLeadsToIsHelpedInTheSameRound) {
  const auto last = std::make_shared<Willing>(1);
  const auto first = std::make_shared<Willing>(1);
  first->then = last;
  {
    const WakeRound round(WakeRound::Helps::yes);
    wake(first);
  }
  EXPECT_EQ(last->works_left, 0);
  EXPECT_EQ(last->woken, 0);
}

TEST(Wake, WorkThatLeadsToItselfForEverIsLeftToTheSleeper) {
  const auto endless = std::make_shared<Willing>(1'000);
  endless->then = std::shared_ptr<Sleeper>(endless.get(), [](Sleeper*) {});  // itself, and not kept alive by itself
  {
    const WakeRound round(WakeRound::Helps::yes);
    wake(endless);
  }
  EXPECT_GT(endless->works_left, 900);
  EXPECT_EQ(endless->woken, 1);
}

TEST(Wake, ARoundInsideAnotherOneThatHelpsLeavesTheWorkToTheOuterEnd) {
  const auto willing = std::make_shared<Willing>(1);
  {
    const WakeRound outer(WakeRound::Helps::yes);
    {
      const WakeRound inner(WakeRound::Helps::yes);
      wake(willing);
    }
    EXPECT_EQ(willing->works_left, 1);
  }
  EXPECT_EQ(willing->works_left, 0);
}

}  // namespace
}  // namespace muster
