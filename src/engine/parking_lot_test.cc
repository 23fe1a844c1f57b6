// The lot alone, against a plain model: whatever the mixture of offers, lanes and moves, a wake-up takes the lowest ticket of
// those parked that may serve the lane.
#include "engine/parking_lot.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "engine/claims_testing.h"

namespace muster::engine {
namespace {

using namespace std::chrono_literals;

ParkedClaim& add(ParkingLot& lot, const std::string& worker, std::vector<std::string> capabilities = {}) {
  store::ClaimRequest request;
  request.ns = NamespaceName(kDefaultNamespace);
  request.worker = WorkerId(worker);
  ParkedClaim& claim = lot.add(std::move(request), 60s, {});
  claim.last.offer = make_offer(worker, std::move(capabilities));
  return claim;
}

TEST(ParkingLot, SharesAGroupAmongWorkersThatOfferTheSame) {
  ParkingLot lot;
  for (int i = 0; i < 1'000; ++i) lot.park(add(lot, "w" + std::to_string(i), {"tool:x"}), Place::for_lane, 1s);
  EXPECT_EQ(lot.lanes().groups(), 1u);
  lot.park(add(lot, "other", {"tool:y"}), Place::for_lane, 1s);
  EXPECT_EQ(lot.lanes().groups(), 2u);
}

TEST(ParkingLot, ForgetsOffersNobodyWaitsWith) {
  ParkingLot lot;
  for (int i = 0; i < 10'000; ++i) {
    ParkedClaim& claim = add(lot, "w", {"tool:" + std::to_string(i)});
    lot.park(claim, Place::for_lane, 1s);
    lot.remove(claim);
  }
  EXPECT_LT(lot.lanes().groups(), 2'000u);
  EXPECT_EQ(lot.size(), 0u);
}

TEST(ParkingLot, AClaimForRunsAloneIsNotWokenForAnotherJob) {
  ParkingLot lot;
  ParkedClaim& runs = add(lot, "a");
  Offer offer = *runs.last.offer;
  offer.takes = JobKind::run;
  runs.last.offer = std::make_shared<const Offer>(std::move(offer));
  lot.park(runs, Place::for_lane, 1s);
  EXPECT_EQ(lot.longest_waiting(make_lane({})), nullptr);
  ParkedClaim& any = add(lot, "b");
  lot.park(any, Place::for_lane, 1s);
  EXPECT_EQ(lot.longest_waiting(make_lane({})), &any);
}

TEST(ParkingLot, BoundsTheLanesItRemembers) {
  ParkingLot lot;
  lot.park(add(lot, "w"), Place::for_lane, 1s);
  for (int i = 0; i < 10'000; ++i) EXPECT_NE(lot.longest_waiting(make_lane({}, "default", "t" + std::to_string(i))), nullptr);
  EXPECT_LE(lot.lanes().lanes(), 8'192u);
}

TEST(ParkingLot, OrdersByDeadlineAndByPollApart) {
  ParkingLot lot;
  ParkedClaim& first = add(lot, "a");
  ParkedClaim& second = add(lot, "b");
  first.deadline = 20s;
  second.deadline = 10s;
  lot.park(first, Place::for_lane, 1s);
  lot.park(second, Place::for_slot, 2s);
  EXPECT_EQ(lot.first_to_expire(), &second);
  EXPECT_EQ(lot.first_to_poll(), &first);
  lot.take(first);
  EXPECT_EQ(lot.first_to_poll(), &second);
  EXPECT_EQ(lot.parked(), 1u);
  EXPECT_EQ(lot.waiting(), 2u);
}

TEST(ParkingLot, TakesTheLowestAbleTicketInEveryMixture) {
  std::mt19937 random(7);  // the seed that makes a failure repeatable
  const auto pick = [&](std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random); };
  const std::vector<std::vector<std::string>> sets{{}, {"tool:a"}, {"tool:b"}, {"tool:a", "tool:b"}, {"tool:c"}};
  std::vector<LaneRef> lanes;
  for (const auto& needs : sets) lanes.push_back(make_lane(needs));
  lanes.push_back(make_lane({"worker:w3"}));
  lanes.push_back(make_lane({"tool:a", "worker:w4"}));

  ParkingLot lot;
  std::map<std::uint64_t, ParkedClaim*> all;
  for (int step = 0; step < 10'000; ++step) {
    const std::size_t action = pick(4);
    if (action == 0 && all.size() < 60) {
      ParkedClaim& claim = add(lot, "w" + std::to_string(pick(8)), sets[pick(sets.size())]);
      all[claim.ticket] = &claim;
    } else if (action == 1 && !all.empty()) {
      ParkedClaim& claim = *std::next(all.begin(), static_cast<std::ptrdiff_t>(pick(all.size())))->second;
      if (claim.place == Place::in_flight) lot.park(claim, pick(4) == 0 ? Place::for_slot : Place::for_lane, Ticks(pick(1'000)));
    } else if (action == 2 && !all.empty() && pick(3) == 0) {
      const auto gone = std::next(all.begin(), static_cast<std::ptrdiff_t>(pick(all.size())));
      lot.remove(*gone->second);
      all.erase(gone);
    } else {
      const LaneRef& lane = lanes[pick(lanes.size())];
      const ParkedClaim* expected = nullptr;
      for (const auto& [ticket, claim] : all)
        if (expected == nullptr && claim->place == Place::for_lane && may_serve(*claim->last.offer, *lane)) expected = claim;
      ParkedClaim* found = lot.longest_waiting(lane);
      ASSERT_EQ(found, expected) << "step " << step;
      if (found != nullptr) lot.take(*found);
    }
  }
}

}  // namespace
}  // namespace muster::engine
