// Sweeps among several nodes: a deposed leader's pass moves nothing, and nobody waits for rows that another one moves.
#include "store/postgres/verbs/verbs_testing.h"

namespace muster::store::postgres {
namespace {

using namespace std::chrono_literals;

class SweepsTest : public VerbsTest {
 protected:
  void schedule(std::int64_t job, std::int64_t run_at) {
    const LanePtr lane = a_lane(member->node);
    run(
        fmt::format("INSERT INTO {{schema}}.waiting (id, rank, created_at, run_at, lane, stand, attempt, rescues, place, flags, "
                    "priority, event, "
                    "special, expires_at, payload) VALUES ({0}, 0, 0, {1}, {2}, {2}, 0, 0, 0, 0, 0, 0, false, {1} + 1, '')",
                    job, run_at, lane->key));
  }
};

TEST_F(SweepsTest, ADeposedLeadersLatePassMovesNothing) {
  join(a_worker("w1"));
  give_lease(1, "w1", 5s, true);
  schedule(2, now_ms - 10);
  run("UPDATE {schema}.running SET times_out_at = 1");
  run("UPDATE {schema}.workers SET drain_deadline = 1, state = 1");
  run("INSERT INTO {schema}.workers (namespace, name, session, state, revision, slots, dead_after_ms, spec, registered_at, "
      "last_seen_at, "
      "offline_at) SELECT id, 'gone', 1, 2, 1, 1, 1, '{}', 1, 1, 1 FROM {schema}.namespaces");
  run("INSERT INTO {schema}.dead (id, finished_at, created_at, lane, attempt, rescues, state, flags, priority, event, payload) "
      "VALUES (3, 1, 1, 1, 0, 0, 4, 0, 0, 0, '')");
  const auto other = a_node("other");
  run("UPDATE {schema}.leader SET expires_at = 0");
  lead(*other);
  advance(1h);
  const auto all = [&] {
    return sweep(expire_leases) + sweep(time_out_jobs) + sweep(expire_waiting) + sweep(end_preferences) +
           sweep(bury_silent_workers) + sweep(end_drains) + call([](Tx& tx) { return prune_finished(tx, {}, 10); }).moved +
           call([](Tx& tx) { return prune_workers(tx, 0ms, 10); }).moved;
  };
  EXPECT_EQ(all(), 0u);
  EXPECT_EQ(ask("SELECT (SELECT count(*) FROM {schema}.running) + (SELECT count(*) FROM {schema}.waiting) + "
                "(SELECT count(*) FROM {schema}.dead) + (SELECT count(*) FROM {schema}.workers)"),
            5);
  run("UPDATE {schema}.leader SET expires_at = 0");
  lead(*member);
  EXPECT_GE(all(), 4u);
}

TEST_F(SweepsTest, APromotionPassesOverWhatAnotherOneMoves) {
  schedule(1, now_ms);
  schedule(2, now_ms);
  schedule(3, now_ms + 1);
  run("BEGIN; SELECT 1 FROM {schema}.waiting WHERE id = 1 FOR UPDATE");
  const SweepReport report = call([](Tx& tx) { return promote_due(tx, 100); });
  EXPECT_EQ(report.moved, 1u);
  EXPECT_EQ(sweep(promote_due), 0u);
  EXPECT_FALSE(call([](Tx& tx) { return promote_due(tx, 100); }).more);
  run("ROLLBACK");
  EXPECT_EQ(sweep(promote_due), 1u);
  const SweepReport last = call([](Tx& tx) { return promote_due(tx, 100); });
  EXPECT_EQ(last.moved, 0u);
  ASSERT_TRUE(last.next_due);
  EXPECT_EQ(to_ms(*last.next_due), now_ms + 1);
  EXPECT_EQ(member->node.next_due_ms.load(), now_ms + 1);
}

TEST_F(SweepsTest, APreferenceThatEndedIsNotLookedAtAgain) {
  schedule(1, now_ms + 1'000);
  run(fmt::format("INSERT INTO {{schema}}.wishes (job, namespace, prefer, prefer_until) VALUES (1, 1, 'label:zone=a', {})",
                  now_ms + 1));
  const SweepReport before = call([](Tx& tx) { return end_preferences(tx, 10); });
  ASSERT_TRUE(before.next_due);
  EXPECT_EQ(to_ms(*before.next_due), now_ms + 1);
  advance(1ms);
  const SweepReport after = call([](Tx& tx) { return end_preferences(tx, 10); });
  EXPECT_EQ(after.moved, 0u);
  EXPECT_FALSE(after.next_due);
  EXPECT_EQ(ask("SELECT count(*) FROM {schema}.wishes WHERE prefer IS NULL"), 1);
}

}  // namespace
}  // namespace muster::store::postgres
