// Contract: what is forgotten, what a backup holds, and the end of a store.
#include <filesystem>
#include <fstream>

#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class RetentionContract : public StoreContract {
 protected:
  void SetUp() override {
    StoreContract::SetUp();
    join(a_worker("w1", [](WorkerSpec& w) { w.slots = 100; }));
  }
  void prune(Retention retention) {
    constexpr int kPassesMax = 100;
    for (int i = 0; i < kPassesMax; ++i)
      if (!must(client().prune_finished(retention, kSweepLimit)).more) return;
    FAIL() << "pruning without an end";
  }
  bool there(JobId id) { return client().get_job(id).ok(); }
};

constexpr const char* kNoBackup = "backups of PostgreSQL are the server's own";
constexpr Duration kWeek = 24h * 7;
constexpr Duration kMonth = 24h * 30;

TEST_P(RetentionContract, FinishedJobsGoAtTheirAgeAndNotBefore) {
  const JobId completed = make_completed();
  const JobId cancelled = add();
  must(cancel(cancelled));
  const JobId dead = make_dead();
  const Retention retention{.completed_kept = kWeek, .dead_kept = kMonth, .finished_count_max = 1'000};
  advance(kWeek - 1ms);
  prune(retention);
  EXPECT_TRUE(there(completed));
  EXPECT_TRUE(there(cancelled));
  advance(1ms);
  prune(retention);
  EXPECT_FALSE(there(completed));
  EXPECT_FALSE(there(cancelled));
  EXPECT_TRUE(there(dead));
  advance(kMonth - kWeek);
  prune(retention);
  EXPECT_FALSE(there(dead));
}

TEST_P(RetentionContract, TheAgeCountsFromTheEnd) {
  const JobId id = add([](JobSpec& j) { j.lease_ttl = 24h; });
  advance(kWeek);
  must(beat());
  const Grant grant = take_one();
  must(complete(grant));
  advance(kWeek - 1ms);
  prune({});
  EXPECT_TRUE(there(id));
}

TEST_P(RetentionContract, LiveJobsAreNeverTouched) {
  const JobId running = add();
  take_one();
  const JobId ready = add();
  const JobId scheduled = add([](JobSpec& j) { j.delay = 24h * 365; });
  const JobId waiting = add([&](JobSpec& j) { j.after = {ready}; });
  advance(24h * 100);
  prune({.completed_kept = 0ms, .dead_kept = 0ms, .finished_count_max = 0});
  EXPECT_EQ(state(running), JobState::running);
  EXPECT_EQ(state(ready), JobState::ready);
  EXPECT_EQ(state(scheduled), JobState::scheduled);
  EXPECT_EQ(state(waiting), JobState::scheduled);
}

TEST_P(RetentionContract, MoreThanTheCountGoesOldestFirst) {
  std::vector<JobId> ids;
  for (int i = 0; i < 10; ++i) {
    ids.push_back(make_completed());
    advance(1s);
  }
  const JobId live = add();
  prune({.completed_kept = kWeek, .dead_kept = kMonth, .finished_count_max = 4});
  for (int i = 0; i < 6; ++i) EXPECT_FALSE(there(ids[static_cast<std::size_t>(i)])) << i;
  for (int i = 6; i < 10; ++i) EXPECT_TRUE(there(ids[static_cast<std::size_t>(i)])) << i;
  EXPECT_TRUE(there(live));
}

TEST_P(RetentionContract, PruningMovesNoMoreThanItsLimitAndSaysMore) {
  for (int i = 0; i < 5; ++i) make_completed();
  advance(kWeek);
  const SweepReport report = must(client().prune_finished({}, 2));
  if (client().in_doubt()) GTEST_SKIP() << "a lost answer hides how many rows one pass moved";
  EXPECT_EQ(report.moved, 2u);
  EXPECT_TRUE(report.more);
  EXPECT_EQ(list_all({}).size(), 3u);
  prune({});
  EXPECT_TRUE(list_all({}).empty());
}

TEST_P(RetentionContract, APrunedJobIsNotFoundByAnyVerb) {
  add();
  const Grant grant = take_one();
  must(complete(grant));
  advance(kWeek);
  prune({});
  EXPECT_EQ(client().get_job(grant.id).code(), Code::not_found);
  EXPECT_EQ(complete(grant).code(), Code::not_found);
  EXPECT_EQ(cancel(grant.id).code(), Code::not_found);
  EXPECT_EQ(client().redrive(grant.id).code(), Code::not_found);
  EXPECT_EQ(client().explain(grant.id).code(), Code::not_found);
  EXPECT_EQ(client().enqueue({a_job([&](JobSpec& j) { j.after = {grant.id}; })}).code(), Code::not_found);
}

TEST_P(RetentionContract, ARedrivenJobIsNotPrunedForItsOldEnd) {
  const JobId id = make_dead();
  advance(kMonth);
  must(client().redrive(id));
  prune({});
  EXPECT_EQ(state(id), JobState::ready);
}

TEST_P(RetentionContract, PruningSurvivesARestart) {
  const JobId id = make_completed();
  advance(kWeek);
  prune({});
  restart();
  EXPECT_FALSE(there(id));
}

TEST_P(RetentionContract, JobsThatFinishedBeforeARestartAreStillPruned) {
  const JobId id = make_completed();
  restart();
  advance(kWeek);
  prune({});
  EXPECT_FALSE(there(id));
}

TEST_P(RetentionContract, ABackupOpensAsAStoreWithTheSameJobs) {
  if (!harness().has_backup()) GTEST_SKIP() << kNoBackup;
  const JobId done = make_completed();
  const JobId running = add([](JobSpec& j) { j.payload = {std::string(50'000, 'p'), Encoding::bytes}; });
  const Grant grant = take_one();
  const JobId ready = add();
  const std::string path = harness().scratch_path("copy.backup");
  const BackupReport report = must(client().backup(path));
  EXPECT_EQ(report.path, path);
  EXPECT_GT(report.bytes, 0u);
  const JobId later = add();

  const auto copy = must(harness().open_backup(path));
  Client there_client(*copy);
  EXPECT_EQ(must(there_client.get_job(done)).state, JobState::completed);
  EXPECT_EQ(must(there_client.get_job(running)).state, JobState::running);
  EXPECT_EQ(must(there_client.get_job(running)).spec.payload.data.size(), 50'000u);
  EXPECT_EQ(must(there_client.get_job(ready)).state, JobState::ready);
  EXPECT_EQ(there_client.get_job(later).code(), Code::not_found);
  EXPECT_EQ(must(there_client.complete({lease_of(grant), std::nullopt})).state, JobState::completed);
  EXPECT_EQ(state(running), JobState::running);  // the original is another world
  must(copy->store().close());
}

TEST_P(RetentionContract, ABackupNeverOverwrites) {
  if (!harness().has_backup()) GTEST_SKIP() << kNoBackup;
  const std::string path = harness().scratch_path("taken.backup");
  std::ofstream(path) << "precious";
  EXPECT_EQ(client().backup(path).code(), Code::already_exists);
  std::string text;
  std::ifstream(path) >> text;
  EXPECT_EQ(text, "precious");
}

TEST_P(RetentionContract, ABackupThatCannotBeWrittenLeavesTheStoreAtWork) {
  if (!harness().has_backup()) GTEST_SKIP() << kNoBackup;
  const auto refused = client().backup(harness().scratch_path("no-such-folder/copy.backup"));
  EXPECT_FALSE(refused.ok());
  add();
  EXPECT_FALSE(idle());
}

TEST_P(RetentionContract, AStoreWithoutBackupsOfItsOwnNamesTheToolForThem) {
  if (harness().has_backup()) GTEST_SKIP() << "this store makes its own";
  const std::string path = harness().scratch_path("copy.backup");
  const auto refused = client().backup(path);
  EXPECT_EQ(refused.code(), Code::invalid_argument);
  EXPECT_NE(refused.status().message().find("pg_dump"), std::string::npos) << refused.status().text();
  EXPECT_FALSE(std::filesystem::exists(path));
  add();
  EXPECT_FALSE(idle());
}

TEST_P(RetentionContract, AClosedStoreAnswersUnavailable) {
  const JobId id = add();
  must(harness().store().close());
  EXPECT_EQ(client().enqueue({a_job()}).code(), Code::unavailable);
  EXPECT_EQ(client().claim(claim_of("w1")).code(), Code::unavailable);
  EXPECT_EQ(client().get_job(id).code(), Code::unavailable);
  EXPECT_EQ(client().list_jobs({}).code(), Code::unavailable);
  EXPECT_EQ(beat().code(), Code::unavailable);
  EXPECT_EQ(client().sweep(&Store::promote_due, 1).code(), Code::unavailable);
  EXPECT_EQ(client().list_namespaces().code(), Code::unavailable);
}

TEST_P(RetentionContract, ClosingTwiceIsOk) {
  must(harness().store().close());
  must(harness().store().close());
}

TEST_P(RetentionContract, CloseAnswersEverythingItAccepted) {
  if (harness().faulty()) GTEST_SKIP() << "the case makes raw calls, which nobody repeats";
  constexpr std::size_t kCalls = 200;
  std::atomic<std::size_t> answered = 0, accepted = 0;
  for (std::size_t i = 0; i < kCalls; ++i)
    harness().store().enqueue({a_job()}, [&](Result<std::vector<Enqueued>> reply) {
      if (reply.ok()) ++accepted;
      ++answered;
    });
  must(harness().store().close());
  EXPECT_EQ(answered, kCalls);
  EXPECT_EQ(accepted, kCalls);
  restart();
  EXPECT_EQ(list_all({}).size(), kCalls);
}

INSTANTIATE_TEST_SUITE_P(Stores, RetentionContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
