// The index in memory grows with live jobs, not with lives.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/ask_testing.h"
#include "base/temp_folder_testing.h"
#include "store/sqlite/db.h"
#include "store/sqlite/open_testing.h"

namespace muster::store::sqlite {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kBatch = 500;
constexpr std::size_t kLives = 40'000;
constexpr double kEntriesMax = 20'000;  // half an entry for each life

class Growth : public testing::Test {
 protected:
  void SetUp() override {
    store_ = open_for_test(folder_.path("muster.db"), clock_, metrics_, Threading::manual);
    WorkerSpec worker;
    worker.id = WorkerId("w1");
    worker.slots = kBatch;
    ASSERT_TRUE(ask<Each<Registered>>([&](auto reply) { store_->register_workers({worker}, std::move(reply)); }).ok());
  }
  template <class T, class Call>
  Result<T> ask(Call call) {
    return muster::ask<T>(std::move(call), [this] { return store_->pump(); });
  }
  std::vector<Enqueued> add(const JobSpec& job) {
    return *ask<std::vector<Enqueued>>([&](auto reply) { store_->enqueue(std::vector<JobSpec>(kBatch, job), std::move(reply)); });
  }
  void claim_and_complete() {
    ClaimRequest request;
    request.ns = NamespaceName(kDefaultNamespace);
    request.worker = WorkerId("w1");
    request.limit = kBatch;
    const auto claimed = ask<ClaimReply>([&](auto reply) { store_->claim(request, std::move(reply)); });
    ASSERT_EQ(claimed->grants.size(), kBatch);
    std::vector<Completion> outcomes;
    for (const Grant& grant : claimed->grants) outcomes.push_back({{grant.id, grant.fence}, std::nullopt});
    ASSERT_TRUE(ask<Each<Settled>>([&](auto reply) { store_->complete(outcomes, std::move(reply)); }).ok());
  }
  double entries() { return metrics_.gauge("muster_store_index_entries", "").value(); }

  TempFolder folder_;
  ManualClock clock_;
  Metrics metrics_;
  std::unique_ptr<SqliteStore> store_;
};

TEST_F(Growth, ATimeoutIsForgottenWithItsJob) {
  JobSpec job;
  job.type = JobType("work");
  job.timeout = 1h;
  for (std::size_t lived = 0; lived < kLives; lived += kBatch) {
    add(job);
    claim_and_complete();
  }
  EXPECT_LE(entries(), kEntriesMax);
}

TEST_F(Growth, ArrivalsBehindAJobThatWaitsForeverAreForgotten) {
  JobSpec stuck;
  stuck.type = JobType("stuck");
  stuck.needs = CapabilitySet({"tool:nobody-has"});
  ASSERT_TRUE(ask<std::vector<Enqueued>>([&](auto reply) { store_->enqueue({stuck}, std::move(reply)); }).ok());
  JobSpec job;
  job.type = JobType("work");
  for (std::size_t lived = 0; lived < kLives; lived += kBatch) {
    add(job);
    claim_and_complete();
  }
  EXPECT_LE(entries(), kEntriesMax);
}

TEST_F(Growth, JobsThatAreCancelledUnclaimedLeaveNothingBehind) {
  JobSpec job;
  job.type = JobType("work");
  job.expires_in = 24h;
  for (std::size_t lived = 0; lived < kLives; lived += kBatch) {
    std::vector<Cancel> batch;
    for (const Enqueued& each : add(job)) batch.push_back({each.id, "not wanted"});
    ASSERT_TRUE(ask<Each<Cancelled>>([&](auto reply) { store_->cancel(batch, std::move(reply)); }).ok());
  }
  EXPECT_LE(entries(), kEntriesMax);
}

// Types that come and go: lanes are forgotten with the jobs that needed them, in memory and in the rows.

using namespace std::chrono_literals;

constexpr std::size_t kFew = 3'000;  // the most lanes this store keeps

class LanesOverTime : public testing::Test {
 protected:
  void SetUp() override { open(); }
  void open() {
    store_.reset();
    Options options;
    options.path = folder_.path("muster.db");
    options.durability = Durability::normal;
    options.threading = Threading::manual;
    options.lanes_max = kFew;
    auto opened = SqliteStore::open(options, clock_, metrics_);
    ASSERT_TRUE(opened.ok()) << opened.status().text();
    store_ = std::move(*opened);
  }
  template <class T, class Call>
  Result<T> ask(Call call) {
    return muster::ask<T>(std::move(call), [this] { return store_->pump(); });
  }
  // So many jobs, each of a type of its own.
  Result<std::vector<Enqueued>> add(std::size_t from, std::size_t count) {
    std::vector<JobSpec> jobs(count);
    for (std::size_t i = 0; i < count; ++i) jobs[i].type = JobType(fmt::format("type-{}", from + i));
    return ask<std::vector<Enqueued>>([&](auto reply) { store_->enqueue(jobs, std::move(reply)); });
  }
  void end(const std::vector<Enqueued>& jobs) {
    std::vector<Cancel> batch;
    for (const Enqueued& job : jobs) batch.push_back({job.id, "done"});
    ASSERT_TRUE(ask<Each<Cancelled>>([&](auto reply) { store_->cancel(batch, std::move(reply)); }).ok());
  }
  std::size_t lives(std::size_t from, std::size_t count) {
    std::size_t lived = 0;
    for (std::size_t i = 0; i < count; i += 500) {
      const auto jobs = add(from + i, 500);
      if (!jobs.ok()) break;
      end(*jobs);
      lived += jobs->size();
    }
    return lived;
  }
  void prune(Retention retention) {
    for (int passes = 0; passes < 10'000; ++passes) {
      const auto report = ask<SweepReport>([&](auto reply) { store_->prune_finished(retention, 500, std::move(reply)); });
      ASSERT_TRUE(report.ok());
      if (!report->more) return;
    }
    FAIL() << "retention comes to an end";
  }
  std::string count_lanes() {
    auto file = Connection::open(folder_.path("muster.db"), OpenMode::read_only, "");
    return file.ok() ? (*file)->query_text("SELECT count(*) FROM lanes").value() : file.status().text();
  }

  TempFolder folder_;
  ManualClock clock_;
  Metrics metrics_;
  std::unique_ptr<SqliteStore> store_;
};

TEST_F(LanesOverTime, DistinctTypesOverTimeDoNotEndSubmission) { EXPECT_EQ(lives(0, 4 * kFew), 4 * kFew); }

TEST_F(LanesOverTime, NorDoThoseOfFinishedJobsAfterARestart) {
  EXPECT_EQ(lives(0, 2 * kFew), 2 * kFew);
  ASSERT_TRUE(store_->close().ok());
  open();
  EXPECT_EQ(lives(2 * kFew, 2 * kFew), 2 * kFew);
}

TEST_F(LanesOverTime, TooManyOfLiveJobsAreRefusedUntilSomeFinish) {
  std::vector<Enqueued> live;
  for (std::size_t i = 0; i < kFew; i += 500) {
    auto jobs = add(i, 500);
    ASSERT_TRUE(jobs.ok()) << jobs.status().text();
    live.insert(live.end(), jobs->begin(), jobs->end());
  }
  EXPECT_EQ(add(kFew, 1).status().code(), Code::exhausted);
  EXPECT_TRUE(add(0, 1).ok()) << "a lane that is known takes more";
  end({live[1]});
  EXPECT_TRUE(add(kFew, 1).ok());
}

TEST_F(LanesOverTime, AFinishedJobOfAForgottenLaneIsReadAndRedriven) {
  const auto first = add(0, 1);
  end(*first);
  lives(1, 2 * kFew);
  const auto read = ask<Each<Job>>([&](auto reply) { store_->get_jobs({first->front().id}, std::move(reply)); });
  ASSERT_TRUE(read->front().ok());
  EXPECT_EQ(read->front()->spec.type.text(), "type-0");
  const auto again = ask<Each<Settled>>([&](auto reply) { store_->redrive({first->front().id}, std::move(reply)); });
  EXPECT_EQ(again->front()->state, JobState::ready);
}

TEST_F(LanesOverTime, RowsOfLanesGoWithTheLastJobThatNamesThem) {
  const auto kept = add(0, 1);
  lives(1, 4 * kFew);
  prune({.completed_kept = 24h, .dead_kept = 24h, .finished_count_max = 1'000'000});
  clock_.advance(48h);
  const auto fresh = add(1, 1);  // needs a lane that only finished jobs name
  prune({.completed_kept = 24h, .dead_kept = 24h, .finished_count_max = 1'000'000});
  ASSERT_TRUE(store_->close().ok());
  EXPECT_EQ(count_lanes(), "2");
  open();
  const auto read = ask<Each<Job>>([&](auto reply) {
    store_->get_jobs({kept->front().id, fresh->front().id}, std::move(reply));
  });
  EXPECT_EQ(read->at(0)->spec.type.text(), "type-0");
  EXPECT_EQ(read->at(1)->spec.type.text(), "type-1");
}

}  // namespace

}  // namespace muster::store::sqlite
