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

// History by days: made ahead, dropped whole, and trimmed by rows only where that is the smaller work.

using namespace std::chrono_literals;

constexpr std::int64_t kLarge = 20'001;  // one row more than a day may have that is trimmed
constexpr Retention kWeek{.completed_kept = 24h * 7, .dead_kept = 24h * 30, .finished_count_max = 1'000'000};

class RetentionDaysTest : public VerbsTest {
 protected:
  SweepReport prune(const Retention& retention = kWeek, std::size_t limit = 500) {
    return call([&](Tx& tx) { return prune_finished(tx, retention, limit); });
  }
  std::size_t prune_all(const Retention& retention = kWeek) {
    constexpr int kPassesMax = 200;
    std::size_t moved = 0;
    for (int i = 0; i < kPassesMax; ++i) {
      const SweepReport report = prune(retention);
      moved += report.moved;
      if (!report.more) return moved;
    }
    ADD_FAILURE() << "pruning without an end";
    return moved;
  }
  void finish_jobs(std::int64_t first, std::int64_t count, std::int64_t at_ms) {
    run(
        fmt::format("INSERT INTO {{schema}}.history (id, finished_at, created_at, lane, attempt, rescues, state, flags, "
                    "priority, event, payload) "
                    "SELECT i, {}, 1, 1, 1, 0, 3, 0, 0, 3, '' FROM generate_series({}, {}) AS i",
                    at_ms, first, first + count - 1));
  }
  void add_keys(std::int64_t first, std::int64_t count) {
    run(
        fmt::format("INSERT INTO {{schema}}.idempotency (namespace, key, job) SELECT 1, ('k' || i)::bytea, i FROM "
                    "generate_series({}, {}) AS i",
                    first, first + count - 1));
  }
  // With one step and one signal each; state: 3 completed, 5 cancelled.
  void finish_runs(std::int64_t first, std::int64_t count, std::int64_t at_ms, int state) {
    const std::int64_t last = first + count - 1;
    run(
        fmt::format("INSERT INTO {{schema}}.history (id, finished_at, created_at, lane, attempt, rescues, state, flags, "
                    "priority, event, payload) "
                    "SELECT i, {}, 1, 1, 1, 0, {}, 128, 0, 3, '' FROM generate_series({}, {}) AS i",
                    at_ms, state, first, last));
    add_steps(first, count);
  }
  void add_steps(std::int64_t first, std::int64_t count) {
    const std::int64_t last = first + count - 1;
    run(fmt::format(
        "INSERT INTO {{schema}}.steps (job, place, attempt, kind, state, flags, begun_at, fence, worker, name, signal) "
        "SELECT i, 1, 1, 0, 2, 0, 1, 1, '', 'a', '' FROM generate_series({}, {}) AS i",
        first, last));
    run(
        fmt::format("INSERT INTO {{schema}}.signals (job, place, flags, name, data) "
                    "SELECT i, 1, 0, 'go', '' FROM generate_series({}, {}) AS i",
                    first, last));
  }
  std::int64_t steps() { return ask("SELECT count(*) FROM {schema}.steps"); }
  std::int64_t signals() { return ask("SELECT count(*) FROM {schema}.signals"); }
  std::int64_t finished() { return ask("SELECT count(*) FROM {schema}.history"); }
  std::int64_t keys() { return ask("SELECT count(*) FROM {schema}.idempotency"); }
  std::int64_t days() { return ask("SELECT count(*) - 1 FROM pg_inherits WHERE inhparent = '{schema}.history'::regclass"); }
};

TEST_F(RetentionDaysTest, TodayAndTheNextTwoDaysAreThereAheadOfTheirRows) {
  EXPECT_FALSE(prune().more);
  EXPECT_EQ(days(), 3);
  finish_jobs(1, 1, now_ms);
  EXPECT_EQ(ask("SELECT count(*) FROM {schema}.history_rest"), 0);
  advance(24h);
  prune();
  EXPECT_EQ(days(), 4);
}

TEST_F(RetentionDaysTest, TodayBeginsBehindItsRowsThatAreInTheDefaultPartition) {
  finish_jobs(1, 3, now_ms);
  EXPECT_FALSE(prune().more);
  EXPECT_EQ(days(), 3);
  finish_jobs(4, 1, now_ms + 1);
  EXPECT_EQ(ask("SELECT count(*) FROM {schema}.history_rest"), 4);
  finish_jobs(5, 1, now_ms + 120'000);
  EXPECT_EQ(ask("SELECT count(*) FROM {schema}.history_rest"), 4);
  advance(24h * 7);
  EXPECT_EQ(prune_all(), 3u);
  EXPECT_EQ(finished(), 2);
}

TEST_F(RetentionDaysTest, ALargeOldDayGoesAtOnceWithItsKeys) {
  prune();
  finish_jobs(1, kLarge, now_ms);
  add_keys(1, 12);
  add_keys(kLarge + 1, 1);  // of a job that lives
  advance(24h * 8);
  EXPECT_EQ(prune_all(), static_cast<std::size_t>(kLarge));
  EXPECT_EQ(finished(), 0);
  EXPECT_EQ(keys(), 1);
}

TEST_F(RetentionDaysTest, KeysOfADayThatGoesAreRemovedInSteps) {
  prune();
  finish_jobs(1, kLarge, now_ms);
  add_keys(1, 15'000);
  advance(24h * 8);
  const SweepReport first = prune();
  EXPECT_EQ(first.moved, 0u);
  EXPECT_TRUE(first.more);
  EXPECT_EQ(keys(), 5'000);
  EXPECT_EQ(prune_all(), static_cast<std::size_t>(kLarge));
  EXPECT_EQ(keys(), 0);
}

TEST_F(RetentionDaysTest, ALargeOldDayTakesTheStepsAndSignalsOfItsRunsAlong) {
  prune();
  finish_runs(1, kLarge, now_ms, 3);
  finish_runs(kLarge + 1, 5, now_ms, 5);
  add_steps(kLarge + 6, 1);  // of a run that lives
  advance(24h * 8);
  prune_all();
  EXPECT_EQ(finished(), 0);
  EXPECT_EQ(steps(), 1);
  EXPECT_EQ(signals(), 1);
}

TEST_F(RetentionDaysTest, RunsThatGoOneByOneTakeTheirStepsAndSignalsAlong) {
  prune();
  finish_runs(1, 10, now_ms, 3);
  finish_runs(11, 10, now_ms + 1, 5);
  advance(24h * 7);
  EXPECT_EQ(prune_all(), 10u);
  EXPECT_EQ(steps(), 10);
  EXPECT_EQ(signals(), 10);
  EXPECT_EQ(ask("SELECT min(job) FROM {schema}.steps"), 11);
}

TEST_F(RetentionDaysTest, ALargeDayThatIsPartlyOldWaitsUntilAllOfItIs) {
  prune();
  finish_jobs(1, kLarge, now_ms);
  advance(24h * 7);
  EXPECT_EQ(prune_all(), 0u);
  EXPECT_EQ(finished(), kLarge);
  advance(12h - 2ms);  // the day's last millisecond is not old yet
  EXPECT_EQ(prune_all(), 0u);
  advance(1ms);
  EXPECT_EQ(prune_all(), static_cast<std::size_t>(kLarge));
}

TEST_F(RetentionDaysTest, ASmallDayIsTrimmedToTheMillisecond) {
  prune();
  finish_jobs(1, 10, now_ms);
  finish_jobs(11, 10, now_ms + 1);
  advance(24h * 7);
  EXPECT_EQ(prune_all(), 10u);
  EXPECT_EQ(finished(), 10);
}

TEST_F(RetentionDaysTest, ADayThatSomebodyWritesForTooLongLosesItsRowsInstead) {
  prune();
  finish_jobs(1, kLarge, now_ms);
  add_keys(1, 3);
  advance(24h * 8);
  run("BEGIN; LOCK TABLE {schema}.history IN ROW EXCLUSIVE MODE");
  const SweepReport report = prune();
  run("ROLLBACK");
  EXPECT_EQ(report.moved, 500u);
  EXPECT_TRUE(report.more);
  EXPECT_EQ(finished(), kLarge - 500);
  EXPECT_EQ(keys(), 0);
  prune_all();
  EXPECT_EQ(finished(), 0);
}

TEST_F(RetentionDaysTest, TooManyGoByArrivalTheDeadAmongThem) {
  prune();
  finish_jobs(1, 10, now_ms);
  run("INSERT INTO {schema}.dead (id, finished_at, created_at, lane, attempt, rescues, state, flags, priority, event, payload) "
      "SELECT i, 1700000000000, 1, 1, 1, 0, 4, 0, 0, 0, '' FROM generate_series(-2, 0) AS i");
  add_keys(-2, 13);
  const Retention few{.completed_kept = 24h * 365, .dead_kept = 24h * 365, .finished_count_max = 8};
  EXPECT_EQ(prune(few, 2).moved, 2u);
  EXPECT_TRUE(prune(few, 2).more);
  EXPECT_EQ(prune_all(few), 1u);
  EXPECT_EQ(ask("SELECT count(*) FROM {schema}.dead"), 0);
  EXPECT_EQ(ask("SELECT min(id) FROM {schema}.history"), 3);
  EXPECT_EQ(keys(), 8);
  EXPECT_EQ(prune_all({.completed_kept = 24h * 365, .dead_kept = 24h * 365, .finished_count_max = 9}), 0u);
}

// Types that come and go: the bound on lanes counts those of live jobs.

class LanesOverTime : public VerbsTest {
 protected:
  // As many lanes as there may be of live jobs, each of a type of its own.
  void fill() {
    a_lane(member->node);
    run("INSERT INTO {schema}.lanes (queue, type, needs, special) "
        "SELECT (SELECT min(id) FROM {schema}.queues), 'type-' || i, '', false FROM generate_series(1, 200000) AS i; "
        "UPDATE {schema}.meta SET value = (value::bigint + 1)::text WHERE name = 'directory_version'");
  }
  Code a_new_lane() {
    return call([](Tx& tx) {
      return tx.lane_for(*tx.namespace_key(NamespaceName(kDefaultNamespace)), QueueName(kDefaultQueue), JobType("new"), {}, false)
          .status()
          .code();
    });
  }
};

TEST_F(LanesOverTime, ThoseThatNoLiveJobNeedsDoNotEndSubmission) {
  fill();
  EXPECT_EQ(a_new_lane(), Code::unavailable) << "it is being made";
}

TEST_F(LanesOverTime, TooManyOfLiveJobsAreRefused) {
  fill();
  run("INSERT INTO {schema}.waiting (id, rank, created_at, run_at, lane, stand, attempt, rescues, place, flags, priority, event, "
      "special, "
      "payload) SELECT id, 0, 0, 0, id, id, 0, 0, 1, 0, 0, 0, false, '' FROM {schema}.lanes");
  EXPECT_EQ(a_new_lane(), Code::exhausted);
}

}  // namespace

}  // namespace muster::store::postgres
