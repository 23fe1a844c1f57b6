#include "agents/claude/retry.h"

#include <gtest/gtest.h>

#include "agents/claude/limits.h"
#include "agents/claude/token_budget.h"

namespace muster::claude {
namespace {

constexpr Instant kNow{std::chrono::seconds(784'111'777)};  // Sun, 06 Nov 1994 08:49:37 GMT

RetryHints hints_of(std::initializer_list<std::pair<const char*, const char*>> headers) {
  RetryHints hints;
  for (const auto& [name, value] : headers) note_retry_header(name, value, kNow, hints);
  return hints;
}

TEST(Retry, ReadsHowLongToWait) {
  EXPECT_EQ(hints_of({{"Retry-After", "2"}}).after, Duration(2'000));
  EXPECT_EQ(hints_of({{"retry-after", "1.5"}}).after, Duration(1'500));
  EXPECT_EQ(hints_of({{"retry-after-ms", "250"}, {"retry-after", "9"}}).after, Duration(250));
  EXPECT_EQ(hints_of({{"retry-after", "9"}, {"retry-after-ms", "250"}}).after, Duration(250));
  EXPECT_EQ(hints_of({{"retry-after", "Sun, 06 Nov 1994 08:49:47 GMT"}}).after, Duration(10'000));
  EXPECT_EQ(hints_of({{"retry-after", "Sun, 06 Nov 1994 08:49:07 GMT"}}).after, Duration(0));
  EXPECT_EQ(hints_of({{"retry-after", "86400"}}).after, kModelRetryAfterMax);
  EXPECT_EQ(hints_of({{"retry-after", "1e308"}}).after, kModelRetryAfterMax);
  for (const char* const nonsense : {"", "-1", "soon", "inf", "nan", "1e999"})
    EXPECT_EQ(hints_of({{"retry-after", nonsense}, {"retry-after-ms", nonsense}}).after, std::nullopt) << nonsense;
}

TEST(Retry, ObeysTheApiBeforeItsOwnList) {
  for (const long status : {408L, 409L, 429L, 500L, 502L, 529L}) EXPECT_TRUE(is_retryable_status(status, {})) << status;
  for (const long status : {400L, 401L, 403L, 404L, 413L, 422L}) EXPECT_FALSE(is_retryable_status(status, {})) << status;
  EXPECT_FALSE(is_retryable_status(529, hints_of({{"x-should-retry", "false"}})));
  EXPECT_TRUE(is_retryable_status(400, hints_of({{"X-Should-Retry", "true"}})));
  EXPECT_TRUE(is_retryable_status(500, hints_of({{"x-should-retry", "perhaps"}})));
}

TEST(Retry, WaitsTwiceAsLongEachTimeUpToItsBoundAndUpToAQuarterLess) {
  const Duration base{500};
  const Duration max{8'000};
  EXPECT_EQ(retry_delay(1, base, max, 0), Duration(500));
  EXPECT_EQ(retry_delay(2, base, max, 0), Duration(1'000));
  EXPECT_EQ(retry_delay(5, base, max, 0), Duration(8'000));
  EXPECT_EQ(retry_delay(4'000'000'000U, base, max, 0), Duration(8'000));
  EXPECT_EQ(retry_delay(2, base, max, 0.5), Duration(875));
  EXPECT_GE(retry_delay(2, base, max, 0.999), Duration(750));
  EXPECT_EQ(retry_delay(0, base, max, 0), Duration(500));
}

TEST(TokenBudget, LetsThroughWhatAMinuteHasAndRefillsEvenly) {
  TokenBudget budget(600);
  Ticks now = std::chrono::seconds(100);
  EXPECT_TRUE(budget.take(400, now));
  EXPECT_FALSE(budget.take(300, now));
  now += std::chrono::seconds(9);
  EXPECT_FALSE(budget.take(300, now));
  now += std::chrono::seconds(1);
  EXPECT_TRUE(budget.take(300, now));
  EXPECT_FALSE(budget.take(1, now));
}

TEST(TokenBudget, IsCorrectedByWhatWasUsed) {
  TokenBudget budget(600);
  const Ticks now = std::chrono::seconds(1);
  EXPECT_TRUE(budget.take(600, now));
  budget.correct(600, 100);
  EXPECT_TRUE(budget.take(500, now));
  budget.correct(500, 800);  // more than was thought: the next minute pays
  EXPECT_FALSE(budget.take(1, now + std::chrono::seconds(29)));
  EXPECT_TRUE(budget.take(1, now + std::chrono::seconds(31)));
}

TEST(TokenBudget, LetsACallThroughThatNeedsMoreThanAMinuteHas) {
  TokenBudget budget(600);
  EXPECT_TRUE(budget.take(10'000, Ticks(1)));
  EXPECT_FALSE(budget.take(1, Ticks(1)));
  TokenBudget none(0);
  EXPECT_TRUE(none.take(1'000'000, Ticks(1)));
}

}  // namespace
}  // namespace muster::claude
