// Contract: sticky and preferred workers.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class AffinityContract : public StoreContract {
 protected:
  static JobSpec sticky(std::string key = "s") {
    return a_job([&](JobSpec& j) { j.affinity.sticky_key = std::move(key); });
  }
  static JobSpec preferring(std::string capability, Duration wait = limits::kPreferWaitDefault) {
    return a_job([&](JobSpec& j) {
      j.affinity.prefer = std::move(capability);
      j.affinity.prefer_wait = wait;
    });
  }
  static WorkerSpec in_zone(const char* id, const char* zone) {
    return a_worker(id, [&](WorkerSpec& w) { w.labels = {{"zone", zone}}; });
  }
};

TEST_P(AffinityContract, TheFirstJobOfAStickyKeyGoesToAnybody) {
  join("w1");
  add(sticky());
  EXPECT_FALSE(idle("w1"));
}

TEST_P(AffinityContract, LaterJobsGoToTheWorkerThatTookTheFirst) {
  join("w1");
  join("w2");
  add(sticky());
  must(complete(take_one("w1")));
  const JobId second = add(sticky());
  EXPECT_TRUE(idle("w2"));
  EXPECT_EQ(take_one("w1").id, second);
}

TEST_P(AffinityContract, JobsThatWaitedAlreadyAreBoundToo) {
  join("w1");
  join("w2");
  const std::vector<JobId> ids = add_many(3, sticky());
  EXPECT_EQ(take_one("w1").id, ids[0]);
  EXPECT_TRUE(idle("w2"));
  EXPECT_EQ(ids_of(take("w1", 10)), (std::vector{ids[1], ids[2]}));
}

TEST_P(AffinityContract, ABatchClaimTakesAllOfAKey) {
  join("w1");
  add_many(4, sticky());
  EXPECT_EQ(take("w1", 10).size(), 4u);
}

TEST_P(AffinityContract, StickyKeysDoNotDisturbEachOther) {
  join("w1");
  join("w2");
  add(sticky("a"));
  must(complete(take_one("w1")));
  add(sticky("b"));
  must(complete(take_one("w2")));
  add(sticky("a"));
  add(sticky("b"));
  EXPECT_EQ(take("w1", 10).size(), 1u);
  EXPECT_EQ(take("w2", 10).size(), 1u);
}

TEST_P(AffinityContract, AStickyKeyIsOfItsQueue) {
  join("w1");
  join("w2");
  add(sticky());
  take_one("w1");
  JobSpec elsewhere = sticky();
  elsewhere.queue = QueueName("other");
  add(elsewhere);
  EXPECT_FALSE(idle("w2"));
}

TEST_P(AffinityContract, AStickyKeyEndsWithItsWorker) {
  join("w1");
  join("w2");
  add(sticky());
  must(complete(take_one("w1")));
  const JobId second = add(sticky());
  ASSERT_TRUE(idle("w2"));
  must(unregister("w1"));
  EXPECT_EQ(take_one("w2").id, second);
}

TEST_P(AffinityContract, AStickyKeyEndsWithASilentWorker) {
  join("w1");
  join(a_worker("w2", [](WorkerSpec& w) { w.policy = HeartbeatPolicy{1min, 24h}; }));
  add_many(2, sticky());
  take_one("w1");
  advance(default_policy(Dialect::http).dead_after);
  sweep(&Store::bury_silent_workers);
  EXPECT_EQ(take("w2", 10).size(), 2u);
}

TEST_P(AffinityContract, TheNextWorkerInheritsTheKey) {
  join("w1");
  join("w2");
  add(sticky());
  must(complete(take_one("w1")));
  must(unregister("w1"));
  add(sticky());
  must(complete(take_one("w2")));
  join("w1");
  add(sticky());
  EXPECT_TRUE(idle("w1"));
  EXPECT_FALSE(idle("w2"));
}

TEST_P(AffinityContract, StickinessSurvivesARestart) {
  join("w1");
  join("w2");
  add_many(2, sticky());
  must(complete(take_one("w1")));
  restart();
  add(sticky());
  EXPECT_TRUE(idle("w2"));
  EXPECT_EQ(take("w1", 10).size(), 2u);
}

TEST_P(AffinityContract, AReleasedStickyJobComesBackToItsWorker) {
  join("w1");
  join("w2");
  add(sticky());
  const Grant grant = take_one("w1");
  must(release(grant));
  EXPECT_TRUE(idle("w2"));
  EXPECT_EQ(take_one("w1").id, grant.id);
}

TEST_P(AffinityContract, APreferredWorkerTakesTheJobAtOnce) {
  join(in_zone("a", "a"));
  const JobId id = add(preferring("label:zone=a"));
  EXPECT_EQ(take_one("a").id, id);
}

TEST_P(AffinityContract, OthersWaitUntilThePreferenceEnds) {
  join(in_zone("a", "a"));  // there, and busy elsewhere
  join(in_zone("b", "b"));
  const JobId id = add(preferring("label:zone=a", 5s));
  EXPECT_TRUE(idle("b"));
  advance(5s - 1ms);
  sweep(&Store::end_preferences);
  EXPECT_TRUE(idle("b"));
  advance(1ms);
  sweep_moves(&Store::end_preferences, 1);
  EXPECT_EQ(take_one("b").id, id);
}

TEST_P(AffinityContract, ThePreferredWorkerMayStillTakeItAfterTheEnd) {
  join(in_zone("a", "a"));
  const JobId id = add(preferring("label:zone=a", 5s));
  advance(5s);
  sweep(&Store::end_preferences);
  EXPECT_EQ(take_one("a").id, id);
}

TEST_P(AffinityContract, AWorkerCanBePreferredByName) {
  join("w1");
  join("w2");
  const JobId id = add(preferring("worker:w2"));
  EXPECT_TRUE(idle("w1"));
  EXPECT_EQ(take_one("w2").id, id);
}

TEST_P(AffinityContract, APreferenceDoesNotReplaceNeeds) {
  join(in_zone("a", "a"));
  add([](JobSpec& j) {
    j.needs = CapabilitySet({"tool:x"});
    j.affinity.prefer = "label:zone=a";
    j.affinity.prefer_wait = 1s;
  });
  EXPECT_TRUE(idle("a"));
  advance(1s);
  sweep(&Store::end_preferences);
  EXPECT_TRUE(idle("a"));
}

TEST_P(AffinityContract, APreferenceCountsFromTheTimeTheJobIsDue) {
  join(in_zone("a", "a"));  // there, and busy elsewhere
  join(in_zone("b", "b"));
  JobSpec later = preferring("label:zone=a", 5s);
  later.delay = 10s;
  const JobId id = add(later);
  advance(10s);
  sweep(&Store::promote_due);
  sweep(&Store::end_preferences);
  EXPECT_TRUE(idle("b"));
  advance(5s);
  sweep(&Store::end_preferences);
  EXPECT_EQ(take_one("b").id, id);
}

TEST_P(AffinityContract, APreferenceSurvivesARestart) {
  join(in_zone("a", "a"));  // there, and busy elsewhere
  join(in_zone("b", "b"));
  const JobId id = add(preferring("label:zone=a", 5s));
  restart();
  EXPECT_TRUE(idle("b"));
  advance(5s);
  sweep(&Store::end_preferences);
  EXPECT_EQ(take_one("b").id, id);
}

TEST_P(AffinityContract, AnEndedPreferenceStaysEndedOverARestart) {
  join(in_zone("a", "a"));  // there, and busy elsewhere
  join(in_zone("b", "b"));
  const JobId id = add(preferring("label:zone=a", 5s));
  advance(5s);
  sweep(&Store::end_preferences);
  restart();
  sweep(&Store::end_preferences);
  EXPECT_EQ(take_one("b").id, id);
}

INSTANTIATE_TEST_SUITE_P(Stores, AffinityContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
