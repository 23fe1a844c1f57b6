// Contract: ends that are not the worker's own: at once, as dead, at a deadline; and what is left of a run after its end.
#include "store/contract/contract.h"
#include "store/contract/recorder.h"

namespace muster::store::contract {
namespace {

class RunEndContract : public StoreContract {
 protected:
  void SetUp() override {
    StoreContract::SetUp();
    join();
  }
  Cancelled end(Cancel how, int line = __builtin_LINE()) { return must(client().cancel(std::move(how)), line); }
  void prune(Retention retention) {
    while (must(client().prune_finished(retention, kSweepLimit)).more) continue;
  }

  Recorder recorder_;
};

// --- at once, as dead ---

TEST_P(RunEndContract, ARunningJobEndsAtOnceAndItsLeaseIsOver) {
  join(a_worker("w1", [](WorkerSpec& w) { w.slots = 1; }));
  const JobId id = add();
  const Grant grant = take_one();
  EXPECT_EQ(end({.job = id, .reason = "stop", .at_once = true}).state, JobState::cancelled);
  EXPECT_EQ(state(id), JobState::cancelled);
  EXPECT_EQ(job(id).error->message, "stop");
  EXPECT_EQ(complete(grant).code(), Code::lease_lost);
  EXPECT_EQ(worker().running, 0u);
  const JobId next = add();
  EXPECT_EQ(take_one().id, next) << "its slot is free";
  EXPECT_EQ(client().cancel({.job = id, .at_once = true}).code(), Code::conflict);
}

TEST_P(RunEndContract, AnEndAtOnceComesThroughAfterARequestToEnd) {
  const JobId id = add();
  take_one();
  EXPECT_EQ(must(cancel(id)).state, JobState::running);
  EXPECT_EQ(end({.job = id, .reason = "now", .at_once = true}).state, JobState::cancelled);
}

TEST_P(RunEndContract, AJobInAnyLiveStateMayBeEndedAsDead) {
  const JobError error{kErrorTerminated, "by an operator"};
  const JobId running = add();
  const Grant grant = take_one();
  const JobId ready = add();
  const JobId later = add([](JobSpec& j) { j.delay = 1h; });
  const JobId waiting = add([&](JobSpec& j) { j.after = {later}; });
  for (const JobId& id : {running, ready, waiting, later}) {
    EXPECT_EQ(end({.job = id, .as_dead = error}).state, JobState::dead);
    EXPECT_EQ(state(id), JobState::dead);
    EXPECT_EQ(job(id).error, error);
    EXPECT_EQ(job(id).finished_at, now());
  }
  EXPECT_EQ(complete(grant).code(), Code::lease_lost);
  EXPECT_TRUE(idle());
  crash();
  EXPECT_EQ(state(running), JobState::dead);
  EXPECT_EQ(client().cancel({.job = ready, .as_dead = error}).code(), Code::conflict);
}

TEST_P(RunEndContract, AnEndAsDeadFreesKeysAndTellsDependents) {
  const JobId id = add([](JobSpec& j) {
    j.unique = UniqueKey{"u", UniqueWhile::unfinished};
    j.concurrency = ConcurrencyKey{"c", 1};
  });
  take_one();
  const JobId next = add([](JobSpec& j) { j.concurrency = ConcurrencyKey{"c", 1}; });
  const JobId dependent = add([&](JobSpec& j) { j.after = {id}; });
  EXPECT_EQ(must(client().find_holder(kDefault, "u")), id);
  end({.job = id, .as_dead = JobError{kErrorTerminated, "x"}});
  EXPECT_EQ(client().find_holder(kDefault, "u").code(), Code::not_found);
  EXPECT_EQ(state(dependent), JobState::cancelled);
  EXPECT_EQ(take_one().id, next);
}

TEST_P(RunEndContract, TheEndOfAChildNamesItsParentHoweverItEnds) {
  harness().listen(&recorder_);
  const Grant parent = take_run();
  const auto child = [&] {
    return add(a_run([&](JobSpec& j) {
      j.run->parent = RunParent{parent.id, "spawn"};
      j.delay = 1h;
      j.deadline = now() + 2h;
    }));
  };
  const JobId cancelled = child(), dead = child(), late = child();
  must(cancel(cancelled));
  end({.job = dead, .as_dead = JobError{kErrorTerminated, "x"}});
  advance(2h);
  sweep_moves(&Store::expire_waiting, 1);
  recorder_.catch_up(client());
  for (const JobId& id : {cancelled, dead, late}) {
    EXPECT_EQ(recorder_.of(id).back().parent, parent.id);
    EXPECT_TRUE(is_finished(recorder_.of(id).back().to));
  }
}

// --- deadlines ---

TEST_P(RunEndContract, AWaitingJobIsDeadAtItsDeadline) {
  const JobId id = add([&](JobSpec& j) { j.deadline = now() + 10s; });
  EXPECT_EQ(job(id).spec.deadline, now() + 10s);
  advance(10s - 1ms);
  sweep_moves(&Store::expire_waiting, 0);
  advance(1ms);
  sweep_moves(&Store::expire_waiting, 1);
  EXPECT_EQ(state(id), JobState::dead);
  EXPECT_EQ(job(id).error->kind, kErrorDeadline);
}

TEST_P(RunEndContract, ARunningJobIsDeadAtItsDeadlineAndLosesItsLease) {
  join(a_worker("w1", [](WorkerSpec& w) { w.slots = 1; }));
  const JobId id = add([&](JobSpec& j) { j.deadline = now() + 10s; });
  const Grant grant = take_one();
  advance(9s);
  must(beat());
  sweep_moves(&Store::expire_waiting, 0);
  advance(1s);
  sweep_moves(&Store::expire_waiting, 1);
  EXPECT_EQ(state(id), JobState::dead);
  EXPECT_EQ(job(id).error->kind, kErrorDeadline);
  EXPECT_EQ(complete(grant).code(), Code::lease_lost);
  EXPECT_EQ(worker().running, 0u);
  add();
  EXPECT_FALSE(idle());
}

TEST_P(RunEndContract, ADeadlineSurvivesARestart) {
  const JobId waiting = add([&](JobSpec& j) {
    j.deadline = now() + 10s;
    j.delay = 1h;
  });
  const JobId running = add([&](JobSpec& j) { j.deadline = now() + 20s; });
  must(renew(take_one()));
  restart();
  crash();
  advance(10s);
  sweep_moves(&Store::expire_waiting, 1);
  EXPECT_EQ(state(waiting), JobState::dead);
  EXPECT_EQ(state(running), JobState::running);
  must(beat());
  advance(10s);
  sweep_moves(&Store::expire_waiting, 1);
  EXPECT_EQ(job(running).error->kind, kErrorDeadline);
}

TEST_P(RunEndContract, AJobThatFinishedInTimeStaysAsItIs) {
  const JobId id = add([&](JobSpec& j) { j.deadline = now() + 10s; });
  must(complete(take_one()));
  advance(1h);
  sweep_moves(&Store::expire_waiting, 0);
  EXPECT_EQ(state(id), JobState::completed);
}

TEST_P(RunEndContract, OfExpiryAndDeadlineTheFirstCounts) {
  const JobId expires = add([&](JobSpec& j) {
    j.expires_in = 5s;
    j.deadline = now() + 10s;
  });
  const JobId late = add([&](JobSpec& j) {
    j.expires_in = 10s;
    j.deadline = now() + 5s;
  });
  EXPECT_EQ(job(expires).expires_at, now() + 5s);
  EXPECT_EQ(job(late).expires_at, now() + 5s);
  advance(5s);
  sweep_moves(&Store::expire_waiting, 2);
  EXPECT_EQ(job(expires).error->kind, kErrorExpired);
  EXPECT_EQ(job(late).error->kind, kErrorDeadline);
}

TEST_P(RunEndContract, ARunningJobDoesNotExpireButItsDeadlineStillComes) {
  const JobId id = add([&](JobSpec& j) {
    j.expires_in = 5s;
    j.deadline = now() + 20s;
  });
  const Grant grant = take_one();
  advance(10s);
  sweep_moves(&Store::expire_waiting, 0);
  EXPECT_EQ(state(id), JobState::running);
  must(beat());
  advance(10s);
  sweep_moves(&Store::expire_waiting, 1);
  EXPECT_EQ(job(id).error->kind, kErrorDeadline);
}

TEST_P(RunEndContract, ASleepingRunIsDeadAtItsDeadline) {
  const JobId id = add(a_run([&](JobSpec& j) { j.deadline = now() + 10s; }));
  sleep(take_one(), "nap", 1h);
  advance(10s);
  sweep_moves(&Store::expire_waiting, 1);
  EXPECT_EQ(state(id), JobState::dead);
}

TEST_P(RunEndContract, ADeadlineThatHasPassedIsNotHeldAgainstARedrive) {
  const JobId id = add([&](JobSpec& j) { j.deadline = now() + 10s; });
  advance(10s);
  sweep_moves(&Store::expire_waiting, 1);
  must(client().redrive(id));
  restart();
  sweep_moves(&Store::expire_waiting, 0);
  must(beat());
  EXPECT_EQ(take_one().id, id);
}

// --- what is left ---

TEST_P(RunEndContract, StepsLiveAsLongAsTheirRun) {
  const Grant run = take_run();
  begin(run, "a");
  const Step a = *complete_step(run, "a", "1").step;
  EXPECT_FALSE(send(run.id, "kept"));
  must(complete(run));
  EXPECT_EQ(steps_of(run.id).size(), 1u);
  advance(limits::kFinishedKeptDefault);
  prune({});
  EXPECT_EQ(client().get_job(run.id).code(), Code::not_found);
  EXPECT_EQ(client().list_steps({.step = a.id}).code(), Code::not_found);
  const auto left = client().list_steps({.run = run.id});
  if (left.ok()) {
    EXPECT_TRUE(left->steps.empty());
  }
}

TEST_P(RunEndContract, ARedrivenRunGoesOnBehindItsSteps) {
  const Grant run = take_run();
  begin(run, "a");
  complete_step(run, "a", "1");
  begin(run, "b");
  step(step::Fail{.run = run_of(run), .step = "b", .error = {"boom", "no"}, .retryable = false});
  must(fail_for_good(run));
  must(client().redrive(run.id));
  const Grant again = take_one();
  EXPECT_EQ(again.id, run.id);
  EXPECT_EQ(again.attempt, 1u);
  EXPECT_FALSE(begin(again, "a").execute);
  const StepAnswer b = begin(again, "b");
  EXPECT_TRUE(b.execute);
  EXPECT_EQ(b.step->attempt, 2u);
}

TEST_P(RunEndContract, ARunThatExhaustedItsRescuesIsDead) {
  const JobId id = add(a_run([](JobSpec& j) { j.rescues_max = 1; }));
  for (int i = 0; i < 2; ++i) {
    const Grant run = take_one();
    sleep(run, fmt::format("nap{}", i), 1s);  // claims that ended in a sleep do not count against it
    advance(1s);
    begin(take_one(), "a");
    advance(default_policy(Dialect::http).dead_after);
    must(beat());
    sweep_moves(&Store::expire_leases, 1);
  }
  EXPECT_EQ(state(id), JobState::dead);
  EXPECT_EQ(job(id).error->kind, kErrorRescueFailed);
}

INSTANTIATE_TEST_SUITE_P(Stores, RunEndContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
