// Contract: whatever was acknowledged is there after a restart and after a crash.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class DurabilityContract : public StoreContract {
 protected:
  // Both ends of a process, one after the other: what survives must survive twice.
  void through_both() {
    restart();
    crash();
  }
};

TEST_P(DurabilityContract, JobsInEveryStateSurvive) {
  join(a_worker("w1", [](WorkerSpec& w) { w.slots = 100; }));
  const JobId completed = make_completed();
  const JobId dead = make_dead();
  const JobId cancelled = add();
  must(cancel(cancelled));
  const JobId running = add();
  take_one();
  const JobId ready = add();
  const JobId scheduled = add([](JobSpec& j) { j.delay = 1h; });
  const JobId waiting = add([&](JobSpec& j) { j.after = {ready}; });
  for (int round = 0; round < 2; ++round) {
    if (round == 0)
      restart();
    else
      crash();
    EXPECT_EQ(state(completed), JobState::completed);
    EXPECT_EQ(state(dead), JobState::dead);
    EXPECT_EQ(state(cancelled), JobState::cancelled);
    EXPECT_EQ(state(running), JobState::running);
    EXPECT_EQ(state(ready), JobState::ready);
    EXPECT_EQ(state(scheduled), JobState::scheduled);
    EXPECT_EQ(state(waiting), JobState::scheduled);
    EXPECT_EQ(list_all({}).size(), 7u);
  }
  advance(1h);
  sweep(&Store::promote_due);
  EXPECT_EQ(state(scheduled), JobState::ready);
}

TEST_P(DurabilityContract, ALargeBatchSurvivesACrash) {
  add_many(5'000);
  crash();
  EXPECT_EQ(queue().ready, 5'000u);
}

TEST_P(DurabilityContract, ALeaseSurvivesWithItsFence) {
  join();
  add();
  const Grant grant = take_one();
  must(renew(grant));  // acknowledged: from here on the claim itself is durable too
  through_both();
  const Job found = job(grant.id);
  EXPECT_EQ(found.fence, grant.fence);
  EXPECT_EQ(found.worker.text(), "w1");
  EXPECT_GE(found.lease_expires_at, grant.lease_expires_at);
  EXPECT_EQ(must(complete(grant)).state, JobState::completed);
}

// A store may give a lease more time than it promised, since a restart takes the worker's heartbeats away for a while, but
// never less.
TEST_P(DurabilityContract, ALeaseIsNeverShorterThanAcknowledged) {
  join();
  add_many(3);
  const Grant plain = take_one();
  const Grant renewed = take_one();
  ClaimRequest request = claim_of("w1");
  request.lease_ttl = 2h;
  const Grant chosen = must(client().claim(request)).grants.at(0);
  advance(10s);
  const Instant plain_until = must(renew(plain)).expires_at;
  const Instant renewed_until = must(client().renew({lease_of(renewed), 1h})).expires_at;
  through_both();
  EXPECT_GE(*job(plain.id).lease_expires_at, plain_until);
  EXPECT_GE(*job(renewed.id).lease_expires_at, renewed_until);
  EXPECT_GE(*job(chosen.id).lease_expires_at, chosen.lease_expires_at);
}

TEST_P(DurabilityContract, AHeartbeatLostInACrashCostsNoAcknowledgedJob) {
  join();
  add();
  const Grant grant = take_one();
  advance(20s);
  must(beat());
  crash();
  advance(5s);
  must(beat());
  EXPECT_TRUE(complete(grant).ok());
}

TEST_P(DurabilityContract, EveryOutcomeSurvivesACrash) {
  join();
  add_many(5);
  const std::vector<Grant> grants = take("w1", 5);
  must(client().complete({lease_of(grants[0]), Content{"r", Encoding::bytes}}));
  const Settled failed = must(fail(grants[1]));
  must(fail_for_good(grants[2], "bad_thing"));
  const Settled snoozed = must(snooze(grants[3], 1min));
  must(release(grants[4]));
  crash();
  EXPECT_EQ(job(grants[0].id).result, (Content{"r", Encoding::bytes}));
  EXPECT_EQ(state(grants[1].id), JobState::scheduled);
  EXPECT_EQ(job(grants[1].id).run_at, failed.run_at);
  EXPECT_EQ(job(grants[1].id).attempts.size(), 1u);
  EXPECT_EQ(state(grants[2].id), JobState::dead);
  EXPECT_EQ(job(grants[2].id).error->kind, "bad_thing");
  EXPECT_EQ(job(grants[3].id).run_at, snoozed.run_at);
  EXPECT_EQ(job(grants[3].id).attempt, 0u);
  EXPECT_EQ(state(grants[4].id), JobState::ready);
}

TEST_P(DurabilityContract, ACancelRequestSurvivesACrash) {
  join();
  const JobId id = add();
  take_one();
  must(cancel(id, "stop"));
  crash();
  EXPECT_TRUE(job(id).cancel_requested);
}

TEST_P(DurabilityContract, ProgressSurvivesACrash) {
  join();
  const JobId id = add();
  must(client().report_progress({lease_of(take_one()), 0.5, "half", Content{"p", Encoding::bytes}}));
  crash();
  ASSERT_TRUE(job(id).progress);
  EXPECT_DOUBLE_EQ(job(id).progress->fraction, 0.5);
  EXPECT_EQ(job(id).progress->partial->data, "p");
}

TEST_P(DurabilityContract, WorkersSurvive) {
  const Registered registered = join(a_worker("w1", [](WorkerSpec& w) { w.capabilities = CapabilitySet({"tool:x"}); }));
  join("gone");
  must(unregister("gone"));
  through_both();
  EXPECT_EQ(worker().session, registered.session);
  EXPECT_EQ(worker().state, WorkerState::online);
  EXPECT_TRUE(worker().spec.capabilities.contains("tool:x"));
  EXPECT_EQ(worker("gone").state, WorkerState::offline);
  EXPECT_TRUE(beat().ok());
}

TEST_P(DurabilityContract, AWorkerAcknowledgedBeforeACrashNeedNotRegisterAgain) {
  join();
  const JobId id = add();
  crash();
  EXPECT_EQ(take_one().id, id);
}

TEST_P(DurabilityContract, TheHeldConcurrencyKeysSurviveACrash) {
  join();
  add_many(2, a_job([](JobSpec& j) { j.concurrency = ConcurrencyKey{"k", 1}; }));
  must(renew(take_one()));
  crash();
  EXPECT_TRUE(idle());
}

TEST_P(DurabilityContract, QueueSettingsSurviveACrash) {
  limit_queue([](QueueChange& c) {
    c.paused = true;
    c.running_max = 3;
  });
  crash();
  EXPECT_TRUE(queue().settings.paused);
  EXPECT_EQ(queue().settings.running_max, 3u);
}

TEST_P(DurabilityContract, TheAttemptHistorySurvives) {
  join();
  const JobId id = add();
  for (int i = 0; i < 3; ++i) {
    must(client().fail({lease_of(take_one()), {fmt::format("kind{}", i), ""}, true, Duration(1s)}));
    advance(1s);
    sweep(&Store::promote_due);
  }
  through_both();
  const Job found = job(id);
  ASSERT_EQ(found.attempts.size(), 3u);
  EXPECT_EQ(found.attempt, 3u);
  EXPECT_EQ(found.error->kind, "kind2");
}

TEST_P(DurabilityContract, WorkGoesOnAfterManyCrashes) {
  join();
  std::vector<JobId> ids;
  for (int round = 0; round < 6; ++round) {
    ids.push_back(add());
    const Grant grant = take_one();
    crash();
    must(complete(grant));
  }
  crash();
  for (const JobId& id : ids) EXPECT_EQ(state(id), JobState::completed);
}

TEST_P(DurabilityContract, AnEmptyStoreSurvives) {
  through_both();
  EXPECT_TRUE(list_all({}).empty());
  join();
  add();
  EXPECT_FALSE(idle());
}

INSTANTIATE_TEST_SUITE_P(Stores, DurabilityContract, ::testing::ValuesIn(stores()), store_name);

// How callers live with lost answers: the same store behind a decorator that loses one on purpose.
class FaultsContract : public StoreContract {
 protected:
  void SetUp() override {
    StoreContract::SetUp();
    if (harness().faulty()) GTEST_SKIP() << "the case loses its own answers";
  }
};

TEST_P(FaultsContract, AClaimWhoseAnswerIsLostComesBackByLeaseExpiry) {
  join();
  const JobId id = add();
  static_cast<void>(take_one());  // nobody ever hears of this grant
  EXPECT_TRUE(idle());
  advance(default_policy(Dialect::http).dead_after);
  sweep(&Store::expire_leases);
  const Grant again = take_one();
  EXPECT_EQ(again.id, id);
  EXPECT_EQ(job(id).rescues, 1u);
}

TEST_P(FaultsContract, AHeartbeatThatNamesNothingHeldDoesNotLoseLeases) {
  join();
  add();
  const Grant grant = take_one();
  must(beat("w1", {}));
  EXPECT_TRUE(complete(grant).ok());
}

TEST_P(FaultsContract, ManyThreadsMayCallAtOnce) {
  if (!harness().threaded()) GTEST_SKIP() << "a store without threads is called from one";
  join(a_worker("w1", [](WorkerSpec& w) { w.slots = 100'000; }));
  constexpr int kThreads = 4, kRounds = 50;
  std::vector<std::thread> threads;
  std::atomic<int> done = 0;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      Client own(harness());
      for (int i = 0; i < kRounds; ++i) {
        if (!own.enqueue({a_job()}).ok()) return;
        const auto reply = own.claim(claim_of("w1"));
        if (!reply.ok()) return;
        for (const Grant& grant : reply->grants) done += own.complete({lease_of(grant), std::nullopt}).ok();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, kThreads * kRounds);
  EXPECT_EQ(queue().completed_total, static_cast<std::uint64_t>(kThreads * kRounds));
}

INSTANTIATE_TEST_SUITE_P(Stores, FaultsContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
