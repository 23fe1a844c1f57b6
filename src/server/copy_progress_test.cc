#include "server/copy_progress.h"

#include <gtest/gtest.h>

namespace muster::server {
namespace {

using store::transfer::Kind;
using store::transfer::Phase;
using store::transfer::Step;

TEST(CopyProgress, SaysOneLineForEachKindWhenNobodyLooks) {
  ManualClock clock;
  CopyProgress progress(clock, false);
  EXPECT_EQ(progress.text_for({Phase::copying, Kind::jobs, 500, 1'000, false}), "");
  EXPECT_EQ(progress.text_for({Phase::copying, Kind::jobs, 1'000, 1'000, true}), "copy     jobs              1000 of 1000\n");
}

TEST(CopyProgress, MovesABarOnATerminalAndNotTooOften) {
  ManualClock clock;
  CopyProgress progress(clock, true);
  const std::string half = progress.text_for({Phase::comparing, Kind::jobs, 500, 1'000, false});
  EXPECT_NE(half.find("[###############...............] 500 of 1000"), std::string::npos) << half;
  EXPECT_EQ(half.find('\n'), std::string::npos);
  EXPECT_EQ(progress.text_for({Phase::comparing, Kind::jobs, 600, 1'000, false}), "");
  clock.advance(Duration(100));
  EXPECT_NE(progress.text_for({Phase::comparing, Kind::jobs, 700, 1'000, false}), "");
  EXPECT_EQ(progress.text_for({Phase::comparing, Kind::jobs, 1'000, 1'000, true}).back(), '\n');
}

TEST(CopyProgress, StaysWithinTheBarWhenThereIsMoreThanWasCounted) {
  ManualClock clock;
  CopyProgress progress(clock, true);
  const std::string text = progress.text_for({Phase::copying, Kind::keys, 9, 3, true});
  EXPECT_NE(text.find("[##############################] 9 of 3"), std::string::npos) << text;
}

}  // namespace
}  // namespace muster::server
