#include "engine/asked_queues.h"

#include <gtest/gtest.h>

#include "engine/why.h"

namespace muster::engine {
namespace {

using namespace std::chrono_literals;

const NamespaceName kHome{kDefaultNamespace};

store::ClaimRequest asking(std::vector<QueueName> queues) {
  return {.ns = kHome, .worker = WorkerId("w1"), .session = {}, .queues = std::move(queues), .narrow = {}, .lease_ttl = {}};
}

store::WaitFacts facts_of(const char* queue) {
  store::WaitFacts facts;
  facts.job.spec.ns = kHome;
  facts.job.spec.queue = QueueName(queue);
  facts.job.state = JobState::ready;
  facts.live_workers = facts.able_count = facts.able_free = 1;
  facts.able = {{.id = WorkerId("w1"), .state = WorkerState::online, .running = 0, .slots = 4}};
  return facts;
}

TEST(AskedQueues, AWorkerThatAsksForOtherQueuesIsNotFreeForTheJob) {
  AskedQueues asked;
  asked.note(asking({QueueName("ready")}), 1s);
  store::WaitFacts facts = facts_of("mail");
  leave_out_elsewhere(asked, facts);
  const Why why = explain(facts);
  EXPECT_EQ(why.code, WhyCode::no_worker);
  EXPECT_EQ(why.text, "the workers that could do it ask for other queues: 'w1' for 'ready'");
  EXPECT_EQ(why.workers, std::vector<std::string>{"w1"});
}

TEST(AskedQueues, AWorkerThatAsksForTheQueueAmongOthersIs) {
  AskedQueues asked;
  asked.note(asking({QueueName("mail")}), 1s);
  asked.note(asking({QueueName("ready")}), 2s);
  store::WaitFacts facts = facts_of("mail");
  leave_out_elsewhere(asked, facts);
  EXPECT_EQ(explain(facts).code, WhyCode::next_in_line);
}

TEST(AskedQueues, WhatWasAskedForLongBeforeTheLastClaimIsForgotten) {
  AskedQueues asked;
  asked.note(asking({QueueName("mail")}), 1s);
  asked.note(asking({QueueName("ready")}), 1s + AskedQueues::kLately + 1ms);
  EXPECT_EQ(asked.of(kHome, WorkerId("w1")), std::vector{QueueName("ready")});
}

TEST(AskedQueues, AWorkerThatNamesEverNewQueuesIsTakenAtTheRegistrationsWord) {
  AskedQueues asked;
  for (std::size_t i = 0; i <= AskedQueues::kQueuesMax; ++i) asked.note(asking({QueueName("q" + std::to_string(i))}), 1s);
  EXPECT_TRUE(asked.of(kHome, WorkerId("w1")).empty());
}

TEST(AskedQueues, AClaimThatNamesNoneIsTakenAtTheRegistrationsWord) {
  AskedQueues asked;
  asked.note(asking({QueueName("ready")}), 1s);
  asked.note(asking({}), 2s);
  store::WaitFacts facts = facts_of("mail");
  leave_out_elsewhere(asked, facts);
  EXPECT_EQ(explain(facts).code, WhyCode::next_in_line);
}

}  // namespace
}  // namespace muster::engine
