// Which parked claim a wake-up goes to, and what becomes of it when that claim cannot use it.
#include "engine/claims_testing.h"

namespace muster::engine {
namespace {

using namespace std::chrono_literals;

TEST_F(ClaimsTest, WakesTheLongestWaitingFirst) {
  park("a");
  park("b");
  park("c");
  wake({lane_});
  EXPECT_EQ(asked(), Names{"a"});
  wake({lane_, lane_});
  EXPECT_EQ(asked(), (Names{"a", "b", "c"}));
}

TEST_F(ClaimsTest, WakesOneClaimPerEntry) {
  for (const char* worker : {"a", "b", "c"}) park(worker);
  wake({lane_, lane_});
  EXPECT_EQ(asked(), (Names{"a", "b"}));
  EXPECT_EQ(claims_.parked(), 1u);
}

TEST_F(ClaimsTest, ReturnsToItsOldPlaceAfterAnEmptyLook) {
  park("a");
  park("b");
  wake({lane_});
  answer("a", nothing("a"));
  wake({lane_});
  EXPECT_EQ(asked(), Names{"a"});
}

TEST_F(ClaimsTest, KeepsFifoAcrossDifferentOffers) {
  capabilities_["b"] = {"tool:x"};
  park("a");
  park("b");
  park("c");
  wake({lane_, lane_, lane_});
  EXPECT_EQ(asked(), (Names{"a", "b", "c"}));
}

TEST_F(ClaimsTest, LeavesTheUnableAlone) {
  capabilities_["able"] = {"tool:x"};
  park("a");
  park("b");
  park("able");
  wake({make_lane({"tool:x"}), make_lane({"tool:y"}), make_lane({"tool:x", "tool:y"})});
  EXPECT_EQ(asked(), Names{"able"});
}

TEST_F(ClaimsTest, KeepsToQueuesAndNamespaces) {
  offers_["mail"] = std::make_shared<const Offer>(Offer{NamespaceName(kDefaultNamespace), {QueueName("mail")}, {}});
  offers_["other"] = std::make_shared<const Offer>(Offer{NamespaceName("other"), {}, {}});
  park("mail");
  park("other");
  wake({make_lane({}, "print")});
  EXPECT_TRUE(asked().empty());
  wake({make_lane({}, "mail")});
  EXPECT_EQ(asked(), Names{"mail"});
}

TEST_F(ClaimsTest, WakesOnlyTheWorkerALaneNames) {
  for (const char* worker : {"a", "b", "c"}) park(worker);
  wake({make_lane({"worker:b"})});
  EXPECT_EQ(asked(), Names{"b"});
  wake({make_lane({"worker:nobody"})});
  EXPECT_EQ(asked(), Names{"b"});
}

TEST_F(ClaimsTest, LearnsOfOffersThatComeAfterTheLane) {
  const LaneRef lane = make_lane({"tool:x"});
  park("a");
  wake({lane});
  EXPECT_TRUE(asked().empty());
  capabilities_["late"] = {"tool:x"};
  park("late");
  wake({lane});
  EXPECT_EQ(asked(), Names{"late"});
}

TEST_F(ClaimsTest, PassesAWakeOnWhenTheFirstHasNoFreeSlot) {
  park("full");
  park("free");
  wake({lane_});
  answer("full", nothing("full", ClaimBlock::no_slots));
  EXPECT_EQ(asked(), Names{"free"});
}

TEST_F(ClaimsTest, PassesAWakeOnWhenTheFirstTookAJobOfAnotherLane) {
  const LaneRef urgent = make_lane({"tool:x"}, "default", "urgent");
  capabilities_["both"] = {"tool:x"};
  park("both");
  park("plain");
  wake({lane_, urgent});  // `both` is woken for the plain job, and nobody is left for the urgent one
  answer("both", job("both", 1, urgent));
  EXPECT_EQ(asked(), Names{"plain"});
}

TEST_F(ClaimsTest, PassesAWakeOnWhenAGrantDoesNotTellItsLane) {
  const LaneRef pinned = make_lane({"worker:a"});  // the same queue and type as the plain lane
  park("a");
  park("b");
  wake({lane_, pinned});
  answer("a", job("a", 1, pinned));
  EXPECT_EQ(asked(), Names{"b"});
}

TEST_F(ClaimsTest, EndsAWakeWithTheJobItWasFor) {
  park("a");
  park("b");
  wake({lane_});
  answer("a", job("a", 1, lane_));
  EXPECT_TRUE(asked().empty());
  EXPECT_EQ(claims_.parked(), 1u);
}

TEST_F(ClaimsTest, PassesAWakeOnWhenItsWorkerIsGone) {
  park("a");
  park("b");
  wake({lane_});
  answer("a", Status::lease_lost("its session is over"));
  EXPECT_EQ(seen_["a"].code, Code::lease_lost);
  EXPECT_EQ(asked(), Names{"b"});
}

TEST_F(ClaimsTest, DoesNotCarryTheTroubleOfTheStoreFromClaimToClaim) {
  park("a");
  park("b");
  wake({lane_});
  answer("a", Status::unavailable("disk full"));
  EXPECT_EQ(seen_["a"].code, Code::unavailable);
  EXPECT_TRUE(asked().empty());
  EXPECT_EQ(seen_["b"].calls, 0);
}

TEST_F(ClaimsTest, LooksAgainWhenWokenDuringItsFlight) {
  claim("a");
  wake({lane_});  // another thread's commit: this claim's look may have been before it
  answer("a", nothing("a"));
  EXPECT_EQ(asked(), Names{"a"});
  answer("a", nothing("a"));
  EXPECT_EQ(claims_.parked(), 1u);
  EXPECT_EQ(seen_["a"].calls, 0);
}

TEST_F(ClaimsTest, GivesAMissedWakeToOneFlightOnly) {
  claim("a");
  claim("b");
  wake({lane_});
  answer("a", nothing("a"));
  answer("b", nothing("b"));
  EXPECT_EQ(asked(), Names{"a"});
  EXPECT_EQ(claims_.parked(), 1u);
}

TEST_F(ClaimsTest, LooksAgainOnlyForLanesItCanServe) {
  claim("a");
  wake({make_lane({"tool:x"})});
  answer("a", nothing("a"));
  EXPECT_TRUE(asked().empty());
  EXPECT_EQ(claims_.parked(), 1u);
}

TEST_F(ClaimsTest, DoesNotLookAgainForAWakeBeforeItsFlight) {
  claim("slow");
  wake({lane_});
  claim("a");
  waiting_.pop_front();  // `slow` stays in flight
  answer("a", nothing("a"));
  EXPECT_TRUE(asked().empty());
  EXPECT_EQ(claims_.parked(), 1u);
}

}  // namespace
}  // namespace muster::engine
