// Contract: the facts behind "why is it waiting".
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class ExplainContract : public StoreContract {
 protected:
  WaitFacts facts(JobId id) { return must(client().explain(id)); }
};

using Texts = std::vector<std::string>;

TEST_P(ExplainContract, AnUnknownJobIsNotFound) { EXPECT_EQ(client().explain(JobId{{1, 2}}).code(), Code::not_found); }

TEST_P(ExplainContract, TheFactsNameTheJobAndTheInstant) {
  const JobId id = add([](JobSpec& j) {
    j.needs = CapabilitySet({"tool:x"});
    j.selector = {{"zone", "a"}};
  });
  advance(5s);
  const WaitFacts found = facts(id);
  EXPECT_EQ(found.job.id, id);
  EXPECT_EQ(found.job.state, JobState::ready);
  EXPECT_EQ(found.now, now());
  EXPECT_EQ(found.needs, CapabilitySet({"label:zone=a", "tool:x"}));
  EXPECT_EQ(found.bound_to, "");
  EXPECT_FALSE(found.bound_until);
}

TEST_P(ExplainContract, WithoutWorkersEveryNeedIsMissing) {
  const WaitFacts found = facts(add([](JobSpec& j) { j.needs = CapabilitySet({"tool:x", "tool:y"}); }));
  EXPECT_EQ(found.live_workers, 0u);
  EXPECT_EQ(found.able_count, 0u);
  EXPECT_EQ(found.missing, (Texts{"tool:x", "tool:y"}));
}

TEST_P(ExplainContract, ANeedThatNobodyOffersIsNamed) {
  join(a_worker("w1", [](WorkerSpec& w) { w.capabilities = CapabilitySet({"tool:x"}); }));
  const WaitFacts found = facts(add([](JobSpec& j) { j.needs = CapabilitySet({"tool:x", "tool:y"}); }));
  EXPECT_EQ(found.live_workers, 1u);
  EXPECT_EQ(found.able_count, 0u);
  EXPECT_EQ(found.missing, Texts{"tool:y"});
}

TEST_P(ExplainContract, WhatTheNearestWorkerLacksIsNamed) {
  join(a_worker("w1", [](WorkerSpec& w) { w.capabilities = CapabilitySet({"tool:x", "tool:z"}); }));
  join(a_worker("w2", [](WorkerSpec& w) { w.capabilities = CapabilitySet({"tool:y"}); }));
  const WaitFacts found = facts(add([](JobSpec& j) { j.needs = CapabilitySet({"tool:x", "tool:y", "tool:z"}); }));
  EXPECT_TRUE(found.missing.empty());
  EXPECT_EQ(found.missing_nearest, Texts{"tool:y"});
}

TEST_P(ExplainContract, OfflineWorkersDoNotCount) {
  join();
  must(unregister("w1"));
  const WaitFacts found = facts(add());
  EXPECT_EQ(found.live_workers, 0u);
  EXPECT_EQ(found.able_count, 0u);
}

TEST_P(ExplainContract, WorkersOfOtherQueuesDoNotCount) {
  join(a_worker("w1", [](WorkerSpec& w) { w.queues = {QueueName("other")}; }));
  EXPECT_EQ(facts(add()).live_workers, 0u);
}

TEST_P(ExplainContract, AbleWorkersAreNamedWithTheirLoad) {
  join(a_worker("w1", [](WorkerSpec& w) { w.slots = 1; }));
  add();
  take_one();
  const WaitFacts found = facts(add());
  EXPECT_EQ(found.live_workers, 1u);
  EXPECT_EQ(found.able_count, 1u);
  EXPECT_EQ(found.able_free, 0u);
  ASSERT_EQ(found.able.size(), 1u);
  EXPECT_EQ(found.able[0].id.text(), "w1");
  EXPECT_EQ(found.able[0].state, WorkerState::online);
  EXPECT_EQ(found.able[0].running, 1u);
  EXPECT_EQ(found.able[0].slots, 1u);
}

TEST_P(ExplainContract, ADrainingWorkerIsAbleButNotFree) {
  join("w1");
  join("w2");
  must(drain("w1", 1h));
  const WaitFacts found = facts(add());
  EXPECT_EQ(found.able_count, 2u);
  EXPECT_EQ(found.able_free, 1u);
}

TEST_P(ExplainContract, TheQueuesLimitsAreThere) {
  join();
  limit_queue([](QueueChange& c) {
    c.running_max = 1;
    c.running_max_by_type = {{"work", 1}};
    c.paused = true;
    c.pause_reason = "incident";
  });
  limit_queue([](QueueChange& c) { c.paused = false; });
  add();
  take_one();
  const WaitFacts found = facts(add());
  EXPECT_FALSE(found.queue.paused);
  EXPECT_EQ(found.queue.running_max, 1u);
  EXPECT_EQ(found.queue_running, 1u);
  EXPECT_EQ(found.type_running, 1u);
}

TEST_P(ExplainContract, APauseIsThere) {
  limit_queue([](QueueChange& c) {
    c.paused = true;
    c.pause_reason = "incident";
  });
  const WaitFacts found = facts(add());
  EXPECT_TRUE(found.queue.paused);
  EXPECT_EQ(found.queue.pause_reason, "incident");
}

TEST_P(ExplainContract, AnEmptyBucketSaysWhenItHasATokenAgain) {
  join();
  limit_queue([](QueueChange& c) { c.rate = RateLimit{.count = 1, .per = 10s, .burst = 1}; });
  const JobId first = add();
  EXPECT_FALSE(facts(first).rate_token_at);
  take_one();
  EXPECT_EQ(facts(add()).rate_token_at, now() + 10s);
}

TEST_P(ExplainContract, TheHoldersOfAConcurrencyKeyAreNamed) {
  join();
  const auto keyed = [](JobSpec& j) { j.concurrency = ConcurrencyKey{"k", 1}; };
  const JobId holder = add(keyed);
  take_one();
  const JobId waiting = add(keyed);
  EXPECT_TRUE(idle());
  EXPECT_EQ(facts(waiting).concurrency_holders, std::vector{holder});
}

TEST_P(ExplainContract, AKeyWithRoomHasNoHoldersToName) {
  join();
  const auto keyed = [](JobSpec& j) { j.concurrency = ConcurrencyKey{"k", 2}; };
  add(keyed);
  take_one();
  EXPECT_TRUE(facts(add(keyed)).concurrency_holders.empty());
}

TEST_P(ExplainContract, UnfinishedDependenciesAreNamed) {
  join();
  const JobId done = make_completed();
  const JobId open = add();
  EXPECT_EQ(facts(add([&](JobSpec& j) { j.after = {done, open}; })).waiting_for, std::vector{open});
}

TEST_P(ExplainContract, TheJobsAheadInItsLaneAreCounted) {
  add_many(3);
  add([](JobSpec& j) { j.type = JobType("another lane"); });
  const JobId id = add();
  add_many(2);
  EXPECT_EQ(facts(id).ahead, 3u);
}

TEST_P(ExplainContract, AStickyJobNamesTheWorkerItWaitsFor) {
  join();
  const auto sticky = [](JobSpec& j) { j.affinity.sticky_key = "s"; };
  add(sticky);
  take_one();
  const WaitFacts found = facts(add(sticky));
  EXPECT_EQ(found.bound_to, "w1");
  EXPECT_TRUE(found.needs.contains("worker:w1"));
}

TEST_P(ExplainContract, APreferenceSaysWhenItEnds) {
  join(a_worker("a", [](WorkerSpec& w) { w.labels = {{"zone", "a"}}; }));
  const WaitFacts found = facts(add([](JobSpec& j) {
    j.affinity.prefer = "label:zone=a";
    j.affinity.prefer_wait = 5s;
  }));
  EXPECT_EQ(found.bound_until, now() + 5s);
  EXPECT_TRUE(found.needs.contains("label:zone=a"));
}

TEST_P(ExplainContract, AFinishedJobCanBeExplainedToo) {
  join();
  EXPECT_EQ(facts(make_completed()).job.state, JobState::completed);
}

TEST_P(ExplainContract, TheFactsSurviveARestart) {
  join();
  const auto keyed = [](JobSpec& j) { j.concurrency = ConcurrencyKey{"k", 1}; };
  const JobId holder = add(keyed);
  take_one();
  const JobId waiting = add(keyed);
  restart();
  const WaitFacts found = facts(waiting);
  EXPECT_EQ(found.concurrency_holders, std::vector{holder});
  EXPECT_EQ(found.queue_running, 1u);
  EXPECT_EQ(found.live_workers, 1u);
}

INSTANTIATE_TEST_SUITE_P(Stores, ExplainContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
