// Contract: taking jobs in.
#include <set>

#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class EnqueueContract : public StoreContract {};

TEST_P(EnqueueContract, AJobWithoutDelayIsReadyAtOnce) {
  const Enqueued entry = must(client().enqueue({a_job()})).at(0);
  EXPECT_EQ(entry.state, JobState::ready);
  EXPECT_FALSE(entry.existed);
  const Job found = job(entry.id);
  EXPECT_EQ(found.id, entry.id);
  EXPECT_EQ(found.state, JobState::ready);
  EXPECT_EQ(found.created_at, now());
  EXPECT_EQ(found.run_at, now());
}

TEST_P(EnqueueContract, AFreshJobHasNoPast) {
  const Job found = job(add());
  EXPECT_EQ(found.attempt, 0u);
  EXPECT_EQ(found.rescues, 0u);
  EXPECT_TRUE(found.worker.empty());
  EXPECT_FALSE(found.started_at);
  EXPECT_FALSE(found.finished_at);
  EXPECT_FALSE(found.lease_expires_at);
  EXPECT_FALSE(found.expires_at);
  EXPECT_FALSE(found.cancel_requested);
  EXPECT_FALSE(found.result);
  EXPECT_FALSE(found.error);
  EXPECT_FALSE(found.progress);
  EXPECT_TRUE(found.attempts.empty());
  EXPECT_EQ(found.dependencies_pending, 0u);
}

// Every member is away from its default, so that a forgotten one shows.
JobSpec unusual_job() {
  JobSpec spec = a_job();
  spec.queue = QueueName("mail");
  spec.type = JobType("email.send");
  spec.payload = {std::string("\0\xff\x01 raw", 7), Encoding::bytes};
  spec.needs = CapabilitySet({"tool:ffmpeg", "runtime:node"});
  spec.selector = {{"region", "eu"}};
  spec.labels = {{"customer", "42"}, {"größe", "groß"}};
  spec.priority = -7;
  spec.delay = 5s;
  spec.expires_in = 1h;
  spec.timeout = 90s;
  spec.lease_ttl = 45s;
  spec.retry = {
      .attempts_max = 9, .backoff_base = 2s, .backoff_factor = 1.5, .backoff_max = 77s, .jitter = 0.25, .non_retryable = {"bad"}};
  spec.rescues_max = 6;
  spec.idempotency_key = "order-17";
  spec.unique = UniqueKey{"customer-42", UniqueWhile::waiting};
  spec.concurrency = ConcurrencyKey{"customer-42", 3};
  spec.fairness = FairnessKey{"tenant-a", 4};
  spec.affinity = {.sticky_key = "session-9", .prefer = "label:zone=a", .prefer_wait = 8s};
  spec.on_dependency_failure = OnDependencyFailure::run;
  spec.correlation = "trace-1";
  return spec;
}

TEST_P(EnqueueContract, KeepsEveryPartOfTheSpec) {
  JobSpec spec = unusual_job();
  spec.after = {add()};
  EXPECT_EQ(job(add(spec)).spec, spec);
}

TEST_P(EnqueueContract, KeepsEveryPartOfTheSpecOverARestart) {
  JobSpec spec = unusual_job();
  spec.after = {add()};
  const JobId id = add(spec);
  restart();
  EXPECT_EQ(job(id).spec, spec);
}

TEST_P(EnqueueContract, KeepsPayloadsOfEverySize) {
  for (const std::size_t bytes : {0u, 1u, 255u, 4'096u, 70'000u, 1'000'000u}) {
    const JobId id = add([&](JobSpec& j) { j.payload = {std::string(bytes, 'x'), Encoding::bytes}; });
    EXPECT_EQ(job(id).spec.payload.data.size(), bytes);
    EXPECT_EQ(job(id).spec.payload.encoding, Encoding::bytes);
  }
}

TEST_P(EnqueueContract, HandsOutLargePayloadsWhole) {
  const std::string large(limits::kPayloadBytesMax, 'y');
  add([&](JobSpec& j) { j.payload = {large, Encoding::bytes}; });
  join();
  EXPECT_EQ(take_one().payload.data, large);
}

TEST_P(EnqueueContract, ADelayedJobIsScheduledFromItsAcceptance) {
  const Enqueued entry = must(client().enqueue({a_job([](JobSpec& j) { j.delay = 10s; })})).at(0);
  EXPECT_EQ(entry.state, JobState::scheduled);
  EXPECT_EQ(job(entry.id).run_at, now() + 10s);
}

TEST_P(EnqueueContract, AJobWithARunAtIsScheduledForIt) {
  const Instant at = now() + 1h;
  const JobId id = add([&](JobSpec& j) { j.run_at = at; });
  EXPECT_EQ(state(id), JobState::scheduled);
  EXPECT_EQ(job(id).run_at, at);
}

TEST_P(EnqueueContract, AJobDueNowOrEarlierIsReady) {
  EXPECT_EQ(state(add([&](JobSpec& j) { j.run_at = now(); })), JobState::ready);
  EXPECT_EQ(state(add([&](JobSpec& j) { j.run_at = now() - 1h; })), JobState::ready);
}

TEST_P(EnqueueContract, AScheduledJobIsPromotedAtItsInstantAndNotBefore) {
  const JobId id = add([](JobSpec& j) { j.delay = 10s; });
  advance(10s - 1ms);
  sweep_moves(&Store::promote_due, 0);
  EXPECT_EQ(state(id), JobState::scheduled);
  advance(1ms);
  sweep(&Store::promote_due);
  EXPECT_EQ(state(id), JobState::ready);
}

TEST_P(EnqueueContract, AScheduledJobIsNotHandedOutBeforeItsTime) {
  join();
  add([](JobSpec& j) { j.delay = 10s; });
  advance(10s - 1ms);
  sweep(&Store::promote_due);
  EXPECT_TRUE(idle());
}

TEST_P(EnqueueContract, PromotingInSmallPassesReachesEverything) {
  add_many(5, a_job([](JobSpec& j) { j.delay = 1s; }));
  advance(1s);
  constexpr int kPasses = 10;
  for (int pass = 0; pass < kPasses; ++pass) must(client().sweep(&Store::promote_due, 1));
  EXPECT_EQ(queue().ready, 5u);
}

TEST_P(EnqueueContract, ExpiresAtCountsFromAcceptance) {
  EXPECT_EQ(job(add([](JobSpec& j) { j.expires_in = 30s; })).expires_at, now() + 30s);
}

TEST_P(EnqueueContract, AnUnknownNamespaceIsNotFound) {
  const auto answer = client().enqueue({a_job([](JobSpec& j) { j.ns = NamespaceName("nowhere"); })});
  EXPECT_EQ(answer.code(), Code::not_found);
}

TEST_P(EnqueueContract, ABatchWithAnUnknownNamespaceWritesNothing) {
  const auto answer = client().enqueue({a_job(), a_job([](JobSpec& j) { j.ns = NamespaceName("nowhere"); }), a_job()});
  EXPECT_EQ(answer.code(), Code::not_found);
  EXPECT_TRUE(list_all({}).empty());
}

TEST_P(EnqueueContract, ABatchWithAnUnknownDependencyWritesNothing) {
  const JobId nobody{{1, 2}};
  const auto answer = client().enqueue({a_job(), a_job([&](JobSpec& j) { j.after = {nobody}; })});
  EXPECT_EQ(answer.code(), Code::not_found);
  EXPECT_TRUE(list_all({}).empty());
}

TEST_P(EnqueueContract, ARefusedBatchLeavesItsKeysFree) {
  const auto keyed = [](JobSpec& j) {
    j.idempotency_key = "k";
    j.unique = UniqueKey{"u", UniqueWhile::unfinished};
  };
  EXPECT_EQ(client().enqueue({a_job(keyed), a_job([](JobSpec& j) { j.ns = NamespaceName("nowhere"); })}).code(), Code::not_found);
  EXPECT_FALSE(must(client().enqueue({a_job(keyed)})).at(0).existed);
}

TEST_P(EnqueueContract, AnswersABatchInItsOrder) {
  std::vector<JobSpec> batch;
  for (int i = 0; i < 20; ++i) batch.push_back(a_job([&](JobSpec& j) { j.correlation = std::to_string(i); }));
  const std::vector<Enqueued> entries = must(client().enqueue(batch));
  ASSERT_EQ(entries.size(), batch.size());
  for (std::size_t i = 0; i < entries.size(); ++i) EXPECT_EQ(job(entries[i].id).spec.correlation, std::to_string(i));
}

TEST_P(EnqueueContract, AnEmptyBatchIsNothing) {
  EXPECT_TRUE(must(client().enqueue({})).empty());
  EXPECT_TRUE(list_all({}).empty());
}

TEST_P(EnqueueContract, TakesTheLargestBatch) {
  EXPECT_EQ(add_many(limits::kEnqueueBatchMax).size(), limits::kEnqueueBatchMax);
  EXPECT_EQ(queue().ready, limits::kEnqueueBatchMax);
}

TEST_P(EnqueueContract, IdsAreUniqueAndReadBackFromTheirText) {
  std::set<JobId> ids;
  for (const JobId& id : add_many(1'000)) {
    EXPECT_TRUE(ids.insert(id).second);
    EXPECT_EQ(JobId::parse(id.text()), id);
  }
}

TEST_P(EnqueueContract, IdsAreNotReusedAfterARestart) {
  const std::vector<JobId> before = add_many(10);
  restart();
  for (const JobId& id : add_many(10)) EXPECT_EQ(std::count(before.begin(), before.end(), id), 0);
}

TEST_P(EnqueueContract, IdsAreNotReusedAfterTheNewestJobsArePruned) {
  join();
  const JobId id = make_completed();
  advance(limits::kFinishedKeptDefault);
  must(client().prune_finished({}, kSweepLimit));
  ASSERT_EQ(client().get_job(id).code(), Code::not_found);
  restart();
  EXPECT_NE(add(), id);
}

TEST_P(EnqueueContract, AnInventedIdIsNotFound) {
  add_many(10);
  for (const Uuid& invented : {Uuid{0, 0}, Uuid{0, 1}, Uuid{~0ULL, ~0ULL}, Uuid{0x0123456789abcdefULL, 0xfedcba9876543210ULL}})
    EXPECT_EQ(client().get_job({invented}).code(), Code::not_found);
}

TEST_P(EnqueueContract, TheIdOfAnotherStoreIsNotFound) {
  const JobId here = add();
  const auto other = must(GetParam().make());
  Client there(*other);
  const JobId foreign = must(there.enqueue({a_job()})).at(0).id;
  EXPECT_EQ(client().get_job(foreign).code(), Code::not_found);
  EXPECT_EQ(there.get_job(here).code(), Code::not_found);
  must(other->store().close());
}

TEST_P(EnqueueContract, NamespacesQueuesAndTypesWithUnusualNamesWork) {
  const auto odd = [](JobSpec& j) {
    j.queue = QueueName("quo'te \"and\" % _ ünï");
    j.type = JobType("a.b:c/d");
  };
  join();
  add(odd);
  const Grant grant = take_one();
  EXPECT_EQ(grant.queue.text(), "quo'te \"and\" % _ ünï");
  EXPECT_EQ(grant.type.text(), "a.b:c/d");
}

TEST_P(EnqueueContract, GetJobsJudgesEachIdByItself) {
  const JobId id = add();
  const Each<Job> found = must(client().get_jobs({id, JobId{{5, 6}}, id}));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_TRUE(found[0].ok());
  EXPECT_EQ(found[1].code(), Code::not_found);
  EXPECT_TRUE(found[2].ok());
}

INSTANTIATE_TEST_SUITE_P(Stores, EnqueueContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
