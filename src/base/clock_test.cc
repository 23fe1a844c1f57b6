#include "base/clock.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using namespace std::chrono_literals;

TEST(ManualClock, MovesOnlyByHandAndInBothDirections) {
  ManualClock clock(from_ms(1'000));
  EXPECT_EQ(clock.now(), from_ms(1'000));
  EXPECT_EQ(clock.now(), from_ms(1'000));
  const Ticks before = clock.elapsed();
  clock.advance(250ms);
  EXPECT_EQ(to_ms(clock.now()), 1'250);
  EXPECT_EQ(clock.elapsed() - before, 250ms);
  clock.set(from_ms(10));
  EXPECT_EQ(to_ms(clock.now()), 10);
}

TEST(RealClock, NeverRunsBackward) {
  const RealClock clock;
  Ticks last = clock.elapsed();
  for (int i = 0; i < 1'000; ++i) {
    const Ticks next = clock.elapsed();
    ASSERT_GE(next, last);
    last = next;
  }
  EXPECT_GT(to_ms(clock.now()), 1'700'000'000'000);  // a machine that believes it is before 2023 cannot keep leases
}

}  // namespace
}  // namespace muster
