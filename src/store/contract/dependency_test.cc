// Contract: jobs that wait for other jobs.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class DependencyContract : public StoreContract {
 protected:
  void SetUp() override {
    StoreContract::SetUp();
    join();
  }
  JobId add_after(std::vector<JobId> after, OnDependencyFailure on_failure = OnDependencyFailure::cancel) {
    return add([&](JobSpec& j) {
      j.after = std::move(after);
      j.on_dependency_failure = on_failure;
    });
  }
  // Takes exactly this job, which must be the only one to take.
  Grant take_this(JobId id) {
    const Grant grant = take_one();
    if (grant.id != id) throw std::runtime_error("another job was granted");
    return grant;
  }
};

TEST_P(DependencyContract, AJobWaitsForAnother) {
  const JobId first = add();
  const Enqueued entry = must(client().enqueue({a_job([&](JobSpec& j) { j.after = {first}; })})).at(0);
  EXPECT_EQ(entry.state, JobState::scheduled);
  const Job waiting = job(entry.id);
  EXPECT_EQ(waiting.state, JobState::scheduled);
  EXPECT_EQ(waiting.dependencies_pending, 1u);
  EXPECT_FALSE(waiting.run_at);
  EXPECT_EQ(waiting.spec.after, std::vector{first});
  const Grant grant = take_this(first);
  EXPECT_TRUE(idle());
  advance(5s);
  must(complete(grant));
  const Job freed = job(entry.id);
  EXPECT_EQ(freed.state, JobState::ready);
  EXPECT_EQ(freed.dependencies_pending, 0u);
  EXPECT_EQ(freed.run_at, now());
  EXPECT_EQ(take_one().id, entry.id);
}

TEST_P(DependencyContract, TimeAloneDoesNotFreeIt) {
  const JobId first = add();
  const JobId second = add_after({first});
  advance(24h);
  sweep_moves(&Store::promote_due, 0);
  EXPECT_EQ(state(second), JobState::scheduled);
}

TEST_P(DependencyContract, AJobWaitsForAllOfThem) {
  const std::vector<JobId> firsts = add_many(3);
  const JobId last = add_after(firsts);
  const std::vector<Grant> grants = take("w1", 3);
  std::size_t pending = 3;
  for (const Grant& grant : grants) {
    EXPECT_EQ(job(last).dependencies_pending, pending--);
    EXPECT_EQ(state(last), JobState::scheduled);
    must(complete(grant));
  }
  EXPECT_EQ(state(last), JobState::ready);
}

TEST_P(DependencyContract, ABatchOfCompletionsFreesItToo) {
  const JobId last = add_after(add_many(3));
  std::vector<Completion> batch;
  for (const Grant& grant : take("w1", 3)) batch.push_back({lease_of(grant), std::nullopt});
  must(client().complete_all(batch));
  EXPECT_EQ(state(last), JobState::ready);
}

TEST_P(DependencyContract, ARetryOfTheFirstKeepsTheSecondWaiting) {
  const JobId second = add_after({add()});
  must(fail(take_one()));
  EXPECT_EQ(state(second), JobState::scheduled);
  EXPECT_EQ(job(second).dependencies_pending, 1u);
}

TEST_P(DependencyContract, WhatIsCompletedAlreadyIsNotWaitedFor) {
  const JobId done = make_completed();
  EXPECT_EQ(state(add_after({done})), JobState::ready);
  const JobId open = add([](JobSpec& j) { j.priority = -1; });
  EXPECT_EQ(job(add_after({done, open})).dependencies_pending, 1u);
}

TEST_P(DependencyContract, AnUnknownDependencyIsNotFound) {
  EXPECT_EQ(client().enqueue({a_job([](JobSpec& j) { j.after = {JobId{{4, 4}}}; })}).code(), Code::not_found);
}

TEST_P(DependencyContract, TheDeathOfTheFirstCancelsTheSecond) {
  const JobId second = add_after({add()});
  must(fail_for_good(take_one()));
  const Job found = job(second);
  EXPECT_EQ(found.state, JobState::cancelled);
  ASSERT_TRUE(found.error);
  EXPECT_EQ(found.error->kind, kErrorDependency);
  EXPECT_EQ(found.finished_at, now());
}

TEST_P(DependencyContract, TheCancellationOfTheFirstCancelsTheSecond) {
  const JobId first = add();
  const JobId second = add_after({first});
  must(cancel(first));
  EXPECT_EQ(state(second), JobState::cancelled);
  EXPECT_EQ(job(second).error->kind, kErrorDependency);
}

TEST_P(DependencyContract, TheExpiryOfTheFirstCancelsTheSecond) {
  const JobId first = add([](JobSpec& j) { j.expires_in = 1s; });
  const JobId second = add_after({first});
  advance(1s);
  sweep(&Store::expire_waiting);
  EXPECT_EQ(state(second), JobState::cancelled);
}

TEST_P(DependencyContract, AFailedRescueOfTheFirstCancelsTheSecond) {
  const JobId first = add([](JobSpec& j) {
    j.rescues_max = 0;
    j.lease_ttl = 1s;
  });
  const JobId second = add_after({first});
  take_this(first);
  advance(1s);
  sweep(&Store::expire_leases);
  EXPECT_EQ(state(second), JobState::cancelled);
}

TEST_P(DependencyContract, AFailureRunsDownTheWholeChain) {
  const JobId first = add();
  std::vector<JobId> chain;
  for (JobId before = first; chain.size() < 20; before = chain.back()) chain.push_back(add_after({before}));
  must(cancel(first));
  for (const JobId& id : chain) {
    EXPECT_EQ(state(id), JobState::cancelled);
    EXPECT_EQ(job(id).error->kind, kErrorDependency);
  }
}

TEST_P(DependencyContract, AJobMayAskToRunAnyway) {
  const JobId second = add_after({add()}, OnDependencyFailure::run);
  must(fail_for_good(take_one()));
  EXPECT_EQ(state(second), JobState::ready);
  EXPECT_EQ(take_one().id, second);
}

TEST_P(DependencyContract, AJobThatRunsAnywayWaitsForTheOthers) {
  const std::vector<JobId> firsts = add_many(2);
  const JobId last = add_after(firsts, OnDependencyFailure::run);
  const std::vector<Grant> grants = take("w1", 2);
  must(fail_for_good(grants.at(0)));
  EXPECT_EQ(state(last), JobState::scheduled);
  must(complete(grants.at(1)));
  EXPECT_EQ(state(last), JobState::ready);
}

TEST_P(DependencyContract, AChainIsStoppedByAJobThatRunsAnyway) {
  const JobId first = add();
  const JobId middle = add_after({first}, OnDependencyFailure::run);
  const JobId last = add_after({middle});
  must(cancel(first));
  EXPECT_EQ(state(middle), JobState::ready);
  EXPECT_EQ(state(last), JobState::scheduled);
}

TEST_P(DependencyContract, AfterADeadJobANewOneIsCancelledOrRunsAsItAsked) {
  const JobId dead = make_dead();
  EXPECT_EQ(state(add_after({dead}, OnDependencyFailure::run)), JobState::ready);
  const Enqueued entry = must(client().enqueue({a_job([&](JobSpec& j) { j.after = {dead}; })})).at(0);
  EXPECT_EQ(entry.state, JobState::cancelled);
  EXPECT_EQ(state(entry.id), JobState::cancelled);
  EXPECT_EQ(job(entry.id).error->kind, kErrorDependency);
}

TEST_P(DependencyContract, ADiamondRunsFromTopToBottom) {
  const JobId top = add();
  const JobId left = add_after({top});
  const JobId right = add_after({top});
  const JobId bottom = add_after({left, right});
  must(complete(take_this(top)));
  const std::vector<Grant> sides = take("w1", 10);
  EXPECT_EQ(ids_of(sides), (std::vector{left, right}));
  must(complete(sides.at(1)));
  EXPECT_TRUE(idle());
  must(complete(sides.at(0)));
  EXPECT_EQ(take_one().id, bottom);
}

TEST_P(DependencyContract, ADiamondThatBreaksIsCancelledOnce) {
  const JobId top = add();
  const JobId left = add_after({top});
  const JobId right = add_after({top});
  const JobId bottom = add_after({left, right});
  must(cancel(top));
  for (const JobId& id : {left, right, bottom}) EXPECT_EQ(state(id), JobState::cancelled);
}

TEST_P(DependencyContract, AJobThatWaitsForAnotherAndATimeWaitsForBoth) {
  const Instant at = now() + 1h;
  const JobId first = add();
  const JobId second = add([&](JobSpec& j) {
    j.after = {first};
    j.run_at = at;
  });
  must(complete(take_this(first)));
  EXPECT_EQ(state(second), JobState::scheduled);
  EXPECT_EQ(job(second).run_at, at);
  advance(1h);
  sweep(&Store::promote_due);
  EXPECT_EQ(state(second), JobState::ready);
}

TEST_P(DependencyContract, ATimeThatPassedWhileItWaitedIsNoObstacle) {
  const JobId first = add();
  const JobId second = add([&](JobSpec& j) {
    j.after = {first};
    j.delay = 10s;
  });
  advance(20s);
  sweep(&Store::promote_due);
  EXPECT_EQ(state(second), JobState::scheduled);
  must(complete(take_this(first)));
  sweep(&Store::promote_due);
  EXPECT_EQ(state(second), JobState::ready);
}

TEST_P(DependencyContract, AWaitingJobCanBeCancelledByItself) {
  const JobId first = add();
  const JobId second = add_after({first});
  must(cancel(second));
  must(complete(take_this(first)));
  EXPECT_EQ(state(second), JobState::cancelled);
}

TEST_P(DependencyContract, AWaitingJobExpires) {
  const JobId first = add();
  const JobId second = add([&](JobSpec& j) {
    j.after = {first};
    j.expires_in = 10s;
  });
  advance(10s);
  sweep_moves(&Store::expire_waiting, 1);
  EXPECT_EQ(state(second), JobState::dead);
  EXPECT_EQ(state(first), JobState::ready);
}

TEST_P(DependencyContract, DependenciesSurviveARestart) {
  const std::vector<JobId> firsts = add_many(2);
  const JobId last = add_after(firsts);
  must(complete(take_one()));
  restart();
  EXPECT_EQ(job(last).dependencies_pending, 1u);
  must(complete(take_one()));
  EXPECT_EQ(state(last), JobState::ready);
}

TEST_P(DependencyContract, DependenciesSurviveACrash) {
  const JobId first = add();
  const JobId cancelled = add_after({first});
  const JobId runs = add_after({first}, OnDependencyFailure::run);
  crash();
  must(fail_for_good(take_this(first)));
  EXPECT_EQ(state(cancelled), JobState::cancelled);
  EXPECT_EQ(state(runs), JobState::ready);
}

TEST_P(DependencyContract, AFinishedDependencyMayBePruned) {
  const std::vector<JobId> firsts = add_many(2);
  const JobId last = add_after(firsts);
  must(complete(take_one()));
  advance(limits::kFinishedKeptDefault);
  must(client().prune_finished({}, kSweepLimit));
  must(beat());
  must(complete(take_one()));
  EXPECT_EQ(state(last), JobState::ready);
  restart();
  EXPECT_EQ(take_one().id, last);
}

TEST_P(DependencyContract, ADependencyMayStandInAnotherQueue) {
  const JobId first = add([](JobSpec& j) { j.queue = QueueName("a"); });
  const JobId second = add([&](JobSpec& j) {
    j.queue = QueueName("b");
    j.after = {first};
  });
  must(complete(take_one()));
  EXPECT_EQ(take_one().id, second);
}

INSTANTIATE_TEST_SUITE_P(Stores, DependencyContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
