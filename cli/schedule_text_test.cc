// Schedules as rows, instants in their zone, and carets under what is wrong.
#include "cli/schedules.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <cstdlib>

namespace muster::cli {
namespace {

std::string lines_of(const Table& table) { return fmt::format("{}\n", fmt::join(table.lines({}), "\n")); }
sdk::Instant time_at(const char* text) { return *sdk::parse_instant(text); }

TEST(LocalText, IsTheTimeOfTheZoneAndLeavesTheProcessItsOwn) {
  setenv("TZ", "Asia/Tokyo", 1);
  EXPECT_EQ(local_text(time_at("2026-11-15T09:05:00Z"), "Europe/Berlin"), "Sun 2026-11-15 10:05:00 CET");
  EXPECT_EQ(local_text(time_at("2026-07-01T09:05:00Z"), "Europe/Berlin"), "Wed 2026-07-01 11:05:00 CEST");
  EXPECT_EQ(local_text(time_at("2026-11-15T09:05:00Z"), "UTC"), "Sun 2026-11-15 09:05:00 UTC");
  EXPECT_STREQ(std::getenv("TZ"), "Asia/Tokyo");
  unsetenv("TZ");
  EXPECT_EQ(local_text(time_at("2026-11-15T09:05:00Z"), "Asia/Kathmandu"), "Sun 2026-11-15 14:50:00 +0545");
  EXPECT_EQ(std::getenv("TZ"), nullptr);
}

TEST(FiresTable, ShowsLocalTimeUtcAndHowLongUntilThen) {
  const std::vector fires{time_at("2026-03-29T00:30:00Z"), time_at("2026-03-29T01:30:00Z")};
  EXPECT_EQ(lines_of(fires_table(fires, "Europe/Berlin", time_at("2026-03-29T00:00:00Z"))),
            "Europe/Berlin                 UTC                            WHEN\n"
            "Sun 2026-03-29 01:30:00 CET   2026-03-29T00:30:00.000Z  in 30m00s\n"
            "Sun 2026-03-29 03:30:00 CEST  2026-03-29T01:30:00.000Z   in 1h30m\n");
}

TEST(FiresTable, TellsWhatIsOverFromWhatIsToCome) {
  const std::string text =
      lines_of(fires_table(std::vector{time_at("2026-01-01T00:00:00Z")}, "UTC", time_at("2026-01-01T02:00:00Z")));
  EXPECT_NE(text.find("2h00m ago\n"), std::string::npos) << text;
}

TEST(PointedAt, PutsCaretsUnderTheFieldThatIsNamed) {
  EXPECT_EQ(pointed_at("0 0 25 * * *", "timing: field 3 (hours): 25 is not within 0 to 23"),
            (std::vector<std::string>{"0 0 25 * * *", "    ^^"}));
  EXPECT_EQ(pointed_at("  0   */5x * * * *", "field 2 (minutes): bad step"),
            (std::vector<std::string>{"  0   */5x * * * *", "      ^^^^"}));
}

TEST(PointedAt, SaysNothingWhenNoFieldOrNoSuchFieldIsNamed) {
  EXPECT_TRUE(pointed_at("0 0 * * * *", "the timing never fires").empty());
  EXPECT_TRUE(pointed_at("0 0", "field 3 (hours): missing").empty());
  EXPECT_TRUE(pointed_at("0 0", "a field of its own").empty());
  EXPECT_TRUE(pointed_at("", "field 1 (seconds): empty").empty());
}

TEST(ScheduleTable, ShowsWhatItEnqueuesAndWhenNext) {
  sdk::Schedule schedule;
  schedule.id = "s-1";
  schedule.timing = {.text = "@daily", .zone = "UTC", .gap = {}, .fold = {}, .jitter = {}};
  schedule.type = "report";
  schedule.queue = "q";
  schedule.is_run = true;
  schedule.next_fire_at = time_at("2026-11-16T00:00:00Z");
  schedule.fired = 3;
  sdk::Schedule paused = schedule;
  paused.id = "s-2";
  paused.enabled = false;
  paused.is_run = false;
  paused.next_fire_at.reset();
  const std::string text = lines_of(schedule_table(std::vector{schedule, paused}, time_at("2026-11-15T22:00:00Z")));
  EXPECT_NE(text.find("s-1       active  @daily  UTC   workflow report in q  in 2h00m     -      3        0\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("s-2       paused  @daily  UTC   job report in q              -     -      3        0\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace muster::cli
