// A group is written while the next one runs: what may be seen before it is durable, and what a failed write takes along.
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/metrics.h"
#include "store/sqlite/store.h"
#include "tests/sim/faulty_vfs.h"

namespace muster::sim {
namespace {

using store::sqlite::SqliteStore;

class Overlap : public ::testing::Test {
 protected:
  template <class T>
  using Answer = std::shared_ptr<std::optional<Result<T>>>;

  void SetUp() override {
    open();
    WorkerSpec worker;
    worker.id = WorkerId("w");
    worker.slots = 100;
    const auto registered = call<store::Each<store::Registered>>(&SqliteStore::register_workers, std::vector{worker});
    settle();
    ASSERT_TRUE(registered->has_value() && (*registered)->ok());
  }

  void open() {
    store::sqlite::Options options;
    options.path = "/t.db";
    options.threading = store::sqlite::Threading::manual;
    options.overlapped = true;
    options.redo_bytes = 16'000;
    options.vfs = vfs_.name();
    options.seed = 1;
    auto opened = SqliteStore::open(std::move(options), clock_, metrics_);
    ASSERT_TRUE(opened.ok()) << opened.status().text();
    store_ = std::move(opened).value();
  }

  template <class T, class Method, class... Args>
  Answer<T> call(Method method, Args... args) {
    auto answer = std::make_shared<std::optional<Result<T>>>();
    (*store_.*method)(std::move(args)..., [answer](Result<T> result) { answer->emplace(std::move(result)); });
    return answer;
  }
  void settle() {
    while (store_->pump()) {
    }
  }
  Answer<std::vector<store::Enqueued>> enqueue(Duration delay = Duration(0)) {
    JobSpec job;
    job.type = JobType("t");
    job.delay = delay;
    job.payload.data = std::string(200, '1');
    return call<std::vector<store::Enqueued>>(&SqliteStore::enqueue, std::vector{job});
  }
  Answer<store::ClaimReply> claim() {
    store::ClaimRequest request;
    request.ns = NamespaceName(kDefaultNamespace);
    request.worker = WorkerId("w");
    return call<store::ClaimReply>(&SqliteStore::claim, request);
  }
  Answer<store::Each<Job>> get(JobId job) { return call<store::Each<Job>>(&SqliteStore::get_jobs, std::vector{job}); }

  Disk disk_{Random(3)};
  FaultyVfs vfs_{"overlap", disk_};
  ManualClock clock_;
  Metrics metrics_;
  std::unique_ptr<SqliteStore> store_;
};

TEST_F(Overlap, AJobIsHandedOutWhenItIsDurableAndNotBefore) {
  const auto made = enqueue();
  store_->pump();
  EXPECT_FALSE(made->has_value()) << "its write is under way";
  const auto early = claim();
  store_->pump();
  ASSERT_TRUE(early->has_value() && (*early)->ok());
  EXPECT_TRUE((*early)->value().grants.empty());
  EXPECT_TRUE(made->has_value());
  const auto late = claim();
  store_->pump();
  ASSERT_TRUE(late->has_value() && (*late)->ok()) << "a claim waits for no write";
  EXPECT_EQ((*late)->value().grants.size(), 1u);
}

TEST_F(Overlap, AJobThatIsDueIsNotHandedOutBeforeItIsDurable) {
  const auto made = enqueue(Duration(5));
  store_->pump();
  clock_.advance(Duration(10));
  const auto early = claim();
  store_->pump();
  ASSERT_TRUE(early->has_value() && (*early)->ok());
  EXPECT_TRUE((*early)->value().grants.empty());
  const auto late = claim();
  store_->pump();
  EXPECT_EQ((*late)->value().grants.size(), 1u);
}

TEST_F(Overlap, AReadWaitsForWhatItSaw) {
  const auto first = enqueue();
  settle();
  const auto second = enqueue();
  store_->pump();
  const auto read = get((*first)->value().at(0).id);
  store_->pump();
  ASSERT_TRUE(second->has_value());
  ASSERT_TRUE(read->has_value()) << "with the group that was under way";
  const auto alone = get((*first)->value().at(0).id);
  store_->pump();
  EXPECT_TRUE(alone->has_value());
}

TEST_F(Overlap, AGroupThatCannotBeWrittenTakesThoseBehindItAlong) {
  const auto first = enqueue();
  store_->pump();
  const auto second = enqueue();
  const auto read = get(JobId());
  disk_.faults.sync_failure = 1;
  store_->pump();
  disk_.faults.sync_failure = 0;
  ASSERT_TRUE(first->has_value() && second->has_value() && read->has_value());
  EXPECT_EQ((*first)->code(), Code::outcome_unknown);
  EXPECT_EQ((*second)->code(), Code::unavailable) << "nothing of it was written";
  EXPECT_FALSE(store_->health().writable);
  const auto third = enqueue();
  settle();
  ASSERT_TRUE(third->has_value() && (*third)->ok());
  const auto grants = claim();
  settle();
  EXPECT_EQ((*grants)->value().grants.size(), 1u) << "only what was acknowledged";
}

// Folds come every few groups here, and each is under way while groups are written.
TEST_F(Overlap, ACrashAtAnyWriteOfAFoldLosesNothing) {
  constexpr std::uint64_t kWritesOfAFold = 80;
  std::vector<JobId> acknowledged;
  for (std::uint64_t dies_after = 1; dies_after <= kWritesOfAFold; ++dies_after) {
    std::vector<Answer<std::vector<store::Enqueued>>> answers;
    disk_.die_after(dies_after);
    for (int i = 0; i < 12 && !disk_.dead(); ++i) {
      answers.push_back(enqueue());
      store_->pump();
    }
    if (!disk_.dead()) settle();
    for (const auto& answer : answers)
      if (answer->has_value() && (*answer)->ok()) acknowledged.push_back((*answer)->value().at(0).id);
    disk_.kill();
    store_.reset();
    disk_.revive(dies_after % 2 == 0 ? Loss::torn : Loss::unsynced);
    open();
    for (const JobId& job : acknowledged) {
      const auto found = get(job);
      settle();
      ASSERT_TRUE((*found)->value().at(0).ok()) << "died after " << dies_after;
    }
  }
  EXPECT_GT(acknowledged.size(), 100u);
}

}  // namespace
}  // namespace muster::sim
