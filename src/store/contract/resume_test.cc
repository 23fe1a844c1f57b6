// Contract: drains that are taken back, and who may take back whose.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class ResumeContract : public StoreContract {
 protected:
  Result<BeatReply> beat_draining() {
    Beat beat;
    beat.ns = kDefault;
    beat.worker = WorkerId("w1");
    beat.accepting = false;
    return client().heartbeat(std::move(beat));
  }
};

TEST_P(ResumeContract, AResumedWorkerIsOnlineWithoutDeadlineAndReasonAndMayClaim) {
  join();
  add();
  must(drain("w1", 10s, "upgrade"));
  EXPECT_EQ(claim("w1").block, ClaimBlock::draining);
  const Worker back = must(resume("w1"));
  EXPECT_EQ(back.state, WorkerState::online);
  EXPECT_FALSE(back.drain_deadline);
  EXPECT_EQ(back.drain_reason, "");
  const BeatReply reply = must(beat());
  EXPECT_EQ(reply.state, WorkerState::online);
  EXPECT_FALSE(reply.drain_deadline);
  EXPECT_EQ(reply.drain_reason, "");
  take_one();
}

TEST_P(ResumeContract, ADrainThatWasTakenBackHasNoEnd) {
  join(a_worker("w1", [](WorkerSpec& w) { w.policy = HeartbeatPolicy{1min, 24h}; }));
  const JobId id = add();
  take_one();
  must(drain("w1", 10s));
  must(resume("w1"));
  advance(1min);
  sweep_moves(&Store::end_drains, 0);
  EXPECT_EQ(worker().state, WorkerState::online);
  EXPECT_EQ(state(id), JobState::running);
}

TEST_P(ResumeContract, ResumingSurvivesARestart) {
  join();
  must(drain("w1", 10s, "upgrade"));
  must(resume("w1"));
  restart();
  EXPECT_EQ(worker().state, WorkerState::online);
  EXPECT_EQ(worker().drain_origin, DrainOrigin::overruled);
  advance(10s);
  sweep_moves(&Store::end_drains, 0);
}

TEST_P(ResumeContract, ResumingAWorkerThatWorksChangesNothing) {
  join();
  EXPECT_EQ(must(resume("w1")).state, WorkerState::online);
  EXPECT_EQ(worker().drain_origin, DrainOrigin::none);
  must(drain("w1", 10s));
  must(resume("w1"));
  EXPECT_EQ(must(resume("w1")).state, WorkerState::online);
}

TEST_P(ResumeContract, ResumingAStrangerOrAnOfflineWorkerIsNotFound) {
  EXPECT_EQ(resume("stranger").code(), Code::not_found);
  join();
  must(unregister("w1"));
  EXPECT_EQ(resume("w1").code(), Code::not_found);
}

TEST_P(ResumeContract, WhatTheWorkerItselfDecidedIsNotTakenBack) {
  join();
  must(beat_draining());
  EXPECT_EQ(worker().drain_origin, DrainOrigin::itself);
  EXPECT_EQ(resume("w1").code(), Code::conflict);
  EXPECT_EQ(must(resume("w1", DrainOrigin::load)).state, WorkerState::draining);
  join();
  EXPECT_EQ(worker().state, WorkerState::online);
  EXPECT_EQ(worker().drain_origin, DrainOrigin::none);
}

TEST_P(ResumeContract, ADrainByLoadHasNoDeadlineAndRunningJobsGoOn) {
  join(a_worker("w1", [](WorkerSpec& w) { w.policy = HeartbeatPolicy{1min, 24h}; }));
  add();
  const Grant grant = take_one();
  const Worker drained = must(drain_by_load("w1"));
  EXPECT_EQ(drained.state, WorkerState::draining);
  EXPECT_EQ(drained.drain_origin, DrainOrigin::load);
  EXPECT_EQ(drained.drain_reason, "memory 93 %");
  EXPECT_FALSE(drained.drain_deadline);
  const BeatReply reply = must(beat());
  EXPECT_EQ(reply.drain_origin, DrainOrigin::load);
  EXPECT_EQ(reply.drain_reason, "memory 93 %");
  advance(1h);
  sweep_moves(&Store::end_drains, 0);
  add();
  EXPECT_EQ(claim("w1").block, ClaimBlock::draining);
  EXPECT_EQ(must(complete(grant)).state, JobState::completed);
}

TEST_P(ResumeContract, LoadTakesBackItsOwnDrain) {
  join();
  add();
  must(drain_by_load("w1"));
  restart();
  EXPECT_EQ(worker().drain_origin, DrainOrigin::load);
  const Worker back = must(resume("w1", DrainOrigin::load));
  EXPECT_EQ(back.state, WorkerState::online);
  EXPECT_EQ(back.drain_origin, DrainOrigin::none);
  EXPECT_EQ(back.drain_reason, "");
  take_one();
}

TEST_P(ResumeContract, LoadNeitherChangesNorTakesBackAnOperatorsDrain) {
  join();
  must(drain("w1", 45s, "upgrade"));
  EXPECT_EQ(must(drain_by_load("w1")).drain_reason, "upgrade");
  EXPECT_EQ(worker().drain_deadline, now() + 45s);
  EXPECT_EQ(must(resume("w1", DrainOrigin::load)).state, WorkerState::draining);
  EXPECT_EQ(worker().drain_origin, DrainOrigin::asked);
}

TEST_P(ResumeContract, AnOperatorsDrainReplacesThatOfLoad) {
  join();
  must(drain_by_load("w1"));
  must(drain("w1", 10s, "upgrade"));
  EXPECT_EQ(worker().drain_origin, DrainOrigin::asked);
  EXPECT_EQ(must(resume("w1", DrainOrigin::load)).state, WorkerState::draining);
  advance(10s);
  sweep(&Store::end_drains);
  EXPECT_EQ(worker().state, WorkerState::offline);
}

TEST_P(ResumeContract, AnOperatorOverrulesLoadUntilItHasFallen) {
  join();
  must(drain_by_load("w1"));
  EXPECT_EQ(must(resume("w1")).drain_origin, DrainOrigin::overruled);
  EXPECT_EQ(must(drain_by_load("w1")).state, WorkerState::online);
  EXPECT_EQ(must(resume("w1", DrainOrigin::load)).drain_origin, DrainOrigin::none);
  EXPECT_EQ(must(drain_by_load("w1")).state, WorkerState::draining);
}

TEST_P(ResumeContract, AWaitingJobIsToldWhyItsWorkersDrain) {
  join();
  const JobId id = add();
  must(drain_by_load("w1", "disk 97 %"));
  const WaitFacts facts = must(client().explain(id));
  ASSERT_EQ(facts.able.size(), 1u);
  EXPECT_EQ(facts.able[0].drain_reason, "disk 97 %");
}

INSTANTIATE_TEST_SUITE_P(Stores, ResumeContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
