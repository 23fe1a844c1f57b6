// Contract: which job goes first. Priority with ageing, due time, arrival, and turns among fairness keys.
#include "model/rank.h"
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class OrderContract : public StoreContract {
 protected:
  JobId add_priority(std::int32_t priority) {
    return add([&](JobSpec& j) { j.priority = priority; });
  }
  static JobSpec fair(std::string key, std::uint32_t weight = 1) {
    return a_job([&](JobSpec& j) {
      j.correlation = key;
      j.fairness = FairnessKey{std::move(key), weight};
    });
  }
  // The keys of the next `count` jobs, taken one by one.
  std::string turns(std::size_t count) {
    std::string keys;
    for (std::size_t i = 0; i < count; ++i) keys += take_one("wide").correlation;
    return keys;
  }
  void join_wide() {
    join(a_worker("wide", [](WorkerSpec& w) { w.slots = 1'000; }));
  }
};

constexpr Duration kAgeing = std::chrono::duration_cast<Duration>(kAgeingPerPoint);

TEST_P(OrderContract, TheFirstInIsTheFirstOut) {
  join_wide();
  std::vector<JobId> ids;
  for (int i = 0; i < 10; ++i) ids.push_back(add());
  EXPECT_EQ(ids_of(take("wide", 10)), ids);
}

TEST_P(OrderContract, ABatchKeepsItsOrder) {
  join_wide();
  const std::vector<JobId> ids = add_many(50);
  EXPECT_EQ(ids_of(take("wide", 50)), ids);
}

TEST_P(OrderContract, HigherPriorityGoesFirst) {
  join_wide();
  const JobId low = add_priority(-5), normal = add_priority(0), high = add_priority(5);
  EXPECT_EQ(ids_of(take("wide", 3)), (std::vector{high, normal, low}));
}

TEST_P(OrderContract, TheExtremesOfPriorityAreOrdered) {
  join_wide();
  const JobId lowest = add_priority(limits::kPriorityMin), normal = add_priority(0), highest = add_priority(limits::kPriorityMax);
  EXPECT_EQ(ids_of(take("wide", 3)), (std::vector{highest, normal, lowest}));
}

TEST_P(OrderContract, APointOfPriorityIsWorthAMinuteOfWaiting) {
  join_wide();
  const JobId old = add_priority(0);
  advance(kAgeing - 1ms);
  const JobId urgent = add_priority(1);
  EXPECT_EQ(ids_of(take("wide", 2)), (std::vector{urgent, old}));
}

TEST_P(OrderContract, ALongWaitBeatsAPointOfPriority) {
  join_wide();
  const JobId old = add_priority(0);
  advance(kAgeing + 1ms);
  const JobId urgent = add_priority(1);
  EXPECT_EQ(ids_of(take("wide", 2)), (std::vector{old, urgent}));
}

TEST_P(OrderContract, EqualRanksGoByArrival) {
  join_wide();
  const JobId old = add_priority(0);
  advance(kAgeing);
  const JobId urgent = add_priority(1);
  EXPECT_EQ(ids_of(take("wide", 2)), (std::vector{old, urgent}));
}

TEST_P(OrderContract, DueTimeCountsAndNotArrival) {
  join_wide();
  const JobId later = add([](JobSpec& j) { j.delay = 20s; });
  const JobId sooner = add([](JobSpec& j) { j.delay = 10s; });
  advance(20s);
  sweep(&Store::promote_due);
  const JobId at_last = add();
  EXPECT_EQ(ids_of(take("wide", 3)), (std::vector{sooner, later, at_last}));
}

TEST_P(OrderContract, TheBestOfAllLanesGoesFirst) {
  join(a_worker("wide", [](WorkerSpec& w) {
    w.slots = 100;
    w.capabilities = CapabilitySet({"tool:a", "tool:b"});
  }));
  std::vector<JobId> ids;
  for (int i = 0; i < 12; ++i) {
    ids.push_back(add([&](JobSpec& j) {
      j.type = JobType(i % 2 == 0 ? "even" : "odd");
      j.queue = QueueName(i % 3 == 0 ? "third" : "rest");
      if (i % 4 == 0) j.needs = CapabilitySet({"tool:a"});
      if (i % 5 == 0) j.needs = CapabilitySet({"tool:a", "tool:b"});
    }));
    advance(1ms);
  }
  EXPECT_EQ(ids_of(take("wide", 12)), ids);
}

TEST_P(OrderContract, OneByOneAndInABatchGiveTheSameOrder) {
  join_wide();
  std::vector<JobId> expected;
  for (const std::int32_t priority : {3, 2, 1}) {
    const JobId id = add([&](JobSpec& j) {
      j.priority = priority;
      j.type = JobType(fmt::format("t{}", priority));
    });
    expected.push_back(id);
  }
  for (const JobId& id : expected) EXPECT_EQ(take_one("wide").id, id);
}

TEST_P(OrderContract, AReleasedJobKeepsItsPlace) {
  join_wide();
  const JobId first = add();
  const Grant grant = take_one("wide");
  advance(5s);
  const JobId second = add();
  must(release(grant));
  EXPECT_EQ(ids_of(take("wide", 2)), (std::vector{first, second}));
}

TEST_P(OrderContract, ARescuedJobKeepsItsPlace) {
  join("mortal");
  const JobId first = add();
  take_one("mortal");
  advance(5s);
  const JobId second = add();
  join("mortal");  // the name comes back: its leases are lost
  EXPECT_EQ(ids_of(take("mortal", 2)), (std::vector{first, second}));
}

TEST_P(OrderContract, ARetryStandsInLineByItsNewDueTime) {
  join_wide();
  const JobId first = add();
  const Grant grant = take_one("wide");
  const JobId second = add();
  must(client().fail({lease_of(grant), {"boom", ""}, true, Duration(10s)}));
  advance(10s);
  sweep(&Store::promote_due);
  EXPECT_EQ(ids_of(take("wide", 2)), (std::vector{second, first}));
}

TEST_P(OrderContract, TheOrderSurvivesARestart) {
  std::vector<JobId> ids;
  for (const std::int32_t priority : {5, 4, 3}) ids.push_back(add_priority(priority));
  for (const JobId& id : add_many(5)) ids.push_back(id);
  restart();
  join_wide();
  EXPECT_EQ(ids_of(take("wide", 8)), ids);
}

TEST_P(OrderContract, TheOrderSurvivesACrash) {
  const std::vector<JobId> ids = add_many(20);
  crash();
  join_wide();
  EXPECT_EQ(ids_of(take("wide", 20)), ids);
}

TEST_P(OrderContract, FairnessKeysTakeTurns) {
  join_wide();
  for (int i = 0; i < 6; ++i) add(fair("a"));
  for (int i = 0; i < 3; ++i) add(fair("b"));
  EXPECT_EQ(turns(9),
            "ababab"
            "aaa");
}

TEST_P(OrderContract, ThreeKeysTakeTurnsWhateverTheOrderTheyCameIn) {
  join_wide();
  for (const char* key : {"a", "a", "a", "b", "b", "b", "c", "c", "c"}) add(fair(key));
  EXPECT_EQ(turns(9), "abcabcabc");
}

TEST_P(OrderContract, ABatchTakesTurnsToo) {
  join_wide();
  add_many(4, fair("a"));
  add_many(4, fair("b"));
  std::string keys;
  for (const Grant& grant : take("wide", 8)) keys += grant.correlation;
  EXPECT_EQ(keys, "abababab");
}

TEST_P(OrderContract, TurnsAreInProportionToTheWeights) {
  join_wide();
  for (int i = 0; i < 20; ++i) add(fair("a", 2));
  for (int i = 0; i < 20; ++i) add(fair("b", 1));
  const std::string keys = turns(18);
  EXPECT_EQ(std::count(keys.begin(), keys.end(), 'a'), 12);
  EXPECT_EQ(std::count(keys.begin(), keys.end(), 'b'), 6);
}

TEST_P(OrderContract, ALateKeyIsNotOwedTheTimeItWasAway) {
  join_wide();
  for (int i = 0; i < 12; ++i) add(fair("a"));
  ASSERT_EQ(turns(6), "aaaaaa");
  for (int i = 0; i < 4; ++i) add(fair("b"));
  const std::string keys = turns(8);
  EXPECT_EQ(std::count(keys.begin(), keys.end(), 'b'), 4);
  EXPECT_EQ(keys.find("bbb"), std::string::npos) << keys;
  EXPECT_NE(keys.find('a'), std::string::npos);
  EXPECT_LT(keys.find('a'), 3u) << keys;
}

TEST_P(OrderContract, ALateKeyDoesNotWaitBehindAllTheOthersWork) {
  join_wide();
  for (int i = 0; i < 100; ++i) add(fair("a"));
  ASSERT_EQ(turns(1), "a");
  add(fair("b"));
  EXPECT_NE(turns(3).find('b'), std::string::npos);
}

TEST_P(OrderContract, PriorityGoesBeforeTurns) {
  join_wide();
  add(fair("a"));
  add(fair("b"));
  add(a_job([](JobSpec& j) {
    j.fairness = FairnessKey{"a", 1};
    j.priority = 1;
    j.correlation = "A";
  }));
  EXPECT_EQ(turns(1), "A");
}

TEST_P(OrderContract, TurnsSurviveARestart) {
  for (int i = 0; i < 3; ++i) add(fair("a"));
  for (int i = 0; i < 3; ++i) add(fair("b"));
  restart();
  join_wide();
  EXPECT_EQ(turns(6), "ababab");
}

INSTANTIATE_TEST_SUITE_P(Stores, OrderContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
