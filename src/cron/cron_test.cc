// What timings mean: grammar, refusals, intervals, jitter. Zones are zones_test.cc, random plans properties_test.cc.
#include "cron/cron.h"

#include <gtest/gtest.h>

#include <set>

#include "cron/cron_testing.h"

namespace muster::cron {
namespace {

using namespace std::chrono_literals;

TEST(Cron, SixFieldsBeginWithSeconds) {
  EXPECT_EQ(fires(kagzi("0 */5 * * * *"), "2026-03-01T10:02:30Z", 3),
            (Texts{"2026-03-01T10:05:00Z", "2026-03-01T10:10:00Z", "2026-03-01T10:15:00Z"}));
  EXPECT_EQ(fires(kagzi("*/20 59 23 * * *"), "2026-03-01T23:59:19Z", 4),
            (Texts{"2026-03-01T23:59:20Z", "2026-03-01T23:59:40Z", "2026-03-02T23:59:00Z", "2026-03-02T23:59:20Z"}));
}

TEST(Cron, SixFieldsCountDaysOfTheWeekFromOneSunday) {
  EXPECT_EQ(fires(kagzi("0 0 12 ? * 2"), "2026-03-01T00:00:00Z", 2), (Texts{"2026-03-02T12:00:00Z", "2026-03-09T12:00:00Z"}));
  EXPECT_EQ(fires(kagzi("0 0 12 ? * 1"), "2026-03-02T00:00:00Z", 1), (Texts{"2026-03-08T12:00:00Z"}));
  EXPECT_EQ(fires(kagzi("0 0 12 * * 7"), "2026-03-02T00:00:00Z", 1), (Texts{"2026-03-07T12:00:00Z"}));
}

TEST(Cron, SixFieldsWantBothDaysToMatch) {
  // The Fridays of 2026 that are a 13th.
  EXPECT_EQ(fires(kagzi("0 0 0 13 * 6"), "2026-01-01T00:00:00Z", 3),
            (Texts{"2026-02-13T00:00:00Z", "2026-03-13T00:00:00Z", "2026-11-13T00:00:00Z"}));
  EXPECT_EQ(fires(native("0 0 0 13 * 6"), "2026-01-01T00:00:00Z", 1), (Texts{"2026-02-13T00:00:00Z"}));
}

TEST(Cron, FiveFieldsWantEitherDayWhenBothAreRestricted) {
  EXPECT_EQ(fires(native("0 0 13 * 5"), "2026-02-05T00:00:00Z", 4),
            (Texts{"2026-02-06T00:00:00Z", "2026-02-13T00:00:00Z", "2026-02-20T00:00:00Z", "2026-02-27T00:00:00Z"}));
  EXPECT_EQ(fires(native("0 0 13 * 1"), "2026-02-10T00:00:00Z", 2), (Texts{"2026-02-13T00:00:00Z", "2026-02-16T00:00:00Z"}));
  EXPECT_EQ(fires(native("0 0 * * 1"), "2026-02-10T00:00:00Z", 1), (Texts{"2026-02-16T00:00:00Z"}));
  EXPECT_EQ(fires(native("0 0 13 * *"), "2026-02-10T00:00:00Z", 1), (Texts{"2026-02-13T00:00:00Z"}));
  // A field that begins with a star restricts nothing by itself: every second day that is a Monday.
  EXPECT_EQ(fires(native("0 0 */2 * 1"), "2026-02-01T00:00:00Z", 2), (Texts{"2026-02-09T00:00:00Z", "2026-02-23T00:00:00Z"}));
}

TEST(Cron, FiveFieldsCountDaysOfTheWeekFromZeroAndSevenIsSundayToo) {
  for (const char* sunday : {"0 0 * * 0", "0 0 * * 7", "0 0 * * sun", "0 0 * * SUNDAY"})
    EXPECT_EQ(fires(native(sunday), "2026-03-02T00:00:00Z", 1), (Texts{"2026-03-08T00:00:00Z"})) << sunday;
  EXPECT_EQ(fires(native("0 0 * * fri-sun"), "2026-03-02T00:00:00Z", 4),
            (Texts{"2026-03-06T00:00:00Z", "2026-03-07T00:00:00Z", "2026-03-08T00:00:00Z", "2026-03-13T00:00:00Z"}));
  EXPECT_EQ(fires(native("0 0 * * 5-7"), "2026-03-07T00:00:00Z", 1), (Texts{"2026-03-08T00:00:00Z"}));
}

TEST(Cron, NamesAreTakenInAnyCaseAndLength) {
  for (const char* text : {"0 0 0 1 jan,July tues", "0 0 0 1 JANUARY,jul Tuesday", "0 0 0 1 1,7 3", "0 0 0 1 Jan,jul tue"})
    EXPECT_EQ(fires(kagzi(text), "2026-01-01T00:00:00Z", 1), (Texts{"2030-01-01T00:00:00Z"})) << text;
  for (const char* text : {"0 0 0 ? * thu", "0 0 0 ? * thurs", "0 0 0 ? * Thursday", "0 0 0 ? * thu-thurs"})
    EXPECT_EQ(fires(kagzi(text), "2026-03-02T00:00:00Z", 1), (Texts{"2026-03-05T00:00:00Z"})) << text;
}

TEST(Cron, AStepBehindANumberRunsToTheMaximum) {
  EXPECT_EQ(fires(kagzi("50/4 0 0 1 1 *"), "2026-01-01T00:00:00Z", 4),
            (Texts{"2026-01-01T00:00:50Z", "2026-01-01T00:00:54Z", "2026-01-01T00:00:58Z", "2027-01-01T00:00:50Z"}));
  EXPECT_EQ(fires(kagzi("0 0 8-18/5,22 * * *"), "2026-01-01T00:00:00Z", 4),
            (Texts{"2026-01-01T08:00:00Z", "2026-01-01T13:00:00Z", "2026-01-01T18:00:00Z", "2026-01-01T22:00:00Z"}));
}

TEST(Cron, TheSeventhFieldIsTheYear) {
  EXPECT_EQ(fires(kagzi("0 0 0 1 1 * 2030,2040-2042/2"), "2026-01-01T00:00:00Z", 9),
            (Texts{"2030-01-01T00:00:00Z", "2040-01-01T00:00:00Z", "2042-01-01T00:00:00Z"}));
}

TEST(Cron, WhatNeverComesHasNoNextFire) {
  EXPECT_EQ(fires(kagzi("0 0 0 30 2 *"), "2026-01-01T00:00:00Z", 1), Texts{});
  EXPECT_EQ(fires(kagzi("0 0 0 1 1 * 2020"), "2026-01-01T00:00:00Z", 1), Texts{});
  EXPECT_EQ(fires(native("0 0 31 2,4,6,9,11 *", "Europe/Berlin"), "2026-01-01T00:00:00Z", 1), Texts{});
  EXPECT_EQ(fires(kagzi("59 59 23 31 12 *"), "2100-12-31T23:59:58Z", 2), (Texts{"2100-12-31T23:59:59Z"}));
}

TEST(Cron, TheTwentyNinthOfFebruaryComesInLeapYearsAlone) {
  EXPECT_EQ(fires(native("0 0 29 2 *"), "2026-01-01T00:00:00Z", 2), (Texts{"2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"}));
  EXPECT_EQ(fires(native("0 0 29 2 *"), "2096-03-01T00:00:00Z", 2), Texts{});  // 2100 is none
}

TEST(Cron, ShorthandsOfTheNativeForm) {
  const char* const after = "2026-03-04T05:06:07Z";
  EXPECT_EQ(fires(native("@yearly"), after, 1), (Texts{"2027-01-01T00:00:00Z"}));
  EXPECT_EQ(fires(native("@annually"), after, 1), (Texts{"2027-01-01T00:00:00Z"}));
  EXPECT_EQ(fires(native("@monthly"), after, 1), (Texts{"2026-04-01T00:00:00Z"}));
  EXPECT_EQ(fires(native("@weekly"), after, 1), (Texts{"2026-03-08T00:00:00Z"}));
  EXPECT_EQ(fires(native("@daily"), after, 1), (Texts{"2026-03-05T00:00:00Z"}));
  EXPECT_EQ(fires(native("@midnight"), after, 1), (Texts{"2026-03-05T00:00:00Z"}));
  EXPECT_EQ(fires(native(" @hourly "), after, 1), (Texts{"2026-03-04T06:00:00Z"}));
}

TEST(Cron, TheKagziFormTakesFiveShorthandsAndSixOrSevenFields) {
  for (const char* text : {"@yearly", "@monthly", "@weekly", "@daily", "@hourly", "0 0 0 * * *", "0  0\t0 * * * 2030"})
    EXPECT_EQ(refusal(kagzi(text)), "accepted") << text;
  for (const char* text : {"@annually", "@midnight", "@reboot", "@Daily", "every 5s", "* * * * *", "not a cron", ""})
    EXPECT_NE(refusal(kagzi(text)), "accepted") << text;
}

TEST(Cron, RefusalsPointAtTheField) {
  EXPECT_EQ(refusal(kagzi("0 0 25 * * *")), "field 3 (hours): 25 is not within 0 to 23");
  EXPECT_EQ(refusal(native("0 25 * * *")), "field 2 (hours): 25 is not within 0 to 23");
  EXPECT_EQ(refusal(kagzi("60 0 0 * * *")), "field 1 (seconds): 60 is not within 0 to 59");
  EXPECT_EQ(refusal(kagzi("0 0 0 0 * *")), "field 4 (day-of-month): 0 is not within 1 to 31");
  EXPECT_EQ(refusal(kagzi("0 0 0 * 13 *")), "field 5 (month): 13 is not within 1 to 12");
  EXPECT_EQ(refusal(kagzi("0 0 0 * * 0")), "field 6 (day-of-week): 0 is not within 1 to 7");
  EXPECT_EQ(refusal(native("0 0 * * 8")), "field 5 (day-of-week): 8 is not within 0 to 7");
  EXPECT_EQ(refusal(kagzi("0 0 0 * * * 2101")), "field 7 (year): 2101 is not within 1970 to 2100");
  EXPECT_EQ(refusal(kagzi("0 0 0 * * * 1969-1980")), "field 7 (year): 1969 is not within 1970 to 2100");
  EXPECT_EQ(refusal(kagzi("0 ? 0 * * *")), "field 2 (minutes): '?' is accepted in day-of-month and day-of-week only");
  EXPECT_EQ(refusal(kagzi("30-10 0 0 * * *")), "field 1 (seconds): the range 30-10 runs backwards");
  EXPECT_EQ(refusal(kagzi("0 0 0 * * fri-mon")), "field 6 (day-of-week): the range fri-mon runs backwards");
  EXPECT_EQ(refusal(kagzi("0 */0 0 * * *")), "field 2 (minutes): step 0 is not within 1 to 59");
  EXPECT_EQ(refusal(kagzi("0 */60 0 * * *")), "field 2 (minutes): step 60 is not within 1 to 59");
  EXPECT_EQ(refusal(kagzi("0 0 0 * foo *")), "field 5 (month): 'foo' is neither a number nor a name");
  EXPECT_EQ(refusal(kagzi("0 0 0 L * *")), "field 4 (day-of-month): 'L' is not a number");
  EXPECT_EQ(refusal(kagzi("0 1,,2 0 * * *")), "field 2 (minutes): a list has an empty place");
  EXPECT_EQ(refusal(kagzi("0 1, 0 * * *")), "field 2 (minutes): a list has an empty place");
  EXPECT_EQ(refusal(kagzi("0 -5 0 * * *")), "field 2 (minutes): a number is missing");
  EXPECT_EQ(refusal(kagzi("0 5- 0 * * *")), "field 2 (minutes): a number is missing");
  EXPECT_EQ(refusal(kagzi("0 5/ 0 * * *")), "field 2 (minutes): step '' is not a number");
  EXPECT_EQ(refusal(kagzi("0 5/2/2 0 * * *")), "field 2 (minutes): step '2/2' is not a number");
  EXPECT_EQ(refusal(kagzi("0 99999999999999999999 0 * * *")), "field 2 (minutes): 99999999999999999999 is not within 0 to 59");
  EXPECT_EQ(refusal(kagzi("0 1\n 0 * * *")), "field 2 (minutes): '1\\x0a' is not a number");
}

TEST(Cron, RefusalsOfTheWholeSayWhatIsAccepted) {
  EXPECT_EQ(
      refusal(kagzi("* * * * *")),
      "cron '* * * * *' has 5 fields; accepted are six or seven: seconds minutes hours day-of-month month day-of-week [year]");
  EXPECT_EQ(
      refusal(native("* * *")),
      "cron '* * *' has 3 fields; accepted are five to seven: [seconds] minutes hours day-of-month month day-of-week [year]");
  EXPECT_EQ(refusal(native("  ")), "the timing is empty; cron fields or a shorthand like @daily are accepted");
  EXPECT_EQ(refusal(native("* * * * *", "Mars/Olympus")),
            "time zone 'Mars/Olympus' is not in the tz database; names like Europe/Berlin and UTC are accepted");
  EXPECT_NE(refusal(native("* * * * *", "")), "accepted");
  EXPECT_NE(refusal(native("* * * * *", "../../etc/passwd")), "accepted");
  EXPECT_NE(refusal(native(std::string(2'000, '*'))), "accepted");
  EXPECT_NE(refusal({.text = "@daily", .jitter = Duration(-1)}), "accepted");
  EXPECT_NE(refusal({.text = "@daily", .jitter = kJitterMax + Duration(1)}), "accepted");
}

TEST(Cron, IntervalsAreCountedFromTheEpoch) {
  EXPECT_EQ(fires(native("every 90s"), "2026-01-01T00:00:01Z", 2), (Texts{"2026-01-01T00:01:30Z", "2026-01-01T00:03:00Z"}));
  EXPECT_EQ(fires(native("every 1h30m"), "2026-01-01T00:00:00Z", 2), (Texts{"2026-01-01T01:30:00Z", "2026-01-01T03:00:00Z"}));
  EXPECT_EQ(fires(native("every 500ms"), "2026-01-01T00:00:00.100Z", 2),
            (Texts{"2026-01-01T00:00:00.500Z", "2026-01-01T00:00:01Z"}));
  EXPECT_EQ(fires(native("every 7d"), "1970-01-01T00:00:00Z", 1), (Texts{"1970-01-08T00:00:00Z"}));
  EXPECT_EQ(fires(native("every 7d", "Europe/Berlin"), "1969-12-31T23:59:59Z", 1), (Texts{"1970-01-01T00:00:00Z"}));
}

TEST(Cron, IntervalsThatAreNoLengthAreRefused) {
  for (const char* text : {"every 5", "every s", "every 5x", "every -5s", "every 0s", "every 1ms", "every 99999999999999999999d",
                           "every 5s now", "every", "every "})
    EXPECT_NE(refusal(native(text)), "accepted") << text;
  EXPECT_EQ(refusal(native("every 367d")), "interval '367d' is not within 10 ms to 366 days");
}

TEST(Cron, BetweenLeavesOutTheStartAndTakesInTheEnd) {
  const Plan plan = plan_of(kagzi("0 0 * * * *"));
  std::uint64_t left_out = 7;
  EXPECT_EQ(plan.between(at("2026-01-01T01:00:00Z"), at("2026-01-01T04:00:00Z"), 10, &left_out),
            (std::vector{at("2026-01-01T02:00:00Z"), at("2026-01-01T03:00:00Z"), at("2026-01-01T04:00:00Z")}));
  EXPECT_EQ(left_out, 0u);
  EXPECT_TRUE(plan.between(at("2026-01-01T01:00:00Z"), at("2026-01-01T01:59:59.999Z"), 10).empty());
  EXPECT_TRUE(plan.between(at("2026-01-02T01:00:00Z"), at("2026-01-01T01:00:00Z"), 10).empty());
}

TEST(Cron, BetweenKeepsTheNewestAndCountsTheRest) {
  const Plan plan = plan_of(kagzi("* * * * * *"));
  std::uint64_t left_out = 0;
  const Instant end = at("2026-01-01T01:00:00Z");
  EXPECT_EQ(plan.between(end - 1h, end, 2, &left_out), (std::vector{end - 1s, end}));
  EXPECT_EQ(left_out, 3'598u);
  EXPECT_TRUE(plan.between(end - 1h, end, 0, &left_out).empty());
  EXPECT_EQ(left_out, 3'600u);
}

TEST(Cron, CountingWhatIsLeftOutStopsAtItsBound) {
  std::uint64_t left_out = 0;
  const Plan plan = plan_of(kagzi("* * * * * *"));
  EXPECT_EQ(plan.between(Instant(), at("2026-01-01T00:00:00Z"), 1, &left_out).size(), 1u);
  EXPECT_EQ(left_out, 100'000u);
}

TEST(Cron, InstantsOutsideTheCalendarAreAnswered) {
  const Plan plan = plan_of(native("* * * * *", "America/New_York"));
  EXPECT_FALSE(plan.next(Instant::max()).has_value());
  EXPECT_FALSE(plan.next(at("2101-06-01T00:00:00Z")).has_value());
  EXPECT_TRUE(plan.next(Instant::min() + 1h).has_value());
  EXPECT_EQ(plan.between(Instant::min() + 1h, at("1970-01-02T00:00:00Z"), 1).size(), 1u);
  EXPECT_EQ(plan.between(at("2100-01-01T00:00:00Z"), Instant::max(), 1).size(), 1u);
  EXPECT_EQ(plan_of(native("every 1d")).next(Instant::min() + 1h), Instant());
}

TEST(Cron, JitterIsTheSameWheneverItIsAskedForAndSpreadsOut) {
  ScheduleSpec spec;
  spec.id = ScheduleId("0190c2a1-0000-7000-8000-000000000001");
  spec.timing.jitter = 10s;
  ScheduleSpec other = spec;
  other.id = ScheduleId("0190c2a1-0000-7000-8000-000000000002");
  std::set<Duration> seen;
  std::int64_t sum = 0;
  for (int i = 0; i < 1'000; ++i) {
    const Instant fire = at("2026-01-01T00:00:00Z") + i * 60s;
    const Duration late = jitter_of(spec, fire);
    EXPECT_GE(late, 0ms);
    EXPECT_LT(late, 10s);
    EXPECT_EQ(late, jitter_of(spec, fire));
    seen.insert(late);
    sum += late.count();
  }
  EXPECT_GT(seen.size(), 900u);
  EXPECT_NEAR(static_cast<double>(sum) / 1'000, 5'000, 500);
  EXPECT_NE(jitter_of(spec, at("2026-01-01T00:00:00Z")), jitter_of(other, at("2026-01-01T00:00:00Z")));
  spec.timing.jitter = 0ms;
  EXPECT_EQ(jitter_of(spec, at("2026-01-01T00:00:00Z")), 0ms);
}

}  // namespace
}  // namespace muster::cron
