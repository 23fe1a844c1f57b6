// Local times that do not exist or come twice, on real zones: docs/schedules.md has the rule.
#include <gtest/gtest.h>

#include "cron/cron_testing.h"

namespace muster::cron {
namespace {

Timing with(std::string text, std::string zone, GapRule gap, FoldRule fold = FoldRule::once) {
  return {.text = std::move(text), .zone = std::move(zone), .gap = gap, .fold = fold};
}

TEST(Zones, ATimeKeepsItsLocalHourAcrossTheYear) {
  EXPECT_EQ(fires(native("0 9 1 1,7 *", "Europe/Berlin"), "2026-01-01T00:00:00Z", 2),
            (Texts{"2026-01-01T08:00:00Z", "2026-07-01T07:00:00Z"}));
  EXPECT_EQ(fires(native("0 9 1 1,7 *", "America/New_York"), "2026-01-01T00:00:00Z", 2),
            (Texts{"2026-01-01T14:00:00Z", "2026-07-01T13:00:00Z"}));
}

TEST(Zones, OffsetsNeedNotBeWholeHours) {
  EXPECT_EQ(fires(native("0 0 * * *", "Asia/Kathmandu"), "2026-01-01T00:00:00Z", 2),
            (Texts{"2026-01-01T18:15:00Z", "2026-01-02T18:15:00Z"}));
  EXPECT_EQ(fires(native("@hourly", "Asia/Kathmandu"), "2026-01-01T00:00:00Z", 1), (Texts{"2026-01-01T00:15:00Z"}));
}

// Berlin, 2026-03-29: 02:00 is followed by 03:00, at 01:00 UTC.
TEST(Zones, ATimeInTheGapFiresAtItsEndOrNotAtAll) {
  EXPECT_EQ(fires(with("30 2 * * *", "Europe/Berlin", GapRule::next), "2026-03-28T00:00:00Z", 3),
            (Texts{"2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"}));
  EXPECT_EQ(fires(with("30 2 * * *", "Europe/Berlin", GapRule::skip), "2026-03-28T00:00:00Z", 2),
            (Texts{"2026-03-28T01:30:00Z", "2026-03-30T00:30:00Z"}));
  // The begin of the gap is in it, its end is not.
  EXPECT_EQ(fires(with("0 2 * * *", "Europe/Berlin", GapRule::skip), "2026-03-29T00:00:00Z", 1), (Texts{"2026-03-30T00:00:00Z"}));
  EXPECT_EQ(fires(with("0 3 * * *", "Europe/Berlin", GapRule::skip), "2026-03-29T00:00:00Z", 1), (Texts{"2026-03-29T01:00:00Z"}));
}

TEST(Zones, SeveralTimesInOneGapAreOneFire) {
  EXPECT_EQ(fires(with("*/15 * * * *", "Europe/Berlin", GapRule::next), "2026-03-29T00:30:00Z", 3),
            (Texts{"2026-03-29T00:45:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:15:00Z"}));
  EXPECT_EQ(fires(with("10,20 2 * * *", "Europe/Berlin", GapRule::next), "2026-03-29T00:30:00Z", 2),
            (Texts{"2026-03-29T01:00:00Z", "2026-03-30T00:10:00Z"}));
}

// Berlin, 2026-10-25: 02:00 to 03:00 comes twice, at 00:00 and at 01:00 UTC.
TEST(Zones, ATimeThatComesTwiceFiresOnceOrTwice) {
  EXPECT_EQ(fires(with("30 2 * * *", "Europe/Berlin", GapRule::next, FoldRule::once), "2026-10-24T12:00:00Z", 2),
            (Texts{"2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"}));
  EXPECT_EQ(fires(with("30 2 * * *", "Europe/Berlin", GapRule::next, FoldRule::twice), "2026-10-24T12:00:00Z", 3),
            (Texts{"2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"}));
  // 03:00 comes once, whatever the rule.
  EXPECT_EQ(fires(with("0 3 * * *", "Europe/Berlin", GapRule::next, FoldRule::twice), "2026-10-24T12:00:00Z", 2),
            (Texts{"2026-10-25T02:00:00Z", "2026-10-26T02:00:00Z"}));
}

TEST(Zones, TheSecondComingIsFoundFromWithinTheFirst) {
  const Timing twice = with("0,30 2 * * *", "Europe/Berlin", GapRule::next, FoldRule::twice);
  EXPECT_EQ(fires(twice, "2026-10-25T00:30:00Z", 3),
            (Texts{"2026-10-25T01:00:00Z", "2026-10-25T01:30:00Z", "2026-10-26T01:00:00Z"}));
}

// Lord Howe Island moves by half an hour: 2026-10-04 02:00 → 02:30 (15:30 UTC the day before), 2026-04-05 02:00 → 01:30 (15:00).
TEST(Zones, HalfAnHourIsAGapAndAFoldToo) {
  EXPECT_EQ(fires(with("15 2 * * *", "Australia/Lord_Howe", GapRule::next), "2026-10-03T00:00:00Z", 2),
            (Texts{"2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"}));
  EXPECT_EQ(fires(with("15 2 * * *", "Australia/Lord_Howe", GapRule::skip), "2026-10-03T00:00:00Z", 1),
            (Texts{"2026-10-04T15:15:00Z"}));
  EXPECT_EQ(fires(with("45 1 * * *", "Australia/Lord_Howe", GapRule::next, FoldRule::twice), "2026-04-04T00:00:00Z", 3),
            (Texts{"2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z", "2026-04-05T15:15:00Z"}));
  EXPECT_EQ(fires(with("45 1 * * *", "Australia/Lord_Howe", GapRule::next, FoldRule::once), "2026-04-04T00:00:00Z", 2),
            (Texts{"2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z"}));
}

TEST(Zones, NewYorkMovesOnItsOwnDays) {
  EXPECT_EQ(fires(with("30 2 * * *", "America/New_York", GapRule::next), "2026-03-07T12:00:00Z", 2),
            (Texts{"2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z"}));
  EXPECT_EQ(fires(with("30 1 * * *", "America/New_York", GapRule::next, FoldRule::twice), "2026-10-31T12:00:00Z", 3),
            (Texts{"2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z", "2026-11-02T06:30:00Z"}));
}

// Samoa had no 2011-12-30.
TEST(Zones, AWholeDayCanBeAGap) {
  EXPECT_EQ(fires(with("0 12 * * *", "Pacific/Apia", GapRule::next), "2011-12-29T21:00:00Z", 3),
            (Texts{"2011-12-29T22:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T22:00:00Z"}));
  EXPECT_EQ(fires(with("0 12 * * *", "Pacific/Apia", GapRule::skip), "2011-12-29T21:00:00Z", 2),
            (Texts{"2011-12-29T22:00:00Z", "2011-12-30T22:00:00Z"}));
}

TEST(Zones, UtcHasTwoNamesAndNeedsNoDatabase) {
  for (const char* zone : {"UTC", "Etc/UTC"})
    EXPECT_EQ(fires(native("30 2 * * *", zone), "2026-03-29T00:00:00Z", 1), (Texts{"2026-03-29T02:30:00Z"}));
}

}  // namespace
}  // namespace muster::cron
