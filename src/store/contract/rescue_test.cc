// Contract: what time does to jobs. Rescue of lost ones, timeouts of running ones, expiry of waiting ones.
#include "model/retry.h"
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class RescueContract : public StoreContract {
 protected:
  void SetUp() override {
    StoreContract::SetUp();
    join(a_worker("w1", [](WorkerSpec& w) { w.policy = HeartbeatPolicy{1min, 24h}; }));  // outlives its leases
  }
  static JobSpec brief_lease(std::uint32_t rescues_max = limits::kRescuesDefault) {
    return a_job([&](JobSpec& j) {
      j.lease_ttl = 5s;
      j.rescues_max = rescues_max;
    });
  }
  void lose() {
    advance(5s);
    sweep_moves(&Store::expire_leases, 1);
  }
  // It could not be handed to its worker.
  Result<Settled> give_up(const Grant& grant, std::string why = "no reason") {
    return client().fail({.lease = lease_of(grant), .error = {"undelivered", std::move(why)}, .undelivered = true});
  }
};

TEST_P(RescueContract, ALostJobIsReadyAgainAndOneRescuePoorer) {
  const JobId id = add(brief_lease());
  take_one();
  lose();
  const Job found = job(id);
  EXPECT_EQ(found.state, JobState::ready);
  EXPECT_EQ(found.rescues, 1u);
  EXPECT_FALSE(found.lease_expires_at);
}

TEST_P(RescueContract, ARescueSpendsNoAttempt) {
  add(brief_lease());
  EXPECT_EQ(take_one().attempt, 1u);
  lose();
  EXPECT_EQ(take_one().attempt, 1u);
  lose();
  EXPECT_EQ(take_one().attempt, 1u);
}

TEST_P(RescueContract, ARescueBetweenFailuresKeepsTheCountOfAttempts) {
  const JobId id = add(brief_lease());
  must(client().fail({lease_of(take_one()), {"boom", ""}, true, Duration(1s)}));
  advance(1s);
  sweep(&Store::promote_due);
  EXPECT_EQ(take_one().attempt, 2u);
  lose();
  EXPECT_EQ(take_one().attempt, 2u);
  EXPECT_EQ(job(id).rescues, 1u);
}

TEST_P(RescueContract, ARescueDoesNotWait) {
  add(brief_lease());
  take_one();
  lose();
  EXPECT_FALSE(idle());
}

TEST_P(RescueContract, WithoutABudgetTheFirstLossKills) {
  const JobId id = add(brief_lease(0));
  take_one();
  lose();
  const Job found = job(id);
  EXPECT_EQ(found.state, JobState::dead);
  ASSERT_TRUE(found.error);
  EXPECT_EQ(found.error->kind, kErrorRescueFailed);
  EXPECT_EQ(found.finished_at, now());
}

TEST_P(RescueContract, AJobIsRescuedAsOftenAsItsBudgetSays) {
  const JobId id = add(brief_lease(2));
  for (int i = 0; i < 2; ++i) {
    take_one();
    lose();
    EXPECT_EQ(state(id), JobState::ready);
  }
  take_one();
  lose();
  EXPECT_EQ(state(id), JobState::dead);
  EXPECT_EQ(job(id).error->kind, kErrorRescueFailed);
}

TEST_P(RescueContract, TheBudgetIsRememberedOverARestart) {
  const JobId id = add(brief_lease(1));
  take_one();
  lose();
  restart();
  EXPECT_EQ(job(id).rescues, 1u);
  take_one();
  lose();
  EXPECT_EQ(state(id), JobState::dead);
}

TEST_P(RescueContract, ALeaseThatRanOutWhileTheStoreWasDownIsLostToo) {
  const JobId id = add(brief_lease());
  take_one();
  restart();
  advance(5s);
  sweep_moves(&Store::expire_leases, 1);
  EXPECT_EQ(state(id), JobState::ready);
  EXPECT_EQ(job(id).rescues, 1u);
}

TEST_P(RescueContract, FailuresDoNotSpendRescues) {
  const JobId id = add(brief_lease());
  must(fail(take_one()));
  EXPECT_EQ(job(id).rescues, 0u);
}

TEST_P(RescueContract, AWorkerThatCallsItsErrorSoSpendsAnAttempt) {
  const JobId id = add();
  must(fail(take_one(), "hand_out_failed"));
  EXPECT_EQ(job(id).rescues, 0u);
  EXPECT_EQ(job(id).attempt, 1u);
}

TEST_P(RescueContract, AJobThatCouldNotBeHandedOutSpendsARescueAndNoAttempt) {
  const JobId id = add();
  const Settled settled = must(give_up(take_one()));
  EXPECT_EQ(settled.state, JobState::ready);
  const Job found = job(id);
  EXPECT_EQ(found.rescues, 1u);
  EXPECT_EQ(found.attempt, 0u);
  ASSERT_TRUE(found.error);
  EXPECT_EQ(found.error->kind, "undelivered");
  EXPECT_EQ(take_one().attempt, 1u) << "it waits for nothing";
}

TEST_P(RescueContract, AJobThatCanNeverBeHandedOutIsDeadWithTheCauseAfterItsBudget) {
  const JobId id = add();
  for (std::uint32_t i = 0; i < limits::kRescuesDefault; ++i) EXPECT_EQ(must(give_up(take_one())).state, JobState::ready);
  const Grant last = take_one();
  EXPECT_EQ(must(give_up(last, "incident 1f0c")).state, JobState::dead);
  const Job found = job(id);
  ASSERT_TRUE(found.error);
  EXPECT_EQ(found.error->kind, kErrorRescueFailed);
  EXPECT_NE(found.error->message.find("incident 1f0c"), std::string::npos) << found.error->message;
  EXPECT_TRUE(idle());
}

TEST_P(RescueContract, TheWordThatAJobCouldNotBeHandedOutMayBeRepeated) {
  add(brief_lease(1));
  const Grant first = take_one();
  must(give_up(first));
  EXPECT_EQ(must(give_up(first)).state, JobState::ready);
  const Grant last = take_one();
  must(give_up(last));
  EXPECT_EQ(must(give_up(last)).state, JobState::dead);
  EXPECT_EQ(give_up(first).code(), Code::lease_lost);
}

TEST_P(RescueContract, AJobThatCouldNeverBeHandedOutMayBeDrivenAgain) {
  const JobId id = add(brief_lease(0));
  must(give_up(take_one()));
  must(client().redrive(id));
  EXPECT_EQ(state(id), JobState::ready);
  EXPECT_EQ(job(id).rescues, 0u);
}

TEST_P(RescueContract, AJobThatIsToBeCancelledAndCouldNotBeHandedOutIsCancelled) {
  const JobId id = add();
  const Grant grant = take_one();
  must(cancel(id));
  EXPECT_EQ(must(give_up(grant)).state, JobState::cancelled);
}

TEST_P(RescueContract, ExpiringMovesNoMoreThanItsLimitAndSaysMore) {
  add_many(5, brief_lease());
  take("w1", 5);
  advance(5s);
  const SweepReport first = must(client().sweep(&Store::expire_leases, 3));
  if (client().in_doubt()) GTEST_SKIP() << "a lost answer hides how many rows one pass moved";
  EXPECT_EQ(first.moved, 3u);
  EXPECT_TRUE(first.more);
  EXPECT_EQ(queue().running, 2u);
  sweep(&Store::expire_leases);
  EXPECT_EQ(queue().ready, 5u);
}

TEST_P(RescueContract, ARunLongerThanItsTimeoutIsAFailure) {
  const JobId id = add([](JobSpec& j) {
    j.timeout = 10s;
    j.retry.backoff_base = 3s;
  });
  const Grant grant = take_one();
  advance(10s - 1ms);
  sweep_moves(&Store::time_out_jobs, 0);
  EXPECT_EQ(state(id), JobState::running);
  advance(1ms);
  sweep_moves(&Store::time_out_jobs, 1);
  const Job found = job(id);
  EXPECT_EQ(found.state, JobState::scheduled);
  EXPECT_EQ(found.attempt, 1u);
  EXPECT_EQ(found.rescues, 0u);
  EXPECT_EQ(found.run_at, now() + 3s);
  ASSERT_TRUE(found.error);
  EXPECT_EQ(found.error->kind, kErrorTimeout);
  EXPECT_EQ(complete(grant).code(), Code::lease_lost);
}

TEST_P(RescueContract, ATimeoutOnTheLastAttemptKills) {
  const JobId id = add([](JobSpec& j) {
    j.timeout = 10s;
    j.retry.attempts_max = 1;
  });
  take_one();
  advance(10s);
  sweep_moves(&Store::time_out_jobs, 1);
  EXPECT_EQ(state(id), JobState::dead);
  EXPECT_EQ(job(id).error->kind, kErrorTimeout);
}

TEST_P(RescueContract, ATimeoutMayBeCalledFinal) {
  const JobId id = add([](JobSpec& j) {
    j.timeout = 10s;
    j.retry.non_retryable = {kErrorTimeout};
  });
  take_one();
  advance(10s);
  sweep_moves(&Store::time_out_jobs, 1);
  EXPECT_EQ(state(id), JobState::dead);
}

TEST_P(RescueContract, RenewalsDoNotMoveTheTimeout) {
  const JobId id = add([](JobSpec& j) {
    j.timeout = 10s;
    j.lease_ttl = 8s;
  });
  const Grant grant = take_one();
  advance(6s);
  must(renew(grant));
  must(beat());
  advance(4s);
  sweep_moves(&Store::time_out_jobs, 1);
  EXPECT_EQ(state(id), JobState::scheduled);
}

TEST_P(RescueContract, TheTimeoutCountsPerAttempt) {
  const JobId id = add([](JobSpec& j) { j.timeout = 10s; });
  const Grant first = take_one();
  advance(8s);
  must(release(first));
  EXPECT_EQ(take_one().times_out_at, now() + 10s);
  advance(8s);
  sweep_moves(&Store::time_out_jobs, 0);
  EXPECT_EQ(state(id), JobState::running);
}

TEST_P(RescueContract, TheTimeoutSurvivesARestart) {
  const JobId id = add([](JobSpec& j) { j.timeout = 10s; });
  take_one();
  restart();
  advance(10s);
  sweep_moves(&Store::time_out_jobs, 1);
  EXPECT_EQ(job(id).error->kind, kErrorTimeout);
}

TEST_P(RescueContract, AJobStillWaitingAtItsExpiryIsDead) {
  const JobId id = add([](JobSpec& j) { j.expires_in = 10s; });
  advance(10s - 1ms);
  sweep_moves(&Store::expire_waiting, 0);
  EXPECT_EQ(state(id), JobState::ready);
  advance(1ms);
  sweep_moves(&Store::expire_waiting, 1);
  const Job found = job(id);
  EXPECT_EQ(found.state, JobState::dead);
  ASSERT_TRUE(found.error);
  EXPECT_EQ(found.error->kind, kErrorExpired);
  EXPECT_EQ(found.finished_at, now());
  EXPECT_TRUE(idle());
}

TEST_P(RescueContract, AScheduledJobExpiresToo) {
  const JobId id = add([](JobSpec& j) {
    j.expires_in = 10s;
    j.delay = 1h;
  });
  advance(10s);
  sweep_moves(&Store::expire_waiting, 1);
  EXPECT_EQ(state(id), JobState::dead);
  advance(1h);
  sweep_moves(&Store::promote_due, 0);
}

TEST_P(RescueContract, ARunningJobDoesNotExpire) {
  const JobId id = add([](JobSpec& j) {
    j.expires_in = 10s;
    j.lease_ttl = 1h;
  });
  const Grant grant = take_one();
  advance(10s);
  sweep_moves(&Store::expire_waiting, 0);
  EXPECT_EQ(state(id), JobState::running);
  EXPECT_EQ(must(complete(grant)).state, JobState::completed);
}

TEST_P(RescueContract, TheExpirySurvivesARestart) {
  const JobId ready = add([](JobSpec& j) { j.expires_in = 10s; });
  const JobId scheduled = add([](JobSpec& j) {
    j.expires_in = 10s;
    j.delay = 1h;
  });
  restart();
  advance(10s);
  sweep_moves(&Store::expire_waiting, 2);
  EXPECT_EQ(state(ready), JobState::dead);
  EXPECT_EQ(state(scheduled), JobState::dead);
}

INSTANTIATE_TEST_SUITE_P(Stores, RescueContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
