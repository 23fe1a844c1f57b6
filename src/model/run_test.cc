#include "model/run.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using namespace std::chrono_literals;

constexpr double kNoSpread = 0.0;
constexpr double kMostSpread = 0.999'999;

TEST(StepPolicy, TakesEachFieldFromTheOneThatSaysIt) {
  const StepPolicy over{.attempts_max = -1, .factor = 1.5};
  const StepPolicy under{.attempts_max = 3, .first_delay = 5s, .delay_max = 9s, .non_retryable = {"bad"}};
  EXPECT_EQ(merged(over, under),
            (StepPolicy{.attempts_max = -1, .first_delay = 5s, .factor = 1.5, .delay_max = 9s, .non_retryable = {"bad"}}));
  EXPECT_EQ(merged({.non_retryable = {"worse"}}, under).non_retryable, std::vector<std::string>{"worse"});
  EXPECT_EQ(merged({}, under), under);
  EXPECT_EQ(merged(under, {}), under);
}

TEST(StepDelay, GrowsFromTheFirstDelayUpToTheCap) {
  const auto delay = [](std::uint32_t attempt) { return step_delay({}, StepBackoff::plain, attempt, kNoSpread); };
  EXPECT_EQ(delay(1), kStepFirstDelayDefault);
  EXPECT_EQ(delay(2), 2s);
  EXPECT_EQ(delay(3), 4s);
  EXPECT_EQ(delay(6), 32s);
  EXPECT_EQ(delay(7), kStepDelayMaxDefault);
  EXPECT_EQ(delay(4'000'000'000), kStepDelayMaxDefault) << "a power beyond all numbers ends at the cap";
}

TEST(StepDelay, IsMultipliedOnceMoreForTheOlderDialect) {
  const auto delay = [](std::uint32_t attempt) { return step_delay({}, StepBackoff::multiplied_first, attempt, kNoSpread); };
  EXPECT_EQ(delay(1), 2s);
  EXPECT_EQ(delay(2), 4s);
  EXPECT_EQ(delay(3), 8s);
}

TEST(StepDelay, FollowsThePolicyAndIsNeverShorterThanPromised) {
  const StepPolicy policy{.first_delay = 100ms, .factor = 3, .delay_max = 500ms};
  for (const double spread : {kNoSpread, 0.5, kMostSpread}) {
    EXPECT_GE(step_delay(policy, StepBackoff::plain, 2, spread), 300ms);
    EXPECT_LE(step_delay(policy, StepBackoff::plain, 2, spread), 330ms);
    EXPECT_GE(step_delay(policy, StepBackoff::plain, 9, spread), 500ms);
    EXPECT_LE(step_delay(policy, StepBackoff::plain, 9, spread), 550ms);
  }
}

TEST(StepRetry, EndsWithTheAttemptsThatMayBe) {
  EXPECT_TRUE(step_may_retry({.attempts_max = 2}, 1, "x"));
  EXPECT_FALSE(step_may_retry({.attempts_max = 2}, 2, "x"));
  EXPECT_TRUE(step_may_retry({}, kStepAttemptsDefault - 1, "x"));
  EXPECT_FALSE(step_may_retry({}, kStepAttemptsDefault, "x"));
  EXPECT_TRUE(step_may_retry({.attempts_max = -1}, 4'000'000'000, "x"));
}

TEST(StepRetry, EndsAtAMessageThatBeginsAsOneThatMayNotBeRetried) {
  const StepPolicy policy{.non_retryable = {"", "card declined"}};
  EXPECT_FALSE(step_may_retry(policy, 1, "card declined: no funds"));
  EXPECT_TRUE(step_may_retry(policy, 1, "the card declined"));
  EXPECT_TRUE(step_may_retry(policy, 1, "card")) << "an empty beginning is none";
}

TEST(StepWords, AreReadBackAsTheyAreWritten) {
  for (const StepKind kind : {StepKind::function, StepKind::sleep, StepKind::child, StepKind::signal})
    EXPECT_EQ(parse_step_kind(to_string(kind)), kind);
  EXPECT_FALSE(parse_step_kind("Sleep"));
  EXPECT_FALSE(parse_step_kind(""));
  EXPECT_EQ(to_string(StepState::waiting), "waiting");
  EXPECT_EQ(workflow_capability("orders"), "workflow:orders");
}

}  // namespace
}  // namespace muster
