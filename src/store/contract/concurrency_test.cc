// Contract: concurrency keys. Single-flight or N at a time, without blocking those behind.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class ConcurrencyContract : public StoreContract {
 protected:
  void SetUp() override {
    StoreContract::SetUp();
    join(a_worker("w1", [](WorkerSpec& w) {
      w.slots = 100;
      w.policy = HeartbeatPolicy{1min, 24h};
    }));
  }
  static JobSpec keyed(std::uint32_t limit = 1, std::string key = "k") {
    return a_job([&](JobSpec& j) { j.concurrency = ConcurrencyKey{std::move(key), limit}; });
  }
};

TEST_P(ConcurrencyContract, OneAtATime) {
  const std::vector<JobId> ids = add_many(3, keyed());
  for (const JobId& id : ids) {
    const std::vector<Grant> grants = take("w1", 10);
    ASSERT_EQ(ids_of(grants), std::vector{id});
    EXPECT_TRUE(idle());
    must(complete(grants[0]));
  }
}

TEST_P(ConcurrencyContract, NAtATime) {
  add_many(5, keyed(3));
  const std::vector<Grant> grants = take("w1", 10);
  EXPECT_EQ(grants.size(), 3u);
  must(complete(grants.at(1)));
  EXPECT_EQ(take("w1", 10).size(), 1u);
}

TEST_P(ConcurrencyContract, KeysDoNotDisturbEachOther) {
  add(keyed(1, "a"));
  add(keyed(1, "b"));
  add(keyed(1, "a"));
  EXPECT_EQ(take("w1", 10).size(), 2u);
}

TEST_P(ConcurrencyContract, AKeyHoldsAcrossQueuesTypesAndWorkers) {
  join("w2");
  add(keyed());
  JobSpec elsewhere = keyed();
  elsewhere.queue = QueueName("other");
  elsewhere.type = JobType("other");
  const JobId second = add(elsewhere);
  const Grant grant = take_one("w1");
  EXPECT_TRUE(idle("w2"));
  must(complete(grant));
  EXPECT_EQ(take_one("w2").id, second);
}

TEST_P(ConcurrencyContract, AKeyEndsAtTheNamespace) {
  NamespaceInfo info;
  info.name = NamespaceName("other");
  must(client().create_namespace(info));
  join(a_worker("w1", [](WorkerSpec& w) { w.ns = NamespaceName("other"); }));
  add(keyed());
  JobSpec elsewhere = keyed();
  elsewhere.ns = NamespaceName("other");
  add(elsewhere);
  take_one();
  ClaimRequest there = claim_of("w1");
  there.ns = NamespaceName("other");
  EXPECT_EQ(must(client().claim(there)).grants.size(), 1u);
}

TEST_P(ConcurrencyContract, WaitingOnesDoNotBlockTheLane) {
  add(keyed());
  take_one();
  add_many(50, keyed());
  const JobId free = add();
  EXPECT_EQ(take_one().id, free);
}

TEST_P(ConcurrencyContract, TheOrderOfAKeyIsKept) {
  const JobId low = add(keyed());
  JobSpec urgent = keyed();
  urgent.priority = 5;
  const Grant first = take_one();
  EXPECT_EQ(first.id, low);
  const JobId normal = add(keyed());
  const JobId high = add(urgent);
  must(complete(first));
  const Grant second = take_one();
  EXPECT_EQ(second.id, high);
  must(complete(second));
  EXPECT_EQ(take_one().id, normal);
}

TEST_P(ConcurrencyContract, TheKeyIsFreedByEveryOutcome) {
  add_many(6, keyed());
  must(complete(take_one()));
  must(fail(take_one()));
  must(fail_for_good(take_one()));
  must(snooze(take_one(), 1h));
  const Grant released = take_one();
  must(release(released));
  EXPECT_EQ(take_one().id, released.id);
}

TEST_P(ConcurrencyContract, TheKeyIsFreedByLoss) {
  JobSpec brief = keyed();
  brief.lease_ttl = 5s;
  const std::vector<JobId> ids = add_many(2, brief);
  take_one();
  advance(5s);
  EXPECT_TRUE(idle());
  sweep_moves(&Store::expire_leases, 1);
  EXPECT_EQ(ids_of(take("w1", 10)), std::vector{ids[0]});
}

TEST_P(ConcurrencyContract, TheKeyIsFreedByATimeout) {
  JobSpec timed = keyed();
  timed.timeout = 5s;
  const std::vector<JobId> ids = add_many(2, timed);
  take_one();
  advance(5s);
  sweep_moves(&Store::time_out_jobs, 1);
  EXPECT_EQ(take_one().id, ids[1]);
}

TEST_P(ConcurrencyContract, TheKeyIsFreedByCancellation) {
  const std::vector<JobId> ids = add_many(2, keyed());
  const Grant grant = take_one();
  must(cancel(grant.id));
  EXPECT_TRUE(idle());
  must(fail(grant));
  EXPECT_EQ(take_one().id, ids[1]);
}

TEST_P(ConcurrencyContract, TheKeyIsFreedByUnregistering) {
  join("w2");
  add_many(2, keyed());
  take_one("w2");
  must(unregister("w2"));
  EXPECT_EQ(take("w1", 10).size(), 1u);
}

TEST_P(ConcurrencyContract, TheKeyIsFreedByTheDeathOfTheWorker) {
  join("w2");
  add_many(2, keyed());
  take_one("w2");
  advance(default_policy(Dialect::http).dead_after);
  sweep(&Store::bury_silent_workers);
  EXPECT_EQ(take("w1", 10).size(), 1u);
}

TEST_P(ConcurrencyContract, CancellingAWaitingOneFreesNothing) {
  const std::vector<JobId> ids = add_many(3, keyed());
  take_one();
  must(cancel(ids[1]));
  EXPECT_TRUE(idle());
}

TEST_P(ConcurrencyContract, TheKeyIsHeldAfterARestart) {
  const std::vector<JobId> ids = add_many(3, keyed());
  const Grant grant = take_one();
  restart();
  EXPECT_TRUE(idle());
  must(complete(grant));
  EXPECT_EQ(ids_of(take("w1", 10)), std::vector{ids[1]});
}

TEST_P(ConcurrencyContract, AJobHeldBackAtARestartIsTakenWhenTheKeyIsFree) {
  const std::vector<JobId> ids = add_many(2, keyed());
  const Grant grant = take_one();
  EXPECT_TRUE(idle());
  crash();
  must(complete(grant));
  EXPECT_EQ(take_one().id, ids[1]);
}

TEST_P(ConcurrencyContract, AScheduledHolderDoesNotHoldTheKey) {
  JobSpec later = keyed();
  later.delay = 1h;
  add(later);
  const JobId now_due = add(keyed());
  EXPECT_EQ(take_one().id, now_due);
}

// The ways in which the next in line for a key may never take it. Each time the one behind it must get its turn.
TEST_P(ConcurrencyContract, ACancelledWaiterDoesNotBlockTheNext) {
  const std::vector<JobId> ids = add_many(3, keyed());
  const Grant holder = take_one();
  EXPECT_TRUE(idle());
  must(cancel(ids[1]));
  must(complete(holder));
  EXPECT_EQ(take_one().id, ids[2]);
}

TEST_P(ConcurrencyContract, AWaiterCancelledAfterItsTurnCameDoesNotBlockTheNext) {
  const std::vector<JobId> ids = add_many(3, keyed());
  const Grant holder = take_one();
  EXPECT_TRUE(idle());
  must(complete(holder));
  must(cancel(ids[1]));
  EXPECT_EQ(take_one().id, ids[2]);
}

TEST_P(ConcurrencyContract, AnExpiredWaiterDoesNotBlockTheNext) {
  add(keyed());
  const Grant holder = take_one();
  JobSpec brief = keyed();
  brief.expires_in = 1s;
  add(brief);
  const JobId next = add(keyed());
  EXPECT_TRUE(idle());
  must(complete(holder));
  advance(1s);
  sweep(&Store::expire_waiting);
  EXPECT_EQ(take_one().id, next);
}

TEST_P(ConcurrencyContract, AWaiterNobodyCanServeDoesNotBlockTheNext) {
  add(keyed());
  const Grant holder = take_one();
  JobSpec impossible = keyed();
  impossible.needs = CapabilitySet({"tool:nobody"});
  add(impossible);
  const JobId next = add(keyed());
  EXPECT_TRUE(idle());
  must(complete(holder));
  EXPECT_EQ(take_one().id, next);
}

TEST_P(ConcurrencyContract, AWaiterInAPausedQueueDoesNotBlockTheNext) {
  add(keyed());
  const Grant holder = take_one();
  JobSpec paused = keyed();
  paused.queue = QueueName("paused");
  add(paused);
  const JobId next = add(keyed());
  EXPECT_TRUE(idle());
  QueueChange change;
  change.queue = QueueName("paused");
  change.paused = true;
  must(client().change_queue(change));
  must(complete(holder));
  EXPECT_EQ(take_one().id, next);
}

TEST_P(ConcurrencyContract, AWaiterThatNeedsAnotherLimitDoesNotBlockTheNext) {
  add_many(2, keyed(2));
  const std::vector<Grant> holders = take("w1", 2);
  ASSERT_EQ(holders.size(), 2u);
  add(keyed(1));
  const JobId wide = add(keyed(2));
  EXPECT_TRUE(idle());
  must(complete(holders[0]));  // one still runs: too many for a limit of 1, not for a limit of 2
  EXPECT_EQ(take_one().id, wide);
}

TEST_P(ConcurrencyContract, WaitersOfAFreedKeyAreAllServedInTurn) {
  const std::vector<JobId> ids = add_many(20, keyed());
  for (const JobId& id : ids) {
    const Grant grant = take_one();
    EXPECT_EQ(grant.id, id);
    EXPECT_TRUE(idle());
    must(complete(grant));
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, ConcurrencyContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
