#include "model/retry.h"

#include <gtest/gtest.h>

#include "model/limits.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

const Instant kFailedAt = Instant(1'700'000'000s);
constexpr double kMiddle = 0.5;  // no jitter either way

RetryPolicy policy() {
  RetryPolicy out;
  out.attempts_max = 4;
  out.backoff_base = 1s;
  out.backoff_factor = 3;
  out.backoff_max = 10s;
  out.jitter = 0.2;
  out.non_retryable = {"bad_input"};
  return out;
}

TEST(Backoff, GrowsByItsFactorUpToItsCap) {
  EXPECT_EQ(backoff(policy(), 1, kMiddle), 1s);
  EXPECT_EQ(backoff(policy(), 2, kMiddle), 3s);
  EXPECT_EQ(backoff(policy(), 3, kMiddle), 9s);
  EXPECT_EQ(backoff(policy(), 4, kMiddle), 10s);
}

TEST(Backoff, StaysAtItsCapWhereThePowerOverflows) { EXPECT_EQ(backoff(policy(), limits::kAttemptsMax, kMiddle), 10s); }

TEST(Backoff, SpreadsByItsJitterAroundTheDelay) {
  EXPECT_EQ(backoff(policy(), 1, 0.0), 800ms);
  EXPECT_EQ(backoff(policy(), 1, 0.75), 1'100ms);
}

TEST(Backoff, IsNeverNegative) {
  RetryPolicy wild = policy();
  wild.jitter = 1;
  EXPECT_EQ(backoff(wild, 1, 0.0), 0ms);
}

TEST(AfterFailure, RetriesWhileAttemptsAreLeft) {
  const AfterFailure after = after_failure(policy(), 3, {"io", "disk"}, true, std::nullopt, kFailedAt, kMiddle);
  EXPECT_EQ(after.event, JobEvent::failed);
  EXPECT_EQ(after.run_at, kFailedAt + 9s);
}

TEST(AfterFailure, EndsWithTheLastAttempt) {
  EXPECT_EQ(after_failure(policy(), 4, {"io", ""}, true, std::nullopt, kFailedAt, kMiddle).event, JobEvent::exhausted);
  EXPECT_EQ(after_failure(policy(), 4, {"io", ""}, true, 5s, kFailedAt, kMiddle).event, JobEvent::exhausted);
}

TEST(AfterFailure, EndsAtOnceForAnErrorThatMayNotBeRetried) {
  EXPECT_EQ(after_failure(policy(), 1, {"bad_input", ""}, true, std::nullopt, kFailedAt, kMiddle).event, JobEvent::exhausted);
  EXPECT_EQ(after_failure(policy(), 1, {"io", ""}, false, std::nullopt, kFailedAt, kMiddle).event, JobEvent::exhausted);
}

TEST(AfterFailure, TakesTheDelayTheWorkerAskedFor) {
  EXPECT_EQ(after_failure(policy(), 1, {"io", ""}, true, 42s, kFailedAt, kMiddle).run_at, kFailedAt + 42s);
  EXPECT_EQ(after_failure(policy(), 1, {"io", ""}, true, 0s, kFailedAt, kMiddle).run_at, kFailedAt);
}

TEST(AfterLoss, SpendsTheRescueBudgetAndNothingElse) {
  EXPECT_EQ(after_loss(0, 3), JobEvent::lost);
  EXPECT_EQ(after_loss(2, 3), JobEvent::lost);
  EXPECT_EQ(after_loss(3, 3), JobEvent::exhausted);
  EXPECT_EQ(after_loss(0, 0), JobEvent::exhausted);
}

}  // namespace
}  // namespace muster
