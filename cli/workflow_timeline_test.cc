// The picture of a run's history, as text.
#include "cli/workflows.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "cli/format.h"

namespace muster::cli {
namespace {

sdk::Instant milli_at(std::int64_t millis) { return sdk::Instant(sdk::Duration(millis)); }

sdk::RunStep step_of(std::string name, std::int64_t from, std::optional<std::int64_t> to) {
  sdk::RunStep out;
  out.name = std::move(name);
  out.kind = "function";
  out.state = to ? "completed" : "running";
  out.worker = "w1";
  out.begun_at = milli_at(from);
  if (to) out.finished_at = milli_at(*to);
  return out;
}

std::vector<sdk::RunStep> order_steps() {
  std::vector<sdk::RunStep> steps;
  steps.push_back(step_of("charge", 0, 1'000));
  steps.back().state = "failed";
  steps.back().error = sdk::Failure{.kind = "card", .message = "declined"};
  steps.push_back(step_of("charge", 2'000, 4'000));
  steps.back().attempt = 2;
  steps.push_back(step_of("pause", 4'000, 6'000));
  steps.back().kind = "sleep";
  steps.push_back(step_of("approval", 6'000, 8'000));
  steps.back().kind = "signal";
  steps.back().signal = "ok";
  steps.push_back(step_of("shipping", 8'000, 9'000));
  steps.back().kind = "child";
  steps.back().child = "c-1";
  steps.push_back(step_of("mail", 9'000, std::nullopt));
  return steps;
}

std::string picture_of(const Table& table) { return fmt::format("{}\n", fmt::join(table.lines({}), "\n")); }

TEST(Timeline, DrawsEveryKindOfStepInItsOwnWay) {
  const auto steps = order_steps();
  EXPECT_EQ(picture_of(timeline(steps, {.now = milli_at(10'000), .width = 20, .unicode = true})),
            "STEP      ATTEMPT  WORKER  TIME  0s               10s  NOTE\n"
            "charge          1  w1      1.0s  ▒▒                    card: declined\n"
            "charge          2  w1      2.0s      ████\n"
            "pause           1  w1      2.0s          ────\n"
            "approval        1  w1      2.0s              ░░░░      signal \"ok\"\n"
            "shipping        1  w1      1.0s                  ▓▓    child c-1\n"
            "mail            1  w1      1.0s                    █▶\n");
}

TEST(Timeline, DrawsWithPlainCharactersWhereThereAreNoOthers) {
  const auto steps = order_steps();
  EXPECT_EQ(picture_of(timeline(steps, {.now = milli_at(10'000), .width = 20, .unicode = false})),
            "STEP      ATTEMPT  WORKER  TIME  0s               10s  NOTE\n"
            "charge          1  w1      1.0s  xx                    card: declined\n"
            "charge          2  w1      2.0s      ####\n"
            "pause           1  w1      2.0s          ----\n"
            "approval        1  w1      2.0s              ~~~~      signal \"ok\"\n"
            "shipping        1  w1      1.0s                  ==    child c-1\n"
            "mail            1  w1      1.0s                    #>\n");
}

TEST(Timeline, SaysWhenWhatWaitsGoesOn) {
  sdk::RunStep nap = step_of("nap", 0, std::nullopt);
  nap.kind = "sleep";
  nap.state = "waiting";
  nap.until = milli_at(70'000);
  sdk::RunStep ask = step_of("ask", 0, std::nullopt);
  ask.kind = "signal";
  ask.state = "waiting";
  ask.signal = "go";
  sdk::RunStep failed = step_of("try", 0, 5'000);
  failed.state = "failed";
  failed.error = sdk::Failure{.kind = "net", .message = "down"};
  failed.until = milli_at(13'000);
  const std::string text =
      picture_of(timeline(std::vector{nap, ask, failed}, {.now = milli_at(10'000), .width = 20, .unicode = false}));
  EXPECT_NE(text.find("wakes in 1m00s"), std::string::npos) << text;
  EXPECT_NE(text.find("signal \"go\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("net: down, again in 3.0s"), std::string::npos) << text;
}

TEST(Timeline, GivesEveryMomentOneCellAndNoBarMoreThanTheScale) {
  // Everything in one instant; something that began after "now" by another clock; nothing at all.
  const auto moment = std::vector{step_of("a", 5, 5), step_of("b", 5, 5)};
  EXPECT_EQ(picture_of(timeline(moment, {.now = milli_at(5), .width = 20, .unicode = false})),
            "STEP  ATTEMPT  WORKER  TIME  0s               1ms  NOTE\n"
            "a           1  w1       0ms  #\n"
            "b           1  w1       0ms  #\n");
  for (const auto& steps :
       {std::vector{step_of("a", 50, std::nullopt)}, std::vector{step_of("a", 0, 1'000'000), step_of("b", 999'999, 1'000'000)}})
    for (const std::string& line : timeline(steps, {.now = milli_at(10), .width = 20, .unicode = false}).lines({}))
      EXPECT_LE(display_width(line), std::string_view("STEP  ATTEMPT  WORKER  16m40s  ").size() + 26) << line;
  EXPECT_EQ(timeline({}, {.now = milli_at(5)}).rows(), 0U);
}

TEST(Timeline, FitsItsTerminal) {
  EXPECT_EQ(timeline_width(80), kTimelineWidthMin);
  EXPECT_EQ(timeline_width(100), 40U);
  EXPECT_EQ(timeline_width(500), kTimelineWidthMax);
  EXPECT_EQ(timeline_legend(false), "# step  x failed  - sleep  ~ signal  = child  > goes on");
}

}  // namespace
}  // namespace muster::cli
