#include "base/listening.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using namespace std::chrono_literals;

// Wall and monotonic time, each moved by hand.
class TwoClocks final : public Clock {
 public:
  Instant now() const override { return wall; }
  Ticks elapsed() const override { return monotonic; }
  void advance(Duration by) {
    wall += by;
    monotonic += by;
  }
  Instant wall = from_ms(1'700'000'000'000);
  Ticks monotonic = 1'000s;
};

class Listening : public testing::Test {
 protected:
  // Listens every 100 ms for as long as told.
  void listen(Duration during) {
    for (Duration at{0}; at < during; at += 100ms) {
      clock_.advance(100ms);
      listening_.note();
    }
  }
  Ticks counted() const { return listening_.now() - start_; }

  TwoClocks clock_;
  ListeningClock listening_{clock_};
  Ticks start_ = listening_.now();
};

TEST_F(Listening, CountsAllTimeWhileNobodyEverNotes) {
  clock_.advance(42s);
  EXPECT_EQ(counted(), 42s);
}

TEST_F(Listening, CountsTheTimeInWhichItIsNoted) {
  listen(30s);
  EXPECT_EQ(counted(), 30s);
}

TEST_F(Listening, APauseDoesNotCountBeyondTheGapThatIsTolerated) {
  listen(5s);
  clock_.advance(42s);
  EXPECT_EQ(counted(), 5s + kListeningGapMax) << "for a reader that comes before the next note";
  listening_.note();
  listen(60s);
  EXPECT_EQ(counted(), 5s + kListeningGapMax + 60s - kCatchUpMax);
}

TEST_F(Listening, StandsStillAfterAPauseForAsLongAsItWas) {
  listen(1s);
  clock_.advance(2s);
  listening_.note();
  const Ticks before = counted();
  listen(1'500ms);
  EXPECT_LE(counted() - before, kListeningGapMax) << "what lies in the sockets is heard first";
  listen(10s);
  EXPECT_EQ(counted(), 1s + kListeningGapMax + 11'500ms - 2s);
}

TEST_F(Listening, StepsOfTheWallClockAreNotTime) {
  listen(1s);
  for (const Duration step : {Duration(1h), Duration(-3h), Duration(24h * 30)}) {
    const Ticks before = counted();
    clock_.wall += step;
    listening_.note();
    EXPECT_LE(counted() - before, kListeningGapMax);
    listen(20s);
    EXPECT_GE(counted() - before, 20s - kCatchUpMax) << "and the time goes on";
    EXPECT_LE(counted() - before, 20s + kListeningGapMax);
  }
}

TEST_F(Listening, GoesOnThroughStallsThatFollowEachOther) {
  listen(1s);
  for (int i = 0; i < 100; ++i) {
    clock_.advance(5s);
    listening_.note();
  }
  EXPECT_EQ(counted(), 1s + 100 * kListeningGapMax) << "slowly, but whoever is dead is found";
}

TEST_F(Listening, AfterASleepOfTheMachineThereIsTimeToCatchUp) {
  listen(1s);
  clock_.wall += 8h;
  listening_.note();
  const Ticks before = counted();
  EXPECT_LE(before, 1s + kListeningGapMax);
  listen(9s);
  EXPECT_EQ(counted(), before);
}

TEST_F(Listening, NeverRunsBackward) {
  Ticks last = counted();
  for (int i = 0; i < 300; ++i) {
    clock_.advance(i % 7 == 0 ? 3s : 90ms);
    if (i % 3 != 0) listening_.note();
    const Ticks now = counted();
    ASSERT_GE(now, last);
    ASSERT_LE(now - last, 3s);
    last = now;
  }
}

}  // namespace
}  // namespace muster
