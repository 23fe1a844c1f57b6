#include "base/time_text.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(TimeText, WritesUtcWithMilliseconds) {
  EXPECT_EQ(to_rfc3339(from_ms(0)), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(to_rfc3339(from_ms(1'700'000'000'007)), "2023-11-14T22:13:20.007Z");
  EXPECT_EQ(to_rfc3339(from_ms(-1)), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(to_rfc3339(from_ms(951'782'400'000)), "2000-02-29T00:00:00.000Z");
}

TEST(TimeText, ReadsWhatItWrites) {
  for (const std::int64_t ms : {0LL, -1LL, 1'700'000'000'123LL, 253'402'300'799'999LL, -62'135'596'800'000LL})
    EXPECT_EQ(parse_rfc3339(to_rfc3339(from_ms(ms))), from_ms(ms)) << ms;
}

TEST(TimeText, ReadsEveryFormOfRfc3339) {
  const Instant at = from_ms(1'700'000'000'120);
  EXPECT_EQ(parse_rfc3339("2023-11-14T22:13:20.12Z"), at);
  EXPECT_EQ(parse_rfc3339("2023-11-14t22:13:20.120000000z"), at);
  EXPECT_EQ(parse_rfc3339("2023-11-14T23:43:20.12+01:30"), at);
  EXPECT_EQ(parse_rfc3339("2023-11-14T17:13:20.12-05:00"), at);
  EXPECT_EQ(parse_rfc3339("2023-11-14 22:13:20.1209Z"), at);
  EXPECT_EQ(parse_rfc3339("2023-11-14T22:13:20Z"), from_ms(1'700'000'000'000));
  EXPECT_EQ(parse_rfc3339("2016-12-31T23:59:60Z"), parse_rfc3339("2017-01-01T00:00:00Z"));
}

TEST(TimeText, RefusesWhatIsNotAnInstant) {
  for (const char* text : {"",
                           "2023",
                           "2023-11-14",
                           "2023-11-14T22:13:20",
                           "2023-11-14T22:13Z",
                           "2023-13-01T00:00:00Z",
                           "2023-00-01T00:00:00Z",
                           "2023-02-29T00:00:00Z",
                           "2023-11-31T00:00:00Z",
                           "2023-11-14T24:00:00Z",
                           "2023-11-14T00:60:00Z",
                           "2023-11-14T00:00:61Z",
                           "2023-11-14T00:00:00.Z",
                           "2023-11-14T00:00:00.1234567890Z",
                           "2023-11-14T00:00:00+24:00",
                           "2023-11-14T00:00:00+01:60",
                           "2023-11-14T00:00:00+0100",
                           "2023-11-14T00:00:00Zx",
                           " 2023-11-14T00:00:00Z",
                           "-023-11-14T00:00:00Z",
                           "now"})
    EXPECT_EQ(parse_rfc3339(text), std::nullopt) << text;
}

}  // namespace
}  // namespace muster
