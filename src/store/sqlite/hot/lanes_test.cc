#include "store/sqlite/hot/lanes.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace muster::store::sqlite
