// Contract: queues. Caps, rates, pauses, and their numbers.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class QueueContract : public StoreContract {
 protected:
  void SetUp() override {
    StoreContract::SetUp();
    join(a_worker("w1", [](WorkerSpec& w) { w.slots = 100; }));
  }
  JobId add_to(const char* name, const char* type = "work") {
    return add([&](JobSpec& j) {
      j.queue = QueueName(name);
      j.type = JobType(type);
    });
  }
  void cap(std::uint32_t running_max) {
    limit_queue([&](QueueChange& c) { c.running_max = running_max; });
  }
  void rate(RateLimit limit) {
    limit_queue([&](QueueChange& c) { c.rate = limit; });
  }
};

TEST_P(QueueContract, ACapBoundsWhatRuns) {
  cap(2);
  add_many(5);
  const std::vector<Grant> grants = take("w1", 10);
  EXPECT_EQ(grants.size(), 2u);
  EXPECT_TRUE(idle());
  must(complete(grants[0]));
  EXPECT_EQ(take("w1", 10).size(), 1u);
}

TEST_P(QueueContract, ACapHoldsAcrossWorkers) {
  join("w2");
  cap(1);
  add_many(2);
  take_one("w1");
  EXPECT_TRUE(idle("w2"));
}

TEST_P(QueueContract, ACapOfOneQueueLeavesTheOthersAlone) {
  cap(1);
  add_many(3);
  add_to("other");
  EXPECT_EQ(take("w1", 10).size(), 2u);
}

TEST_P(QueueContract, ZeroRemovesACap) {
  cap(1);
  add_many(3);
  EXPECT_EQ(take("w1", 10).size(), 1u);
  cap(0);
  EXPECT_EQ(take("w1", 10).size(), 2u);
  EXPECT_FALSE(queue().settings.running_max);
}

TEST_P(QueueContract, ACapBelowWhatRunsLetsNothingNewIn) {
  add_many(5);
  const std::vector<Grant> grants = take("w1", 3);
  cap(2);
  EXPECT_TRUE(idle());
  must(complete(grants[0]));
  EXPECT_TRUE(idle());
  must(complete(grants[1]));
  EXPECT_FALSE(idle());
}

TEST_P(QueueContract, ATypeCapBoundsItsTypeOnly) {
  limit_queue([](QueueChange& c) { c.running_max_by_type = {{"slow", 1}}; });
  add_to(kDefaultQueue, "slow");
  add_to(kDefaultQueue, "slow");
  add_to(kDefaultQueue, "fast");
  add_to(kDefaultQueue, "fast");
  std::vector<std::string> types;
  for (const Grant& grant : take("w1", 10)) types.push_back(grant.type.text());
  EXPECT_EQ(types, (std::vector<std::string>{"slow", "fast", "fast"}));
}

TEST_P(QueueContract, ATypeCapIsOfItsQueue) {
  limit_queue([](QueueChange& c) { c.running_max_by_type = {{"slow", 1}}; });
  add_to("other", "slow");
  add_to("other", "slow");
  EXPECT_EQ(take("w1", 10).size(), 2u);
}

TEST_P(QueueContract, ZeroRemovesATypeCap) {
  limit_queue([](QueueChange& c) { c.running_max_by_type = {{"slow", 1}, {"other", 4}}; });
  limit_queue([](QueueChange& c) { c.running_max_by_type = {{"slow", 0}}; });
  EXPECT_EQ(queue().settings.running_max_by_type, (std::map<std::string, std::uint32_t>{{"other", 4}}));
}

TEST_P(QueueContract, ARateBoundsABurst) {
  rate({.count = 1, .per = 1s, .burst = 3});
  add_many(10);
  EXPECT_EQ(take("w1", 10).size(), 3u);
  EXPECT_TRUE(idle());
}

TEST_P(QueueContract, ARateSaysWhenTheNextTokenIsThere) {
  rate({.count = 2, .per = 1s, .burst = 1});
  add_many(3);
  take_one();
  const ClaimReply empty = claim("w1");
  EXPECT_TRUE(empty.grants.empty());
  EXPECT_EQ(empty.retry_at, now() + 500ms);
  advance(500ms - 1ms);
  EXPECT_TRUE(idle());
  advance(1ms);
  EXPECT_FALSE(idle());
  EXPECT_TRUE(idle());
}

TEST_P(QueueContract, ARateRefillsToItsBurstAndNoFurther) {
  rate({.count = 1, .per = 1s, .burst = 2});
  add_many(10);
  EXPECT_EQ(take("w1", 10).size(), 2u);
  advance(10s);
  EXPECT_EQ(take("w1", 10).size(), 2u);
}

TEST_P(QueueContract, ARateOfOneQueueLeavesTheOthersAlone) {
  rate({.count = 1, .per = 1min, .burst = 1});
  add_many(3);
  add_to("other");
  EXPECT_EQ(take("w1", 10).size(), 2u);
}

TEST_P(QueueContract, ARateOfZeroRemovesIt) {
  rate({.count = 1, .per = 1min, .burst = 1});
  add_many(5);
  take_one();
  rate({.count = 0, .per = 1s, .burst = 1});
  EXPECT_EQ(take("w1", 10).size(), 4u);
  EXPECT_FALSE(queue().settings.rate);
}

TEST_P(QueueContract, ARateDoesNotDelayOutcomes) {
  rate({.count = 1, .per = 1min, .burst = 1});
  add();
  EXPECT_EQ(must(complete(take_one())).state, JobState::completed);
}

TEST_P(QueueContract, WithoutWaitingJobsNoTokenIsPromised) {
  rate({.count = 1, .per = 1min, .burst = 1});
  add();
  take_one();
  EXPECT_FALSE(claim("w1").retry_at);
}

TEST_P(QueueContract, APausedQueueGivesNothingOut) {
  const JobId id = add();
  const QueueStats stats = limit_queue([](QueueChange& c) {
    c.paused = true;
    c.pause_reason = "incident";
  });
  EXPECT_TRUE(stats.settings.paused);
  EXPECT_EQ(stats.settings.pause_reason, "incident");
  EXPECT_TRUE(idle());
  add_to("other");
  EXPECT_FALSE(idle());
  EXPECT_EQ(state(id), JobState::ready);
}

TEST_P(QueueContract, APausedQueueTakesJobsInAndLetsRunningOnesFinish) {
  add();
  const Grant grant = take_one();
  limit_queue([](QueueChange& c) { c.paused = true; });
  add();
  EXPECT_EQ(must(complete(grant)).state, JobState::completed);
  EXPECT_TRUE(idle());
}

TEST_P(QueueContract, AResumedQueueGoesOn) {
  const JobId id = add();
  limit_queue([](QueueChange& c) {
    c.paused = true;
    c.pause_reason = "incident";
  });
  const QueueStats stats = limit_queue([](QueueChange& c) { c.paused = false; });
  EXPECT_FALSE(stats.settings.paused);
  EXPECT_EQ(stats.settings.pause_reason, "");
  EXPECT_EQ(take_one().id, id);
}

TEST_P(QueueContract, AQueueCanBePausedBeforeItsFirstJob) {
  limit_queue([](QueueChange& c) { c.paused = true; });
  add();
  EXPECT_TRUE(idle());
}

TEST_P(QueueContract, WhatAChangeLeavesOutStays) {
  limit_queue([](QueueChange& c) { c.running_max = 7; });
  limit_queue([](QueueChange& c) { c.rate = RateLimit{.count = 5, .per = 2s, .burst = 4}; });
  limit_queue([](QueueChange& c) { c.running_max_by_type = {{"a", 1}}; });
  limit_queue([](QueueChange& c) { c.running_max_by_type = {{"b", 2}}; });
  limit_queue([](QueueChange& c) { c.paused = true; });
  const QueueSettings settings = queue().settings;
  EXPECT_EQ(settings.running_max, 7u);
  EXPECT_EQ(settings.rate, (RateLimit{.count = 5, .per = 2s, .burst = 4}));
  EXPECT_EQ(settings.running_max_by_type, (std::map<std::string, std::uint32_t>{{"a", 1}, {"b", 2}}));
  EXPECT_TRUE(settings.paused);
}

TEST_P(QueueContract, SettingsSurviveARestart) {
  limit_queue([](QueueChange& c) {
    c.running_max = 7;
    c.running_max_by_type = {{"a", 1}};
    c.rate = RateLimit{.count = 5, .per = 2s, .burst = 4};
    c.paused = true;
    c.pause_reason = "incident";
  });
  const QueueSettings before = queue().settings;
  restart();
  EXPECT_EQ(queue().settings, before);
  add();
  EXPECT_TRUE(idle());
}

TEST_P(QueueContract, CapsCountWhatRunsAfterARestart) {
  limit_queue([](QueueChange& c) {
    c.running_max = 2;
    c.running_max_by_type = {{"work", 2}};
  });
  add_many(5);
  take("w1", 10);
  restart();
  EXPECT_TRUE(idle());
}

TEST_P(QueueContract, TheNumbersFollowTheJobs) {
  add_many(5);
  add([](JobSpec& j) { j.delay = 1h; });
  const std::vector<Grant> grants = take("w1", 3);
  must(complete(grants[0]));
  must(fail_for_good(grants[1]));
  const QueueStats stats = queue();
  EXPECT_EQ(stats.ns, kDefault);
  EXPECT_EQ(stats.scheduled, 1u);
  EXPECT_EQ(stats.ready, 2u);
  EXPECT_EQ(stats.running, 1u);
  EXPECT_EQ(stats.dead, 1u);
  EXPECT_EQ(stats.enqueued_total, 6u);
  EXPECT_EQ(stats.completed_total, 1u);
}

TEST_P(QueueContract, TheLiveNumbersSurviveARestart) {
  add_many(4);
  add([](JobSpec& j) { j.delay = 1h; });
  take("w1", 1);
  restart();
  const QueueStats stats = queue();
  EXPECT_EQ(stats.scheduled, 1u);
  EXPECT_EQ(stats.ready, 3u);
  EXPECT_EQ(stats.running, 1u);
}

TEST_P(QueueContract, TheOldestReadyJobIsKnown) {
  EXPECT_FALSE(limit_queue([](QueueChange& c) { c.running_max = 100; }).oldest_ready_at);
  const Instant first = now();
  add();
  advance(10s);
  add([](JobSpec& j) { j.priority = 100; });
  EXPECT_EQ(queue().oldest_ready_at, first);
}

TEST_P(QueueContract, QueuesComeIntoBeingByUse) {
  EXPECT_TRUE(must(client().list_queues(kDefault)).empty());
  add_to("b");
  add_to("a");
  std::vector<std::string> names;
  for (const QueueStats& stats : must(client().list_queues(kDefault))) names.push_back(stats.queue.text());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b"}));
}

TEST_P(QueueContract, WithoutANameAllNamespacesAreListed) {
  NamespaceInfo info;
  info.name = NamespaceName("other");
  must(client().create_namespace(info));
  add();
  add([](JobSpec& j) { j.ns = NamespaceName("other"); });
  EXPECT_EQ(must(client().list_queues(NamespaceName())).size(), 2u);
  EXPECT_EQ(must(client().list_queues(NamespaceName("other"))).size(), 1u);
}

TEST_P(QueueContract, AnUnknownNamespaceIsNotFound) {
  EXPECT_EQ(client().list_queues(NamespaceName("nowhere")).code(), Code::not_found);
  QueueChange change;
  change.ns = NamespaceName("nowhere");
  change.queue = kQueue;
  change.paused = true;
  EXPECT_EQ(client().change_queue(change).code(), Code::not_found);
}

INSTANTIATE_TEST_SUITE_P(Stores, QueueContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
