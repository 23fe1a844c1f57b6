#include <gtest/gtest.h>

#include "store/sqlite/hot/lanes.h"
#include "store/sqlite/hot/queues.h"

namespace muster::store::sqlite {
namespace {

Lane lane(const char* queue, const char* type, std::vector<std::string> needs) {
  return {NamespaceName("n"), QueueName(queue), JobType(type), CapabilitySet(std::move(needs))};
}

TEST(Lanes, HeadIsTheLowestRankThenTheLowestKey) {
  Lanes lanes;
  const LaneIndex index = lanes.add(lane("q", "t", {}), 0, 1, 0);
  EXPECT_EQ(lanes.head(index), kNoHead);
  lanes.push(index, {20, 1});
  lanes.push(index, {10, 3});
  lanes.push(index, {10, 2});
  EXPECT_EQ(lanes.at(index).entries.front().key, 2);
  lanes.pop(index);
  EXPECT_EQ(lanes.at(index).entries.front().key, 3);
  lanes.pop(index);
  EXPECT_EQ(lanes.head(index), 20);
  lanes.pop(index);
  EXPECT_EQ(lanes.head(index), kNoHead);
}

TEST(Lanes, AnOfferSeesOnlyLanesItCoversAlsoThoseAddedLater) {
  Lanes lanes;
  lanes.add(lane("q", "t", {}), 0, 1, 0);
  lanes.add(lane("q", "t", {"tool:x"}), 0, 2, 0);
  const auto list = lanes.lanes_of({NamespaceName("n"), {}, CapabilitySet({"tool:y"})});
  lanes.refresh(*list);
  EXPECT_EQ(list->lanes, (std::vector<LaneIndex>{0}));
  lanes.add(lane("q", "t", {"tool:y"}), 0, 3, 0);
  lanes.refresh(*list);
  EXPECT_EQ(list->lanes, (std::vector<LaneIndex>{0, 2}));
}

TEST(Lanes, EqualOffersShareOneList) {
  Lanes lanes;
  const Offer offer{NamespaceName("n"), {QueueName("q")}, CapabilitySet({"tool:y"})};
  EXPECT_EQ(lanes.lanes_of(offer), lanes.lanes_of(offer));
  EXPECT_NE(lanes.lanes_of(offer), lanes.lanes_of({NamespaceName("n"), {}, CapabilitySet({"tool:y"})}));
}

TEST(Lanes, FindsALaneByItsNeedsAndByItsRow) {
  Lanes lanes;
  const LaneIndex index = lanes.add(lane("q", "t", {"tool:b", "tool:a"}), 4, 17, 0);
  ASSERT_NE(lanes.find(4, JobType("t"), CapabilitySet({"tool:a", "tool:b"})), nullptr);
  EXPECT_EQ(*lanes.find(4, JobType("t"), CapabilitySet({"tool:a", "tool:b"})), index);
  EXPECT_EQ(lanes.find(4, JobType("t"), CapabilitySet({"tool:a"})), nullptr);
  EXPECT_EQ(*lanes.find_row(17), index);
  EXPECT_EQ(lanes.find_row(18), nullptr);
}

TEST(Lanes, LanesWithoutLiveJobsAreForgottenAndTheirPlacesUsedAgain) {
  Lanes lanes;
  const LaneIndex idle = lanes.add(lane("q", "idle", {"tool:a"}), 0, 1, 0);
  const LaneIndex busy = lanes.add(lane("q", "busy", {"tool:a"}), 0, 2, 0);
  lanes.hold(busy);
  const auto list = lanes.lanes_of(Offer{NamespaceName("n"), {}, CapabilitySet({"tool:a"})});
  lanes.refresh(*list);
  EXPECT_EQ(list->lanes.size(), 2u);
  lanes.forget_idle();
  EXPECT_EQ(lanes.size(), 1u);
  EXPECT_FALSE(lanes.known(idle));
  EXPECT_EQ(lanes.find_row(1), nullptr);
  EXPECT_EQ(lanes.add(lane("q", "new", {"tool:b"}), 0, 3, 0), idle);
  lanes.refresh(*list);
  EXPECT_EQ(list->lanes, std::vector<LaneIndex>{busy}) << "the offer does not cover what took the place";
}

// A job that waits for a concurrency key stands in a lane and has no entry there; its place must not become another lane's.
TEST(Lanes, AWorkersOwnLaneStaysWithTheLaneItWasMadeFromWhileAJobStandsInIt) {
  Lanes lanes;
  const LaneIndex home = lanes.add(lane("q", "t", {}), 0, 1, 0);
  const LaneIndex own = lanes.add(lane("q", "t", {"worker:w"}), 0, 0, home);
  lanes.hold(own);
  lanes.forget_idle();
  EXPECT_TRUE(lanes.known(own));
  EXPECT_TRUE(lanes.known(home));
  lanes.let_go(own);
  lanes.forget_idle();
  EXPECT_EQ(lanes.size(), 0u);
  EXPECT_EQ(lanes.entries(), 0u);
}

TEST(Lanes, ALaneThatIsStoredWhileAJobStandsInItIsNotIdle) {
  Lanes lanes;
  for (std::int64_t row = 1; row < static_cast<std::int64_t>(kIdleLanesMax); ++row)
    lanes.add(lane("q", std::to_string(row).c_str(), {}), 0, row, 0);
  const LaneIndex own = lanes.add(lane("q", "t", {"worker:w"}), 0, 0, 0);
  lanes.hold(own);
  lanes.store(own, kIdleLanesMax);
  EXPECT_FALSE(lanes.mostly_idle(200'000));
  lanes.let_go(own);
  EXPECT_TRUE(lanes.mostly_idle(200'000));
}

TEST(Lanes, AreWorthForgettingWhenMostAreIdleOrNoneIsFree) {
  Lanes lanes;
  for (std::int64_t row = 1; row <= static_cast<std::int64_t>(kIdleLanesMax); ++row)
    lanes.add(lane("q", std::to_string(row).c_str(), {}), 0, row, 0);
  EXPECT_TRUE(lanes.mostly_idle(200'000));
  lanes.hold(0);
  EXPECT_FALSE(lanes.mostly_idle(200'000));
  EXPECT_TRUE(lanes.mostly_idle(kIdleLanesMax)) << "there is no room for another";
  lanes.let_go(0);
  EXPECT_TRUE(lanes.mostly_idle(200'000));
}

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
