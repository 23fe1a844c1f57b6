// Contract: idempotency keys and unique keys.
#include "model/key_scope.h"
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class KeysContract : public StoreContract {
 protected:
  Enqueued put(const JobSpec& spec) { return must(client().enqueue({spec})).at(0); }
  static JobSpec keyed(std::string key) {
    return a_job([&](JobSpec& j) { j.idempotency_key = std::move(key); });
  }
  static JobSpec unique(UniqueWhile during, std::string key = "u") {
    return a_job([&](JobSpec& j) { j.unique = UniqueKey{std::move(key), during}; });
  }
  void make_namespace(const char* name) {
    NamespaceInfo info;
    info.name = NamespaceName(name);
    must(client().create_namespace(info));
  }
};

TEST_P(KeysContract, TheSameIdempotencyKeyGivesTheFirstJob) {
  const Enqueued first = put(keyed("k"));
  const Enqueued second = put(keyed("k"));
  EXPECT_FALSE(first.existed);
  EXPECT_TRUE(second.existed);
  EXPECT_EQ(second.id, first.id);
  EXPECT_EQ(second.state, JobState::ready);
  EXPECT_EQ(list_all({}).size(), 1u);
}

TEST_P(KeysContract, DifferentIdempotencyKeysGiveDifferentJobs) { EXPECT_NE(put(keyed("k")).id, put(keyed("K")).id); }

TEST_P(KeysContract, AnIdempotencyKeyCoversTheWholeNamespaceWhateverElseDiffers) {
  const Enqueued first = put(keyed("k"));
  JobSpec other = keyed("k");
  other.queue = QueueName("elsewhere");
  other.type = JobType("other");
  other.payload = {"2", Encoding::json};
  EXPECT_EQ(put(other).id, first.id);
  EXPECT_EQ(job(first.id).spec.type.text(), "work");
}

TEST_P(KeysContract, AnIdempotencyKeyEndsAtTheNamespace) {
  make_namespace("other");
  const Enqueued first = put(keyed("k"));
  JobSpec elsewhere = keyed("k");
  elsewhere.ns = NamespaceName("other");
  const Enqueued second = put(elsewhere);
  EXPECT_FALSE(second.existed);
  EXPECT_NE(second.id, first.id);
}

TEST_P(KeysContract, AnIdempotencyKeyIsHonouredWithinABatch) {
  const std::vector<Enqueued> entries = must(client().enqueue({keyed("a"), keyed("b"), keyed("a")}));
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[2].id, entries[0].id);
  EXPECT_NE(entries[1].id, entries[0].id);
  EXPECT_EQ(list_all({}).size(), 2u);
}

TEST_P(KeysContract, WithinABatchTheSecondEntrySaysExisted) {
  if (harness().faulty()) GTEST_SKIP() << "after a lost answer the client cannot tell its own two entries apart";
  const std::vector<Enqueued> entries = must(client().enqueue({keyed("a"), keyed("a")}));
  EXPECT_FALSE(entries[0].existed);
  EXPECT_TRUE(entries[1].existed);
}

TEST_P(KeysContract, AnIdempotencyKeyOutlivesCompletion) {
  join();
  const JobId id = make_completed(keyed("k"));
  const Enqueued again = put(keyed("k"));
  EXPECT_TRUE(again.existed);
  EXPECT_EQ(again.id, id);
  EXPECT_EQ(again.state, JobState::completed);
}

TEST_P(KeysContract, AnIdempotencyKeyOutlivesDeathAndCancellation) {
  join();
  const JobId dead = make_dead(keyed("d"));
  const JobId cancelled = add(keyed("c"));
  must(cancel(cancelled));
  EXPECT_EQ(put(keyed("d")).id, dead);
  EXPECT_EQ(put(keyed("c")).id, cancelled);
  EXPECT_EQ(put(keyed("c")).state, JobState::cancelled);
}

TEST_P(KeysContract, AnIdempotencyKeySurvivesARestart) {
  const JobId id = add(keyed("k"));
  restart();
  EXPECT_EQ(put(keyed("k")).id, id);
}

TEST_P(KeysContract, AnIdempotencyKeySurvivesACrash) {
  join();
  const JobId id = make_completed(keyed("k"));
  crash();
  EXPECT_EQ(put(keyed("k")).id, id);
}

TEST_P(KeysContract, AnIdempotencyKeyEndsWithItsJobsRow) {
  join();
  const JobId id = make_completed(keyed("k"));
  advance(limits::kFinishedKeptDefault);
  must(client().prune_finished({}, kSweepLimit));
  const Enqueued again = put(keyed("k"));
  EXPECT_FALSE(again.existed);
  EXPECT_NE(again.id, id);
}

TEST_P(KeysContract, NoKeyIsNotAKey) {
  if (harness().faulty()) GTEST_SKIP() << "the client gives every job a key, to repeat lost calls";
  EXPECT_NE(add(), add());
}

TEST_P(KeysContract, AUniqueKeyGivesTheJobThatHoldsIt) {
  for (const UniqueWhile during : {UniqueWhile::waiting, UniqueWhile::unfinished}) {
    const std::string key = during == UniqueWhile::waiting ? "a" : "b";
    const Enqueued first = put(unique(during, key));
    const Enqueued second = put(unique(during, key));
    EXPECT_TRUE(second.existed);
    EXPECT_EQ(second.id, first.id);
  }
}

TEST_P(KeysContract, AUniqueKeyIsHeldByAScheduledJobToo) {
  JobSpec later = unique(UniqueWhile::waiting);
  later.delay = 1h;
  const JobId id = add(later);
  const Enqueued second = put(unique(UniqueWhile::waiting));
  EXPECT_EQ(second.id, id);
  EXPECT_EQ(second.state, JobState::scheduled);
}

TEST_P(KeysContract, UniqueWhileWaitingIsFreeOnceTheJobRuns) {
  join();
  const JobId first = add(unique(UniqueWhile::waiting));
  take_one();
  const Enqueued second = put(unique(UniqueWhile::waiting));
  EXPECT_FALSE(second.existed);
  EXPECT_NE(second.id, first);
}

TEST_P(KeysContract, UniqueWhileUnfinishedIsHeldWhileTheJobRuns) {
  join();
  const JobId first = add(unique(UniqueWhile::unfinished));
  take_one();
  const Enqueued second = put(unique(UniqueWhile::unfinished));
  EXPECT_EQ(second.id, first);
  EXPECT_EQ(second.state, JobState::running);
}

TEST_P(KeysContract, UniqueWhileUnfinishedIsHeldBetweenAttempts) {
  join();
  const JobId first = add(unique(UniqueWhile::unfinished));
  must(fail(take_one()));
  EXPECT_EQ(put(unique(UniqueWhile::unfinished)).id, first);
}

TEST_P(KeysContract, AUniqueKeyIsFreedByCompletion) {
  join();
  const JobId first = make_completed(unique(UniqueWhile::unfinished));
  EXPECT_NE(put(unique(UniqueWhile::unfinished)).id, first);
}

TEST_P(KeysContract, AUniqueKeyIsFreedByDeath) {
  join();
  const JobId first = make_dead(unique(UniqueWhile::unfinished));
  EXPECT_NE(put(unique(UniqueWhile::unfinished)).id, first);
}

TEST_P(KeysContract, AUniqueKeyIsFreedByCancellation) {
  for (const UniqueWhile during : {UniqueWhile::waiting, UniqueWhile::unfinished}) {
    const JobId first = add(unique(during));
    must(cancel(first));
    const JobId second = add(unique(during));
    EXPECT_NE(second, first);
    must(cancel(second));
  }
}

TEST_P(KeysContract, AUniqueKeyIsFreedByExpiry) {
  JobSpec brief = unique(UniqueWhile::unfinished);
  brief.expires_in = 1s;
  const JobId first = add(brief);
  advance(1s);
  sweep_moves(&Store::expire_waiting, 1);
  EXPECT_NE(put(unique(UniqueWhile::unfinished)).id, first);
}

TEST_P(KeysContract, AUniqueKeyIsHonouredWithinABatch) {
  const std::vector<Enqueued> entries = must(client().enqueue({unique(UniqueWhile::waiting), unique(UniqueWhile::waiting)}));
  EXPECT_EQ(entries.at(1).id, entries.at(0).id);
  EXPECT_EQ(list_all({}).size(), 1u);
}

TEST_P(KeysContract, AUniqueKeyEndsAtTheNamespace) {
  make_namespace("other");
  const JobId first = add(unique(UniqueWhile::unfinished));
  JobSpec elsewhere = unique(UniqueWhile::unfinished);
  elsewhere.ns = NamespaceName("other");
  EXPECT_NE(put(elsewhere).id, first);
}

TEST_P(KeysContract, AUniqueKeySurvivesARestart) {
  join();
  const JobId waiting = add(unique(UniqueWhile::waiting, "a"));
  const JobId running = add([](JobSpec& j) {
    j.unique = UniqueKey{"b", UniqueWhile::unfinished};
    j.priority = 1;
  });
  ASSERT_EQ(take_one().id, running);
  restart();
  EXPECT_EQ(put(unique(UniqueWhile::waiting, "a")).id, waiting);
  EXPECT_EQ(put(unique(UniqueWhile::unfinished, "b")).id, running);
}

TEST_P(KeysContract, AFreedUniqueKeyStaysFreeAfterARestart) {
  join();
  const JobId first = make_completed(unique(UniqueWhile::unfinished));
  restart();
  EXPECT_NE(put(unique(UniqueWhile::unfinished)).id, first);
}

TEST_P(KeysContract, ARedriveTakesTheUniqueKeyAgain) {
  join();
  const JobId first = make_dead(unique(UniqueWhile::unfinished));
  must(client().redrive(first));
  EXPECT_EQ(put(unique(UniqueWhile::unfinished)).id, first);
}

TEST_P(KeysContract, ARedriveIsRefusedWhileAnotherJobHoldsTheUniqueKey) {
  join();
  const JobId first = make_dead(unique(UniqueWhile::unfinished));
  const JobId second = add(unique(UniqueWhile::unfinished));
  ASSERT_NE(second, first);
  EXPECT_EQ(client().redrive(first).code(), Code::conflict);
  EXPECT_EQ(state(first), JobState::dead);
}

// A key that a wire keeps for its callers: the scope is part of the key, and not of what people read.
TEST_P(KeysContract, ARedriveIsRefusedWhileAnotherJobHoldsItsScopedKey) {
  join();
  const JobSpec scoped = unique(UniqueWhile::unfinished, std::string(kKagziKeys) + "order-1");
  const JobId first = make_dead(scoped);
  const JobId second = add(scoped);
  ASSERT_NE(second, first);
  const auto refused = client().redrive(first);
  EXPECT_EQ(refused.code(), Code::conflict);
  EXPECT_NE(refused.status().message().find("'order-1'"), std::string::npos) << refused.status().message();
  EXPECT_EQ(state(first), JobState::dead);
}

INSTANTIATE_TEST_SUITE_P(Stores, KeysContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
