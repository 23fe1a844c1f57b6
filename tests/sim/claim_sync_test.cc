// A claim costs no sync of its own: losing it with the machine is a redelivery. Everything else that is acknowledged is synced.
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/metrics.h"
#include "store/sqlite/db.h"
#include "store/sqlite/store.h"
#include "tests/sim/faulty_vfs.h"

namespace muster::sim {
namespace {

using store::sqlite::SqliteStore;

class ClaimSync : public ::testing::Test {
 protected:
  void SetUp() override {
    open();
    enlist();
  }

  void open() {
    store::sqlite::Options options;
    options.path = "/t.db";
    options.threading = store::sqlite::Threading::manual;
    options.vfs = vfs_.name();
    options.seed = 1;
    auto opened = SqliteStore::open(std::move(options), clock_, metrics_);
    ASSERT_TRUE(opened.ok()) << opened.status().text();
    store_ = std::move(opened).value();
  }

  void enlist() {
    WorkerSpec worker;
    worker.id = WorkerId("w");
    worker.slots = 100;
    const auto registered = done<store::Each<store::Registered>>(&SqliteStore::register_workers, std::vector{worker});
    ASSERT_TRUE(registered.ok() && registered->at(0).ok());
  }

  void lose_power(Loss loss = Loss::unsynced) {
    disk_.kill();
    store_.reset();
    disk_.revive(loss);
    open();
  }

  template <class T, class Method, class... Args>
  Result<T> done(Method method, Args... args) {
    std::optional<Result<T>> answer;
    (*store_.*method)(std::move(args)..., [&answer](Result<T> result) { answer.emplace(std::move(result)); });
    while (store_->pump()) {
    }
    return *std::move(answer);
  }

  Result<std::vector<store::Enqueued>> try_enqueue() {
    JobSpec job;
    job.type = JobType("t");
    job.payload.data = "{}";
    return done<std::vector<store::Enqueued>>(&SqliteStore::enqueue, std::vector{job});
  }
  JobId enqueue() { return try_enqueue()->at(0).id; }

  Grant claim() {
    store::ClaimRequest request;
    request.ns = NamespaceName(kDefaultNamespace);
    request.worker = WorkerId("w");
    return done<store::ClaimReply>(&SqliteStore::claim, request)->grants.at(0);
  }

  JobState state_of(JobId job) { return done<store::Each<Job>>(&SqliteStore::get_jobs, std::vector{job})->at(0)->state; }

  bool is_there(JobId job) { return done<store::Each<Job>>(&SqliteStore::get_jobs, std::vector{job})->at(0).ok(); }

  // What SQLite itself finds wrong with the file.
  std::string damage() {
    auto connection = store::sqlite::Connection::open("/t.db", store::sqlite::OpenMode::read_write, vfs_.name());
    return connection.ok() ? (*connection)->query_text("PRAGMA integrity_check").value() : connection.status().text();
  }

  Disk disk_{Random(3)};
  FaultyVfs vfs_{"claim-sync", disk_};
  ManualClock clock_;
  Metrics metrics_;
  std::unique_ptr<SqliteStore> store_;
};

TEST_F(ClaimSync, OnlyWhatIsAcknowledgedWaitsForTheDisk) {
  std::uint64_t before = disk_.syncs();
  enqueue();
  EXPECT_GT(disk_.syncs(), before);
  before = disk_.syncs();
  const Grant grant = claim();
  EXPECT_EQ(disk_.syncs(), before);
  const store::Completion completion{{grant.id, grant.fence}, Content{"1", Encoding::json}};
  ASSERT_TRUE(done<store::Each<store::Settled>>(&SqliteStore::complete, std::vector{completion})->at(0).ok());
  EXPECT_GT(disk_.syncs(), before);
}

TEST_F(ClaimSync, AClaimThatIsLostWithTheMachineIsGivenAgainUnderALaterFence) {
  const JobId job = enqueue();
  const Grant lost = claim();
  lose_power();
  EXPECT_EQ(state_of(job), JobState::ready);
  enlist();
  const Grant again = claim();
  EXPECT_EQ(again.id, job);
  EXPECT_GT(again.fence, lost.fence);
}

TEST_F(ClaimSync, WhatIsAcknowledgedAfterAClaimMakesItDurableToo) {
  const JobId job = enqueue();
  claim();
  enqueue();
  lose_power();
  EXPECT_EQ(state_of(job), JobState::running);
}

// The claim is in the log, unsynced, when the sync that should take it along fails and loses some of it.
TEST_F(ClaimSync, ACrashWhileTheLogIsStartedOverAfterAFailedSyncLosesNothing) {
  constexpr std::uint64_t kMoreThanItTakes = 60;  // writes and syncs of starting over
  for (std::uint64_t dies_after = 1; dies_after <= kMoreThanItTakes; ++dies_after) {
    std::vector<JobId> jobs;
    for (int i = 0; i < 30; ++i) jobs.push_back(enqueue());
    for (int i = 0; i < 10; ++i) claim();
    disk_.faults.sync_failure = 1;
    EXPECT_FALSE(try_enqueue().ok());
    disk_.faults.sync_failure = 0;
    disk_.die_after(dies_after);
    static_cast<void>(try_enqueue());
    lose_power(Loss::torn);
    ASSERT_EQ(damage(), "ok") << "died after " << dies_after;
    for (const JobId& job : jobs) ASSERT_TRUE(is_there(job)) << "died after " << dies_after;
    enlist();
  }
}

}  // namespace
}  // namespace muster::sim
