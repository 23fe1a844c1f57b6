// Contract: cancelling, and starting finished jobs over.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class CancelContract : public StoreContract {
 protected:
  void SetUp() override {
    StoreContract::SetUp();
    join();
  }
  static RedriveFilter dead_of_type(const char* type) {
    RedriveFilter filter;
    filter.filter.type = JobType(type);
    return filter;
  }
};

TEST_P(CancelContract, WaitingJobsAreCancelledAtOnce) {
  const JobId ready = add();
  const JobId scheduled = add([](JobSpec& j) { j.delay = 1h; });
  advance(2s);
  for (const JobId& id : {ready, scheduled}) {
    EXPECT_EQ(must(cancel(id, "changed my mind")).state, JobState::cancelled);
    const Job found = job(id);
    EXPECT_EQ(found.state, JobState::cancelled);
    EXPECT_EQ(found.finished_at, now());
    EXPECT_EQ(found.error, (JobError{kErrorCancelled, "changed my mind"}));
  }
  EXPECT_TRUE(idle());
}

TEST_P(CancelContract, ACancelledScheduledJobNeverComesDue) {
  const JobId id = add([](JobSpec& j) { j.delay = 1s; });
  must(cancel(id));
  advance(1s);
  sweep_moves(&Store::promote_due, 0);
  EXPECT_EQ(state(id), JobState::cancelled);
}

TEST_P(CancelContract, ARunningJobIsMarkedAndKeepsRunning) {
  const JobId id = add();
  take_one();
  EXPECT_EQ(must(cancel(id)).state, JobState::running);
  EXPECT_EQ(state(id), JobState::running);
  EXPECT_TRUE(job(id).cancel_requested);
}

TEST_P(CancelContract, TheWorkerIsToldByHeartbeat) {
  add_many(2);
  const std::vector<Grant> grants = take("w1", 2);
  must(cancel(grants.at(1).id));
  EXPECT_EQ(must(beat()).cancel, std::vector{lease_of(grants[1])});
}

TEST_P(CancelContract, TheWorkerIsToldByRenewalAndByProgress) {
  const JobId id = add();
  const Grant grant = take_one();
  EXPECT_FALSE(must(renew(grant)).cancel_requested);
  must(cancel(id));
  EXPECT_TRUE(must(renew(grant)).cancel_requested);
  EXPECT_TRUE(must(client().report_progress({lease_of(grant), 0.5, "", std::nullopt})).cancel_requested);
}

TEST_P(CancelContract, TheWorkerIsStillToldAfterARestart) {
  const JobId id = add();
  const Grant grant = take_one();
  must(cancel(id));
  restart();
  EXPECT_TRUE(must(renew(grant)).cancel_requested);
  EXPECT_EQ(must(beat()).cancel, std::vector{lease_of(grant)});
}

TEST_P(CancelContract, EveryOutcomeButCompletionEndsItAsCancelled) {
  add_many(4);
  const std::vector<Grant> grants = take("w1", 4);
  for (const Grant& grant : grants) must(cancel(grant.id, "stop"));
  EXPECT_EQ(must(fail(grants.at(0))).state, JobState::cancelled);
  EXPECT_EQ(must(fail_for_good(grants.at(1))).state, JobState::cancelled);
  EXPECT_EQ(must(snooze(grants.at(2), 1s)).state, JobState::cancelled);
  EXPECT_EQ(must(release(grants.at(3))).state, JobState::cancelled);
  for (const Grant& grant : grants) {
    const Job found = job(grant.id);
    EXPECT_EQ(found.state, JobState::cancelled);
    EXPECT_EQ(found.error, (JobError{kErrorCancelled, "stop"}));
    EXPECT_EQ(found.finished_at, now());
  }
}

TEST_P(CancelContract, SettlingACancelledJobAgainSaysTheSame) {
  const JobId id = add();
  const Grant grant = take_one();
  must(cancel(id));
  must(fail(grant));
  EXPECT_EQ(must(fail(grant)).state, JobState::cancelled);
}

TEST_P(CancelContract, CompletionWins) {
  const JobId id = add();
  const Grant grant = take_one();
  must(cancel(id));
  EXPECT_EQ(must(complete(grant)).state, JobState::completed);
  EXPECT_EQ(state(id), JobState::completed);
}

TEST_P(CancelContract, ALossOfTheLeaseEndsItAsCancelled) {
  const JobId id = add([](JobSpec& j) { j.lease_ttl = 5s; });
  take_one();
  must(cancel(id, "stop"));
  advance(5s);
  sweep_moves(&Store::expire_leases, 1);
  EXPECT_EQ(state(id), JobState::cancelled);
  EXPECT_EQ(job(id).error, (JobError{kErrorCancelled, "stop"}));
}

TEST_P(CancelContract, ATimeoutEndsItAsCancelled) {
  const JobId id = add([](JobSpec& j) { j.timeout = 5s; });
  take_one();
  must(cancel(id));
  advance(5s);
  sweep_moves(&Store::time_out_jobs, 1);
  EXPECT_EQ(state(id), JobState::cancelled);
}

TEST_P(CancelContract, AReplacedSessionEndsItAsCancelled) {
  const JobId id = add();
  take_one();
  must(cancel(id));
  join();
  EXPECT_EQ(state(id), JobState::cancelled);
}

TEST_P(CancelContract, UnregisteringEndsItAsCancelled) {
  const JobId id = add();
  take_one();
  must(cancel(id));
  must(unregister("w1"));
  EXPECT_EQ(state(id), JobState::cancelled);
}

TEST_P(CancelContract, CancellingARunningJobTwiceIsOk) {
  const JobId id = add();
  take_one();
  must(cancel(id));
  EXPECT_EQ(must(cancel(id)).state, JobState::running);
}

TEST_P(CancelContract, AFinishedJobIsAConflict) {
  const JobId completed = make_completed();
  const JobId dead = make_dead();
  const JobId cancelled = add();
  must(cancel(cancelled));
  for (const JobId& id : {completed, dead, cancelled}) {
    const JobState before = state(id);
    EXPECT_EQ(cancel(id).code(), Code::conflict);
    EXPECT_EQ(state(id), before);
  }
}

TEST_P(CancelContract, ABatchJudgesEachByItself) {
  const JobId done = make_completed();
  const JobId waiting = add();
  const Each<Cancelled> answers = must(client().cancel_all({{done, ""}, {JobId{{7, 7}}, ""}, {waiting, ""}}));
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[0].code(), Code::conflict);
  EXPECT_EQ(answers[1].code(), Code::not_found);
  EXPECT_TRUE(answers[2].ok());
}

TEST_P(CancelContract, ARedrivenJobStartsOver) {
  const JobId id = make_dead();
  advance(10s);
  const Settled settled = must(client().redrive(id));
  EXPECT_EQ(settled.state, JobState::ready);
  EXPECT_EQ(settled.attempt, 0u);
  const Job found = job(id);
  EXPECT_EQ(found.state, JobState::ready);
  EXPECT_EQ(found.attempt, 0u);
  EXPECT_EQ(found.rescues, 0u);
  EXPECT_FALSE(found.finished_at);
  const Grant grant = take_one();
  EXPECT_EQ(grant.id, id);
  EXPECT_EQ(grant.attempt, 1u);
}

TEST_P(CancelContract, ARedriveGivesBackTheWholeRescueBudget) {
  const JobId id = add([](JobSpec& j) {
    j.rescues_max = 0;
    j.lease_ttl = 1s;
  });
  take_one();
  advance(1s);
  sweep(&Store::expire_leases);
  ASSERT_EQ(state(id), JobState::dead);
  must(client().redrive(id));
  EXPECT_EQ(job(id).rescues, 0u);
}

TEST_P(CancelContract, ACancelledJobCanBeRedrivenAndIsThenNotMarked) {
  const JobId id = add();
  const Grant grant = take_one();
  must(cancel(id));
  must(fail(grant));
  must(client().redrive(id));
  EXPECT_FALSE(job(id).cancel_requested);
  const Grant again = take_one();
  EXPECT_FALSE(must(renew(again)).cancel_requested);
  EXPECT_TRUE(must(beat()).cancel.empty());
  EXPECT_EQ(must(complete(again)).state, JobState::completed);
}

TEST_P(CancelContract, AnExpiredJobWaitsItsFullTimeAgainAfterARedrive) {
  const JobId id = add([](JobSpec& j) { j.expires_in = 10s; });
  advance(1min);
  sweep(&Store::expire_waiting);
  must(client().redrive(id));
  sweep_moves(&Store::expire_waiting, 0);
  EXPECT_EQ(state(id), JobState::ready);
  EXPECT_EQ(job(id).expires_at, now() + 10s);
}

TEST_P(CancelContract, TheOldFenceIsStaleAfterARedrive) {
  const JobId id = add();
  const Grant grant = take_one();
  must(fail_for_good(grant));
  must(client().redrive(id));
  EXPECT_EQ(complete(grant).code(), Code::lease_lost);
  EXPECT_EQ(fail_for_good(grant).code(), Code::lease_lost);
  EXPECT_EQ(state(id), JobState::ready);
}

TEST_P(CancelContract, OnlyDeadOrCancelledJobsCanBeRedriven) {
  const JobId completed = make_completed();
  const JobId running = add();
  take_one();
  const JobId ready = add();
  const JobId scheduled = add([](JobSpec& j) { j.delay = 1h; });
  for (const JobId& id : {completed, running, ready, scheduled}) {
    const JobState before = state(id);
    EXPECT_EQ(client().redrive(id).code(), Code::conflict);
    EXPECT_EQ(state(id), before);
  }
  EXPECT_EQ(client().redrive(JobId{{1, 1}}).code(), Code::not_found);
}

TEST_P(CancelContract, RedriveManyTakesTheDeadByDefault) {
  const JobId dead = make_dead();
  const JobId cancelled = add();
  must(cancel(cancelled));
  make_completed();
  const Redriven redriven = must(client().redrive_matching({}));
  EXPECT_EQ(redriven.jobs, std::vector{dead});
  EXPECT_FALSE(redriven.more);
  EXPECT_EQ(state(dead), JobState::ready);
  EXPECT_EQ(state(cancelled), JobState::cancelled);
}

TEST_P(CancelContract, RedriveManyKeepsToItsFilter) {
  const JobId mine = make_dead(a_job([](JobSpec& j) { j.type = JobType("mine"); }));
  const JobId other = make_dead(a_job([](JobSpec& j) { j.type = JobType("other"); }));
  EXPECT_EQ(must(client().redrive_matching(dead_of_type("mine"))).jobs, std::vector{mine});
  EXPECT_EQ(state(other), JobState::dead);
}

TEST_P(CancelContract, RedriveManyMayTakeTheCancelled) {
  const JobId dead = make_dead();
  const JobId cancelled = add();
  must(cancel(cancelled));
  RedriveFilter filter;
  filter.filter.states = {JobState::cancelled};
  EXPECT_EQ(must(client().redrive_matching(filter)).jobs, std::vector{cancelled});
  EXPECT_EQ(state(dead), JobState::dead);
}

TEST_P(CancelContract, RedriveManyByErrorKind) {
  const JobId net = make_dead(a_job(), "network");
  make_dead(a_job(), "disk");
  RedriveFilter filter;
  filter.filter.error_kind = "network";
  EXPECT_EQ(must(client().redrive_matching(filter)).jobs, std::vector{net});
}

TEST_P(CancelContract, RedriveManyKeepsToItsLimitAndSaysMore) {
  for (int i = 0; i < 5; ++i) make_dead();
  RedriveFilter filter;
  filter.limit = 3;
  const Redriven first = must(client().redrive_matching(filter));
  EXPECT_EQ(first.jobs.size(), 3u);
  EXPECT_TRUE(first.more);
  const Redriven second = must(client().redrive_matching(filter));
  EXPECT_EQ(second.jobs.size(), 2u);
  EXPECT_FALSE(second.more);
  EXPECT_EQ(queue().ready, 5u);
}

TEST_P(CancelContract, ARedriveSurvivesARestart) {
  const JobId id = make_dead();
  must(client().redrive(id));
  restart();
  EXPECT_EQ(state(id), JobState::ready);
  EXPECT_EQ(take_one().id, id);
}

INSTANTIATE_TEST_SUITE_P(Stores, CancelContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
