// History by days: made ahead, dropped whole, and trimmed by rows only where that is the smaller work.
#include "store/postgres/verbs/verbs_testing.h"

namespace muster::store::postgres {
namespace {

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

}  // namespace
}  // namespace muster::store::postgres
