// Contract: claiming. Limits, slots, sessions, and what an empty answer says.
#include "base/patience_testing.h"
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class ClaimContract : public StoreContract {};

TEST_P(ClaimContract, AGrantCarriesWhatTheWorkerNeeds) {
  join();
  const JobId id = add([](JobSpec& j) {
    j.queue = QueueName("mail");
    j.type = JobType("email.send");
    j.payload = {"hello", Encoding::bytes};
    j.labels = {{"customer", "42"}};
    j.priority = 3;
    j.retry.attempts_max = 7;
    j.timeout = 60s;
    j.correlation = "trace-1";
  });
  const Grant grant = take_one();
  EXPECT_EQ(grant.id, id);
  EXPECT_EQ(grant.ns, kDefault);
  EXPECT_EQ(grant.queue.text(), "mail");
  EXPECT_EQ(grant.type.text(), "email.send");
  EXPECT_EQ(grant.payload, (Content{"hello", Encoding::bytes}));
  EXPECT_EQ(grant.labels, (Labels{{"customer", "42"}}));
  EXPECT_EQ(grant.priority, 3);
  EXPECT_EQ(grant.attempt, 1u);
  EXPECT_EQ(grant.attempts_max, 7u);
  EXPECT_EQ(grant.times_out_at, now() + 60s);
  EXPECT_EQ(grant.correlation, "trace-1");
  EXPECT_FALSE(grant.partial);
  EXPECT_GT(to_number(grant.fence), 0u);
}

TEST_P(ClaimContract, AClaimedJobIsRunningAndNamesItsHolder) {
  join();
  add();
  advance(2s);
  const Grant grant = take_one();
  const Job found = job(grant.id);
  EXPECT_EQ(found.state, JobState::running);
  EXPECT_EQ(found.worker.text(), "w1");
  EXPECT_EQ(found.fence, grant.fence);
  EXPECT_EQ(found.attempt, 1u);
  EXPECT_EQ(found.started_at, now());
  EXPECT_EQ(found.lease_expires_at, grant.lease_expires_at);
}

TEST_P(ClaimContract, AJobWithoutATimeoutHasNoEnd) {
  join();
  add();
  EXPECT_FALSE(take_one().times_out_at);
}

TEST_P(ClaimContract, AnEmptyStoreGrantsNothing) {
  join();
  const ClaimReply reply = claim("w1", 10);
  EXPECT_TRUE(reply.grants.empty());
  EXPECT_EQ(reply.block, ClaimBlock::none);
  EXPECT_FALSE(reply.retry_at);
}

TEST_P(ClaimContract, TheLimitIsExact) {
  join(a_worker("w1", [](WorkerSpec& w) { w.slots = 1'000; }));
  add_many(100);
  for (const std::size_t limit : {1u, 7u, 50u}) EXPECT_EQ(take("w1", limit).size(), limit);
  EXPECT_EQ(take("w1", limits::kClaimBatchMax).size(), 42u);
}

TEST_P(ClaimContract, NoJobIsGrantedTwice) {
  join(a_worker("a", [](WorkerSpec& w) { w.slots = 100; }));
  join(a_worker("b", [](WorkerSpec& w) { w.slots = 100; }));
  add_many(60);
  std::vector<JobId> seen;
  for (int i = 0; i < 6; ++i)
    for (const char* id : {"a", "b"})
      for (const Grant& grant : take(id, 7)) seen.push_back(grant.id);
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen.size(), 60u);
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

TEST_P(ClaimContract, SlotsBoundWhatAWorkerHolds) {
  join(a_worker("w1", [](WorkerSpec& w) { w.slots = 3; }));
  add_many(10);
  EXPECT_EQ(take("w1", 10).size(), 3u);
}

TEST_P(ClaimContract, AFullWorkerIsToldSo) {
  join(a_worker("w1", [](WorkerSpec& w) { w.slots = 1; }));
  add_many(2);
  take_one();
  const ClaimReply reply = claim("w1");
  EXPECT_TRUE(reply.grants.empty());
  EXPECT_EQ(reply.block, ClaimBlock::no_slots);
}

TEST_P(ClaimContract, ASlotIsFreedByEveryOutcome) {
  join(a_worker("w1", [](WorkerSpec& w) { w.slots = 1; }));
  add_many(6);
  must(complete(take_one()));
  must(fail(take_one()));
  must(fail_for_good(take_one()));
  must(snooze(take_one(), 1h));
  must(release(take_one()));
  EXPECT_EQ(take("w1", 1).size(), 1u);
}

TEST_P(ClaimContract, ASlotIsFreedWhenALeaseIsLost) {
  join(a_worker("w1", [](WorkerSpec& w) {
    w.slots = 1;
    w.policy = HeartbeatPolicy{10s, 1h};
  }));
  add_many(2, a_job([](JobSpec& j) { j.lease_ttl = 5s; }));
  take_one();
  advance(5s);
  sweep_moves(&Store::expire_leases, 1);
  EXPECT_EQ(take("w1", 1).size(), 1u);
}

TEST_P(ClaimContract, SlotsAreCountedAfterARestart) {
  join(a_worker("w1", [](WorkerSpec& w) { w.slots = 2; }));
  add_many(5);
  take_one();
  restart();
  EXPECT_EQ(take("w1", 5).size(), 1u);
  EXPECT_EQ(claim("w1").block, ClaimBlock::no_slots);
}

TEST_P(ClaimContract, AClaimMayNameSomeOfTheWorkersQueues) {
  join(a_worker("w1", [](WorkerSpec& w) {
    w.slots = 10;
    w.queues = {QueueName("a"), QueueName("b")};
  }));
  const JobId a = add([](JobSpec& j) { j.queue = QueueName("a"); });
  const JobId b = add([](JobSpec& j) { j.queue = QueueName("b"); });
  ClaimRequest request = claim_of("w1", 10);
  request.queues = {QueueName("b")};
  EXPECT_EQ(ids_of(must(client().claim(request)).grants), std::vector{b});
  EXPECT_EQ(state(a), JobState::ready);
}

TEST_P(ClaimContract, AWorkerOfEveryQueueMayNameSome) {
  join();
  add([](JobSpec& j) { j.queue = QueueName("a"); });
  const JobId b = add([](JobSpec& j) { j.queue = QueueName("b"); });
  const JobId c = add([](JobSpec& j) { j.queue = QueueName("c"); });
  ClaimRequest request = claim_of("w1", 10);
  request.queues = {QueueName("c"), QueueName("b"), QueueName("never-used")};
  EXPECT_EQ(ids_of(must(client().claim(request)).grants), (std::vector{b, c}));
}

TEST_P(ClaimContract, TheOfferIsReturnedToMatchWakeUpsAgainst) {
  const WorkerSpec spec = a_worker("w1", [](WorkerSpec& w) {
    w.capabilities = CapabilitySet({"tool:a"});
    w.labels = {{"zone", "a"}};
    w.queues = {QueueName("z"), QueueName("b")};
  });
  join(spec);
  const ClaimReply reply = claim("w1");
  ASSERT_NE(reply.offer, nullptr);
  EXPECT_EQ(reply.offer->ns, kDefault);
  EXPECT_EQ(reply.offer->queues, (std::vector{QueueName("b"), QueueName("z")}));
  EXPECT_EQ(reply.offer->capabilities, offered(spec));
}

TEST_P(ClaimContract, TheOfferIsTheNarrowerOneWhenTheClaimIsNarrow) {
  join(a_worker("w1", [](WorkerSpec& w) { w.capabilities = CapabilitySet({"tool:a", "tool:b"}); }));
  ClaimRequest request = claim_of("w1");
  request.narrow = CapabilitySet({"tool:b"});
  request.queues = {QueueName("q")};
  const ClaimReply reply = must(client().claim(request));
  ASSERT_NE(reply.offer, nullptr);
  EXPECT_TRUE(reply.offer->capabilities.contains("tool:b"));
  EXPECT_FALSE(reply.offer->capabilities.contains("tool:a"));
  EXPECT_EQ(reply.offer->queues, std::vector{QueueName("q")});
}

TEST_P(ClaimContract, AnUnknownWorkerIsNotFound) {
  add();
  EXPECT_EQ(client().claim(claim_of("stranger")).code(), Code::not_found);
}

TEST_P(ClaimContract, AnUnknownNamespaceIsNotFound) {
  join();
  ClaimRequest request = claim_of("w1");
  request.ns = NamespaceName("nowhere");
  EXPECT_EQ(client().claim(request).code(), Code::not_found);
}

TEST_P(ClaimContract, AnOfflineWorkerIsNotFound) {
  join();
  const JobId id = add();
  must(unregister("w1"));
  EXPECT_EQ(client().claim(claim_of("w1")).code(), Code::not_found);
  EXPECT_EQ(state(id), JobState::ready);
}

TEST_P(ClaimContract, AReplacedSessionIsRefused) {
  const Registered first = join();
  const Registered second = join();
  const JobId id = add();
  ClaimRequest request = claim_of("w1");
  request.session = first.session;
  EXPECT_EQ(client().claim(request).code(), Code::lease_lost);
  EXPECT_EQ(state(id), JobState::ready);
  request.session = second.session;
  EXPECT_EQ(must(client().claim(request)).grants.size(), 1u);
}

TEST_P(ClaimContract, ADrainingWorkerGetsNoWorkAndIsToldWhy) {
  join();
  const JobId id = add();
  must(drain("w1", 30s));
  const ClaimReply reply = claim("w1");
  EXPECT_TRUE(reply.grants.empty());
  EXPECT_EQ(reply.block, ClaimBlock::draining);
  EXPECT_EQ(state(id), JobState::ready);
}

TEST_P(ClaimContract, TheLeaseLastsAsLongAsTheWorkersPolicyByDefault) {
  join();
  add();
  EXPECT_EQ(take_one().lease_expires_at, now() + default_policy(Dialect::http).dead_after);
}

TEST_P(ClaimContract, TheJobsOwnLeaseBeatsTheWorkersPolicy) {
  join();
  add([](JobSpec& j) { j.lease_ttl = 7s; });
  EXPECT_EQ(take_one().lease_expires_at, now() + 7s);
}

TEST_P(ClaimContract, TheClaimsLeaseBeatsTheJobsOwn) {
  join();
  add([](JobSpec& j) { j.lease_ttl = 7s; });
  ClaimRequest request = claim_of("w1");
  request.lease_ttl = 3s;
  EXPECT_EQ(must(client().claim(request)).grants.at(0).lease_expires_at, now() + 3s);
}

TEST_P(ClaimContract, ManyClaimsInFlightShareTheJobsOut) {
  if (harness().faulty()) GTEST_SKIP() << "the case makes raw calls, which nobody repeats";
  join(a_worker("w1", [](WorkerSpec& w) { w.slots = 1'000; }));
  const std::vector<JobId> ids = add_many(50);
  struct Tally {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<JobId> granted;
    std::size_t answers = 0;
  } tally;
  constexpr std::size_t kClaims = 30;
  for (std::size_t i = 0; i < kClaims; ++i)
    harness().store().claim(claim_of("w1", 2), [&tally](Result<ClaimReply> reply) {
      const std::lock_guard lock(tally.mutex);
      for (const Grant& grant : reply->grants) tally.granted.push_back(grant.id);
      ++tally.answers;
      tally.changed.notify_all();
    });
  while (harness().pump()) continue;
  std::unique_lock lock(tally.mutex);
  ASSERT_TRUE(tally.changed.wait_for(lock, patience(), [&] { return tally.answers == kClaims; }));
  std::sort(tally.granted.begin(), tally.granted.end());
  std::vector<JobId> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(tally.granted, sorted);
}

INSTANTIATE_TEST_SUITE_P(Stores, ClaimContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
