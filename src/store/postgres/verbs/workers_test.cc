// Workers and their beats where the database itself matters: crashes that empty tables, rows that others hold, batches with
// repeats.
#include <gtest/gtest.h>

#include "store/postgres/verbs/verbs_testing.h"
#include "store/postgres/verbs/worker_rows.h"

namespace muster::store::postgres {
namespace {

using namespace std::chrono_literals;

class BeatsTest : public VerbsTest {
 protected:
  Each<BeatReply> beat(const std::vector<Beat>& beats) {
    return call([&](Tx& tx) { return heartbeat(tx, beats); });
  }
};

TEST_F(BeatsTest, WorkersThatACrashOfTheDatabaseForgotAreNotSilent) {
  join(a_worker("w1"));
  give_lease(1, "w1", 30s, false);
  give_lease(2, "w1", 5s, true);
  run("TRUNCATE {schema}.beats");
  advance(1h);
  EXPECT_EQ(sweep(expire_leases), 0u);
  EXPECT_EQ(sweep(bury_silent_workers), 0u);
  EXPECT_EQ(ask("SELECT seen_at FROM {schema}.beats"), now_ms);
  // From here on silence counts again.
  advance(30s);
  EXPECT_EQ(sweep(expire_leases), 2u);
  EXPECT_EQ(sweep(bury_silent_workers), 1u);
  EXPECT_EQ(read("w1").state, WorkerState::offline);
}

TEST_F(BeatsTest, ALeaseThatWasOverAtTheBeatStaysOverAndIsSwept) {
  join(a_worker("w1"));
  give_lease(1, "w1", 30s, false);
  advance(30s);
  ASSERT_TRUE(beat({beat_of("w1")}).at(0).ok());
  EXPECT_EQ(ask("SELECT count(*) FROM {schema}.running WHERE lapsed"), 1);
  advance(10s);
  ASSERT_TRUE(beat({beat_of("w1")}).at(0).ok());
  EXPECT_EQ(sweep(expire_leases), 1u);
  EXPECT_EQ(ask("SELECT count(*) FROM {schema}.waiting WHERE place = 1 AND rescues = 1"), 1);
}

TEST_F(BeatsTest, AResumedWorkerWithAnotherPolicyKeepsItsLeasesAsGranted) {
  const Registered first = join(a_worker("w1"));
  give_lease(1, "w1", 30s, false);
  WorkerSpec spec = a_worker("w1");
  spec.resume = first.session;
  spec.policy = HeartbeatPolicy{1min, 24h};
  EXPECT_EQ(join(spec).session, first.session);
  advance(30s - 1ms);
  EXPECT_EQ(sweep(expire_leases), 0u);
  advance(1ms);
  EXPECT_EQ(sweep(expire_leases), 1u);
  EXPECT_EQ(sweep(bury_silent_workers), 0u);
}

TEST_F(BeatsTest, ABatchMayNameAWorkerTwiceAndOnceWithAnOldSession) {
  const Registered old = join(a_worker("w1"));
  join(a_worker("w1"));
  advance(1s);
  Beat late = beat_of("w1");
  late.session = old.session;
  late.stats = "old";
  Beat told = beat_of("w1");
  told.stats = "new";
  const Each<BeatReply> answers = beat({late, told, beat_of("w1")});
  EXPECT_EQ(answers.at(0).code(), Code::lease_lost);
  EXPECT_TRUE(answers.at(1).ok());
  EXPECT_TRUE(answers.at(2).ok());
  EXPECT_EQ(read("w1").stats, "new");
  EXPECT_EQ(to_ms(read("w1").last_seen_at), now_ms);
}

TEST_F(BeatsTest, ABatchMayRegisterANameTwice) {
  const auto answers = call([](Tx& tx) { return register_workers(tx, {a_worker("w1"), a_worker("w2"), a_worker("w1")}); });
  EXPECT_FALSE(answers.at(0)->replaced);
  EXPECT_FALSE(answers.at(1)->replaced);
  EXPECT_TRUE(answers.at(2)->replaced);
  EXPECT_EQ(read("w1").session, answers.at(2)->session);
  EXPECT_EQ(ask("SELECT count(*) FROM {schema}.workers"), 2);
}

TEST_F(BeatsTest, OneWorkerMoreThanThereMayBeIsRefused) {
  run(fmt::format(
      "INSERT INTO {{schema}}.workers (namespace, name, session, state, revision, slots, dead_after_ms, spec, registered_at, "
      "last_seen_at, offline_at) SELECT id, 'old-' || i, 1, 2, 1, 1, 1, '{{{{}}}}', 1, 1, 1 FROM {{schema}}.namespaces, "
      "generate_series(1, {}) AS i",
      limits::kWorkersMax - 1));
  const auto answers = call([](Tx& tx) { return register_workers(tx, {a_worker("last"), a_worker("one-too-many")}); });
  EXPECT_TRUE(answers.at(0).ok());
  EXPECT_EQ(answers.at(1).code(), Code::exhausted);
  EXPECT_TRUE(call([](Tx& tx) { return register_workers(tx, {a_worker("last")}); }).at(0).ok());  // known already
}

TEST_F(BeatsTest, CountsOfARowThatSomebodyHoldsAreWrittenTheNextTime) {
  join(a_worker("w1"));
  const auto key = static_cast<WorkerKey>(ask("SELECT id FROM {schema}.workers"));
  member->node.directory.count_worker(key, true);
  run("BEGIN; SELECT 1 FROM {schema}.beats FOR UPDATE");
  EXPECT_EQ(read("w1").completed, 0u);
  run("ROLLBACK");
  EXPECT_EQ(read("w1").completed, 1u);
  EXPECT_EQ(read("w1").completed, 1u);
}

TEST_F(BeatsTest, ABeatThatComesInAfterTheEndChangesNothing) {
  join(a_worker("w1"));
  const auto key = ask("SELECT id FROM {schema}.workers");
  ASSERT_TRUE(call([](Tx& tx) {
                return unregister(tx, {{NamespaceName(kDefaultNamespace), WorkerId("w1"), std::nullopt}});
              })
                  .at(0)
                  .ok());
  const Instant last = read("w1").last_seen_at;
  advance(1s);
  run(fmt::format("INSERT INTO {{schema}}.beats (worker, seen_at, completed) VALUES ({}, {}, 7)", key, now_ms));
  EXPECT_EQ(read("w1").last_seen_at, last);
  EXPECT_EQ(read("w1").completed, 0u);
  EXPECT_EQ(sweep(bury_silent_workers), 0u);
  EXPECT_EQ(call([](Tx& tx) { return prune_workers(tx, 0ms, 10); }).moved, 1u);
  EXPECT_EQ(ask("SELECT count(*) FROM {schema}.beats"), 0);
}

TEST_F(BeatsTest, ALeaseThatSlippedThroughTheEndOfItsWorkerIsRescued) {
  join(a_worker("w1"));
  ASSERT_TRUE(call([](Tx& tx) {
                return unregister(tx, {{NamespaceName(kDefaultNamespace), WorkerId("w1"), std::nullopt}});
              })
                  .at(0)
                  .ok());
  give_lease(1, "w1", 30s, false);
  EXPECT_EQ(call([](Tx& tx) { return prune_workers(tx, 0ms, 10); }).moved, 0u);
  EXPECT_EQ(sweep(expire_leases), 0u);
  advance(30s);
  EXPECT_EQ(sweep(expire_leases), 1u);
  EXPECT_EQ(call([](Tx& tx) { return prune_workers(tx, 0ms, 10); }).moved, 1u);
}

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

TEST(LeasePairs, AnEmptyTextHasNone) { EXPECT_EQ(lease_pairs(""), Pairs{}); }

TEST(LeasePairs, ReadsEveryPairInOrder) {
  EXPECT_EQ(lease_pairs("12:90 13:91 9223372036854775807:1"), (Pairs{{12, 90}, {13, 91}, {INT64_MAX, 1}}));
}

TEST(LeasePairs, StopsAtWhatIsNoPair) {
  EXPECT_EQ(lease_pairs("12:90 13"), (Pairs{{12, 90}}));
  EXPECT_EQ(lease_pairs("x:1"), Pairs{});
}

}  // namespace

}  // namespace muster::store::postgres
