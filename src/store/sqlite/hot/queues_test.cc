#include "store/sqlite/hot/queues.h"

#include <gtest/gtest.h>

namespace muster::store::sqlite {
namespace {

using namespace std::chrono_literals;

TEST(RateBucket, StartsFullAndIsEmptyAfterItsBurst) {
  RateBucket bucket;
  const RateLimit limit{.count = 2, .per = 1s, .burst = 3};
  const Instant now{10s};
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(bucket.has_token(limit, now));
    bucket.take();
  }
  EXPECT_FALSE(bucket.has_token(limit, now));
  EXPECT_EQ(bucket.next_token_at(limit, now), now + 500ms);
}

TEST(RateBucket, HasATokenAtTheVeryInstantItNamed) {
  RateBucket bucket;
  const RateLimit limit{.count = 3, .per = 1s, .burst = 1};
  Instant now{10s};
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(bucket.has_token(limit, now)) << i;
    bucket.take();
    now = bucket.next_token_at(limit, now);
  }
}

TEST(RateBucket, EarnsNothingWhenTheClockStepsBack) {
  RateBucket bucket;
  const RateLimit limit{.count = 1, .per = 1s, .burst = 1};
  ASSERT_TRUE(bucket.has_token(limit, Instant{100s}));
  bucket.take();
  EXPECT_FALSE(bucket.has_token(limit, Instant{50s}));
  EXPECT_TRUE(bucket.has_token(limit, Instant{101s}));
}

TEST(RateMeter, CountsTheLastMinuteAndForgetsTheRest) {
  RateMeter meter;
  for (int i = 0; i < 120; ++i) meter.add(Instant{1000s});
  EXPECT_DOUBLE_EQ(meter.per_second(Instant{1001s}), 2.0);
  EXPECT_DOUBLE_EQ(meter.per_second(Instant{1059s}), 2.0);
  EXPECT_DOUBLE_EQ(meter.per_second(Instant{1060s}), 0.0);
}

TEST(HotQueue, IsFullForATypeOnlyAtThatTypesCap) {
  HotQueue queue;
  queue.settings.running_max_by_type["a"] = 2;
  queue.held_by_type["a"] = 1;
  queue.held_by_type["b"] = 9;
  EXPECT_TRUE(queue.has_room(JobType("a")));
  EXPECT_TRUE(queue.has_room(JobType("b")));
  queue.held_by_type["a"] = 2;
  EXPECT_FALSE(queue.has_room(JobType("a")));
}

}  // namespace
}  // namespace muster::store::sqlite
