#include "model/schedule.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using namespace std::chrono_literals;

TEST(FireKey, SpellsTheInstantWithItsOffset) {
  const Instant noon = Instant(1'765'022'400s);
  EXPECT_EQ(fire_key(ScheduleId("s-1"), noon), "schedule:s-1:2025-12-06T12:00:00+00:00");
}

TEST(FireKey, KeepsAFractionThatIsThere) {
  const Instant late = Instant(1'765'022'400s) + 250ms;
  EXPECT_EQ(fire_key(ScheduleId("s-1"), late), "schedule:s-1:2025-12-06T12:00:00.250+00:00");
}

TEST(Overlap, IsReadBackAsItIsWritten) {
  for (const Overlap overlap : {Overlap::allow, Overlap::skip, Overlap::buffer_one, Overlap::cancel_previous})
    EXPECT_EQ(parse_overlap(to_string(overlap)), overlap);
  EXPECT_FALSE(parse_overlap("buffer"));
  EXPECT_FALSE(parse_overlap(""));
}

}  // namespace
}  // namespace muster
