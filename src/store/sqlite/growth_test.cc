// The index in memory grows with live jobs, not with lives.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/ask_testing.h"
#include "base/temp_folder_testing.h"
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

}  // namespace
}  // namespace muster::store::sqlite
