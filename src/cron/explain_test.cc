#include "cron/explain.h"

#include "cron/cron_testing.h"

namespace muster::cron {
namespace {

std::string said(const std::string& text) { return plan_of(native(text)).explanation(); }

TEST(Explanation, TimesOfADayAreNamed) {
  EXPECT_EQ(said("0 9 * * 1-5"), "at 09:00, Monday to Friday");
  EXPECT_EQ(said("30 9,18 * * *"), "at 09:30 and 18:30 every day");
  EXPECT_EQ(said("@daily"), "at 00:00 every day");
  EXPECT_EQ(said("15 0 12 * * *"), "at 12:00:15 every day");
}

TEST(Explanation, StepsAreToldAsSteps) {
  EXPECT_EQ(said("* * * * *"), "every minute");
  EXPECT_EQ(said("*/5 * * * *"), "every 5 minutes");
  EXPECT_EQ(said("*/5 9-17 * * 1-5"), "every 5 minutes, hours 9 to 17, Monday to Friday");
  EXPECT_EQ(said("*/10 * * * * *"), "every 10 seconds");
  EXPECT_EQ(said("0,30 * * * *"), "every 30 minutes");
  EXPECT_EQ(said("5,35 * * * *"), "at minute 5 and 35 of every hour every day");
}

TEST(Explanation, DaysMonthsAndYearsFollow) {
  EXPECT_EQ(said("0 0 1,15 * *"), "at 00:00, on day 1 and 15 of the month");
  EXPECT_EQ(said("0 0 1 1,6 *"), "at 00:00, on day 1 of the month, in January and June");
  EXPECT_EQ(said("0 0 * * 6,0"), "at 00:00, Saturday and Sunday");
  EXPECT_EQ(said("0 0 13 * 5"), "at 00:00, on day 13 of the month and every Friday");
  EXPECT_EQ(said("0 0 0 13 * 6 2027-2030"), "at 00:00, on day 13 of the month if it is Friday, 2027 to 2030");
}

TEST(Explanation, IntervalsAreAddedUp) {
  EXPECT_EQ(said("every 90s"), "every 1 minute and 30 seconds");
  EXPECT_EQ(said("every 1h"), "every 1 hour");
  EXPECT_EQ(said("every 250ms"), "every 250 milliseconds");
}

TEST(Explanation, AnotherZoneIsNamed) {
  EXPECT_EQ(plan_of(native("0 9 * * *", "Europe/Berlin")).explanation(), "at 09:00 every day, Europe/Berlin");
}

}  // namespace
}  // namespace muster::cron
