// What people see: durations, ages, bytes, tables and the top view, without a terminal.
#include "cli/format.h"

#include <gtest/gtest.h>

#include <regex>

#include "cli/bench.h"
#include "cli/table.h"
#include "cli/top.h"

namespace muster::cli {
namespace {

using namespace std::chrono_literals;

TEST(DurationText, ParsesEveryUnitAndTheirSums) {
  const std::vector<std::pair<std::string, sdk::Duration>> cases{{"250ms", 250ms}, {"10s", 10s}, {"5m", 5min},
                                                                 {"2h", 2h},       {"1d", 24h},  {"1h30m", 90min},
                                                                 {"1.5s", 1500ms}, {"0s", 0s},   {"1m500ms", 60500ms}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(parse_duration(text), expected) << text;
}

TEST(DurationText, RefusesWhatHidesItsUnitOrIsNone) {
  for (const char* bad : {"", "5", "s", "-5s", "+5s", "5 s", "5x", "10s5", "1e3s", "nan s", "99999999999999d"})
    EXPECT_FALSE(parse_duration(bad)) << bad;
}

TEST(DurationText, ShowsTheTwoLargestUnits) {
  const std::vector<std::pair<sdk::Duration, std::string>> cases{
      {0ms, "0ms"},   {830ms, "830ms"}, {1400ms, "1.4s"},  {9999ms, "9.9s"},     {10s, "10s"},   {59s, "59s"},
      {60s, "1m00s"}, {192s, "3m12s"},  {3599s, "59m59s"}, {2h + 5min, "2h05m"}, {24h, "1d00h"}, {103h, "4d07h"}};
  for (const auto& [duration, expected] : cases) EXPECT_EQ(format_duration(duration), expected);
}

TEST(AgeText, LooksBothWays) {
  const sdk::Instant now{1'000'000ms};
  EXPECT_EQ(format_age(now - 192s, now), "3m12s");
  EXPECT_EQ(format_age(now + 5s, now), "in 5.0s");
  EXPECT_EQ(format_age(std::nullopt, now), "-");
}

TEST(SizeText, UsesTheUnitThatFits) {
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(20ULL * 1024 * 1024), "20.0 MiB");
  EXPECT_EQ(format_count(9999), "9999");
  EXPECT_EQ(format_count(12'345), "12.3k");
  EXPECT_EQ(format_count(4'500'000), "4.5M");
  EXPECT_EQ(format_rate(3.14), "3.1/s");
}

TEST(Printable, DisarmsEscapeSequences) {
  EXPECT_EQ(printable("a\x1b[31mb\n\x7f"), "a?[31mb??");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "?31m");
  EXPECT_EQ(printable("größe"), "größe");
  EXPECT_EQ(printable_lines("a\tb\n\x1b[2Jc\r\n"), "a\tb\n?[2Jc?\n");
  EXPECT_EQ(printable_lines(""), "");
}

TEST(Shortened, CutsByCharactersAndMarksTheCut) {
  EXPECT_EQ(shortened("größer", 6), "größer");
  EXPECT_EQ(shortened("größer", 4), "grö…");
  EXPECT_EQ(shortened("abc", 0), "");
}

TEST(Pair, SplitsAtTheFirstEquals) {
  EXPECT_EQ(parse_pair("a=b=c"), std::pair(std::string("a"), std::string("b=c")));
  EXPECT_EQ(parse_pair("a="), std::pair(std::string("a"), std::string("")));
  EXPECT_FALSE(parse_pair("=b"));
  EXPECT_FALSE(parse_pair("ab"));
}

TEST(Bars, FillTheirWidthWhateverTheFraction) {
  for (const double fraction : {-1.0, 0.0, 0.01, 0.5, 0.999, 1.0, 7.0})
    for (const bool unicode : {false, true}) EXPECT_EQ(display_width(bar(fraction, 10, unicode)), 10U) << fraction;
  EXPECT_EQ(bar(0.5, 4, false), "##..");
  const std::vector<double> values{0, 1, 8};
  EXPECT_EQ(sparkline(values, true), "▁▁█");
  EXPECT_EQ(display_width(sparkline(values, false)), 3U);
}

TEST(Table, AlignsColumnsAndEndsLinesWithoutBlanks) {
  Table table({{"NAME"}, {"N", Align::right}, {"NOTE"}});
  table.add({{"a"}, {"5"}, {""}});
  table.add({{"größer"}, {"1234"}, {"x"}});
  const std::vector<std::string> expected{"NAME       N  NOTE", "a          5", "größer  1234  x"};
  EXPECT_EQ(table.lines({.color = false, .width_max = 0}), expected);
}

std::string without_escapes(const std::string& text) { return std::regex_replace(text, std::regex("\x1b\\[[0-9;]*m"), ""); }

TEST(Table, ColoursChangeNothingButTheEscapes) {
  Table table({{"A"}, {"B", Align::right}});
  table.add({{"running", Color::yellow}, {"1", Color::red}});
  const auto plain = table.lines({.color = false, .width_max = 0});
  const auto bright = table.lines({.color = true, .width_max = 0});
  ASSERT_EQ(plain.size(), bright.size());
  EXPECT_NE(plain[1], bright[1]);
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(without_escapes(bright[i]), plain[i]);
}

TEST(Table, NeverExceedsTheWidthItIsGiven) {
  Table table({{"FIRST"}, {"SECOND", Align::right}, {"THIRD"}});
  table.add({{"aaaaaaaaaa"}, {"1"}, {"cccccccccccccccccccc"}});
  for (std::size_t width = 1; width < 50; ++width)
    for (const std::string& line : table.lines({.color = true, .width_max = width}))
      EXPECT_LE(display_width(without_escapes(line)), width);
}

TEST(Table, ShowsEveryKnownStateInAColour) {
  for (const char* state : {"scheduled", "ready", "running", "completed", "dead", "cancelled", "online", "draining", "offline"})
    EXPECT_NE(color_of_state(state), Color::none) << state;
  EXPECT_EQ(color_of_state("nonsense"), Color::none);
}

TopSnapshot crowded(std::size_t queues, std::size_t workers) {
  TopSnapshot snapshot;
  snapshot.at = sdk::Instant{1'000'000ms};
  snapshot.server.version = "0.1.0";
  for (std::size_t i = 0; i < queues; ++i) {
    sdk::Queue queue;
    queue.name = "queue-" + std::to_string(i);
    queue.ready = i;
    snapshot.queues.push_back(queue);
  }
  for (std::size_t i = 0; i < workers; ++i) {
    sdk::WorkerInfo worker;
    worker.id = "worker-" + std::to_string(i);
    worker.state = "online";
    worker.slots = 4;
    worker.running = static_cast<std::uint32_t>(i % 5);
    snapshot.workers.push_back(worker);
  }
  return snapshot;
}

TEST(TopView, FitsEveryScreen) {
  TopHistory history;
  for (const auto& [queues, workers] : {std::pair{0, 0}, std::pair{1, 0}, std::pair{3, 2}, std::pair{60, 60}})
    for (const std::size_t rows : {1, 2, 5, 9, 10, 11, 24, 60})
      for (const std::size_t columns : {1, 10, 40, 80, 200}) {
        const auto snapshot = crowded(static_cast<std::size_t>(queues), static_cast<std::size_t>(workers));
        const auto lines = render_top(snapshot, history,
                                      {.size = {.rows = rows, .columns = columns},
                                       .color = true,
                                       .unicode = true,
                                       .address = "http://127.0.0.1:8080",
                                       .problem = ""});
        EXPECT_LE(lines.size(), rows);
        for (const std::string& line : lines) EXPECT_LE(display_width(without_escapes(line)), columns) << line;
      }
}

TEST(TopView, ShowsTheDeepestQueueFirstAndCountsTheHidden) {
  const auto lines =
      render_top(crowded(60, 0), {},
                 {.size = {.rows = 24, .columns = 100}, .color = false, .unicode = false, .address = "a", .problem = ""});
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  EXPECT_NE(all.find("queue-59"), std::string::npos);
  EXPECT_EQ(all.find("queue-0 "), std::string::npos);
  EXPECT_NE(all.find("more"), std::string::npos);
}

TEST(TopView, SaysWhatIsWrongInsteadOfTheTotals) {
  const auto lines = render_top(crowded(1, 1), {},
                                {.size = {}, .color = false, .unicode = false, .address = "a", .problem = "unreachable: gone"});
  EXPECT_EQ(lines[1], "unreachable: gone");
}

TEST(TopHistory, TakesRatesFromTotalsAndForgetsARestart) {
  TopHistory history;
  TopSnapshot snapshot = crowded(1, 0);
  history.add(snapshot);
  EXPECT_TRUE(history.completed(10).empty());
  snapshot.at += 2s;
  snapshot.queues[0].completed_total = 10;
  history.add(snapshot);
  EXPECT_EQ(history.completed_now(), 5.0);
  snapshot.at += 1s;
  snapshot.queues[0].completed_total = 3;
  history.add(snapshot);
  EXPECT_EQ(history.completed(10).size(), 1U);
  for (int i = 0; i < 1000; ++i) {
    snapshot.at += 1s;
    history.add(snapshot);
  }
  EXPECT_EQ(history.completed(5000).size(), TopHistory::kKept);
}

TEST(LatencyHistogram, IsRightToAboutTwoPercentAndMerges) {
  LatencyHistogram low;
  LatencyHistogram high;
  for (int i = 1; i <= 500; ++i) low.add(std::chrono::microseconds(i * 100));
  for (int i = 501; i <= 1000; ++i) high.add(std::chrono::microseconds(i * 100));
  low.merge(high);
  EXPECT_EQ(low.count(), 1000U);
  using Millis = std::chrono::duration<double, std::milli>;
  EXPECT_NEAR(Millis(low.quantile(0.5)).count(), 50, 50 * 0.03);
  EXPECT_NEAR(Millis(low.quantile(0.99)).count(), 99, 99 * 0.03);
  EXPECT_EQ(low.quantile(1.0), low.max());
  EXPECT_EQ(low.max(), 100ms);
  EXPECT_EQ(LatencyHistogram().quantile(0.5), 0ns);
}

}  // namespace
}  // namespace muster::cli
