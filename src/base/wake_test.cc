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

}  // namespace
}  // namespace muster
