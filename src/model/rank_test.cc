#include "model/rank.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster {
namespace {

using namespace std::chrono_literals;

const Instant kNoon = Instant(1'700'000'000s);

TEST(Rank, PutsTheEarlierDueFirst) { EXPECT_LT(rank_of(kNoon, 0), rank_of(kNoon + 1ms, 0)); }

TEST(Rank, PutsTheHigherPriorityFirst) {
  EXPECT_LT(rank_of(kNoon, 1), rank_of(kNoon, 0));
  EXPECT_LT(rank_of(kNoon, 0), rank_of(kNoon, -1));
}

TEST(Rank, LetsALowPriorityAgePastAHighOne) {
  // A point of priority is worth a minute of waiting, no more.
  EXPECT_LT(rank_of(kNoon + 59s, 1), rank_of(kNoon, 0));
  EXPECT_GT(rank_of(kNoon + 61s, 1), rank_of(kNoon, 0));
}

// A lane as a store keeps it: stamps at enqueue, takes by (rank, arrival).
struct FairLane {
  std::int64_t lane_time = 0;
  std::map<std::string, std::int64_t> finishes;
  std::map<std::pair<Rank, int>, std::string> waiting;
  std::map<std::pair<Rank, int>, FairStamp> stamps;
  int arrivals = 0;

  void enqueue(const std::string& key, std::uint32_t weight) {
    const FairStamp stamp = fair_stamp(kNoon, lane_time, finishes[key], weight);
    finishes[key] = stamp.finish;
    const std::pair place{fair_rank(stamp, 0), arrivals++};
    waiting[place] = key;
    stamps[place] = stamp;
  }
  std::string take() {
    const auto first = waiting.begin();
    lane_time = stamps[first->first].start;
    std::string key = first->second;
    waiting.erase(first);
    return key;
  }
};

TEST(Fairness, InterleavesKeysThatArriveInBlocks) {
  FairLane lane;
  for (int i = 0; i < 100; ++i) lane.enqueue("a", 1);
  for (int i = 0; i < 5; ++i) lane.enqueue("b", 1);
  std::map<std::string, int> first_ten;
  for (int i = 0; i < 10; ++i) ++first_ten[lane.take()];
  EXPECT_EQ(first_ten["b"], 5);
}

TEST(Fairness, SharesInProportionToWeights) {
  FairLane lane;
  for (int i = 0; i < 100; ++i) {
    lane.enqueue("heavy", 3);
    lane.enqueue("light", 1);
  }
  std::map<std::string, int> taken;
  for (int i = 0; i < 80; ++i) ++taken[lane.take()];
  EXPECT_NEAR(taken["heavy"], 60, 2);
}

TEST(Fairness, OwesNothingToAKeyThatWasSilent) {
  FairLane lane;
  for (int i = 0; i < 50; ++i) lane.enqueue("a", 1);
  for (int i = 0; i < 40; ++i) lane.take();
  for (int i = 0; i < 10; ++i) lane.enqueue("late", 1);
  std::map<std::string, int> taken;
  for (int i = 0; i < 10; ++i) ++taken[lane.take()];
  EXPECT_NEAR(taken["late"], 5, 1);  // its share from now on, not the forty turns it never asked for
}

TEST(Fairness, KeepsPriorityAboveTurns) {
  const FairStamp late{.start = due_us(kNoon) + 1'000'000, .finish = 0};
  const FairStamp early{.start = due_us(kNoon), .finish = 0};
  EXPECT_LT(fair_rank(late, 1), fair_rank(early, 0));
}

}  // namespace
}  // namespace muster
