// A group is written while the next one runs: what may be seen before it is durable, and what a failed write takes along.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "base/clock.h"
#include "base/metrics.h"
#include "store/sqlite/store.h"
#include "tests/sim/faulty_vfs.h"
#include "tests/sim/timeline.h"

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
    worker.slots = 2'000;
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
  void pass(Duration time) { clock_.move_to(clock_.since_start() + time); }
  void settle() {
    while (store_->pump()) {
    }
  }
  Answer<std::vector<store::Enqueued>> enqueue(std::vector<JobSpec> jobs) {
    return call<std::vector<store::Enqueued>>(&SqliteStore::enqueue, std::move(jobs));
  }
  Answer<std::vector<store::Enqueued>> enqueue(Duration delay = Duration(0)) {
    JobSpec job;
    job.type = JobType("t");
    job.delay = delay;
    job.payload.data = std::string(200, '1');
    return enqueue(std::vector{job});
  }
  Answer<store::ClaimReply> claim(std::size_t limit = 1) {
    store::ClaimRequest request;
    request.ns = NamespaceName(kDefaultNamespace);
    request.worker = WorkerId("w");
    request.limit = limit;
    return call<store::ClaimReply>(&SqliteStore::claim, request);
  }
  std::vector<Grant> claimed(std::size_t limit) {
    const auto reply = claim(limit);
    settle();
    return (*reply)->value().grants;
  }
  void complete(std::span<const Grant> grants) {
    std::vector<store::Completion> batch;
    for (const Grant& grant : grants) batch.push_back({.lease = {grant.id, grant.fence}, .result = {}});
    call<store::Each<store::Settled>>(&SqliteStore::complete, std::move(batch));
  }
  void change_queue(QueueChange change) {
    change.ns = NamespaceName(kDefaultNamespace);
    call<QueueStats>(&SqliteStore::change_queue, std::move(change));
  }
  Answer<store::Each<Job>> get(JobId job) { return call<store::Each<Job>>(&SqliteStore::get_jobs, std::vector{job}); }

  Disk disk_{Random(3)};
  FaultyVfs vfs_{"overlap", disk_};
  SimClock clock_;
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

TEST_F(Overlap, ARenewalWaitsForNoWriteUnlessItChangesTheLease) {
  enqueue();
  settle();
  const auto grants = claimed(1);
  ASSERT_EQ(grants.size(), 1U);
  const auto renew = [&](std::optional<Duration> ttl) {
    return call<store::Each<store::Renewed>>(&SqliteStore::renew,
                                             std::vector{store::Renewal{{grants[0].id, grants[0].fence}, ttl}});
  };
  enqueue();
  store_->pump();  // its write is under way
  const auto same = renew(std::nullopt);
  const auto longer = renew(Duration(60'000));
  store_->pump();
  ASSERT_TRUE(same->has_value());
  EXPECT_TRUE((*same)->value()[0].ok());
  EXPECT_FALSE(longer->has_value());
  settle();
  EXPECT_TRUE(longer->has_value());
}

TEST_F(Overlap, AJobThatIsDueIsNotHandedOutBeforeItIsDurable) {
  const auto made = enqueue(Duration(5));
  store_->pump();
  pass(Duration(10));
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

// Lanes are forgotten in bulk once more than a thousand have no live jobs, and ends of jobs name them until they are durable.
TEST_F(Overlap, LanesOutliveTheGroupsThatNameThem) {
  std::vector<JobSpec> jobs(1'200);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].type = JobType("t" + std::to_string(i));
    jobs[i].queue = QueueName("q");
  }
  enqueue(jobs);
  settle();
  const std::vector<Grant> grants = claimed(jobs.size());
  ASSERT_EQ(grants.size(), jobs.size());
  complete(std::span(grants).first(600));
  store_->pump();
  complete(std::span(grants).subspan(600));
  store_->pump();
  settle();
  QueueChange one;
  one.queue = QueueName("q");
  one.running_max = 1;
  change_queue(one);
  enqueue({jobs[0], jobs[1]});
  settle();
  EXPECT_EQ(claimed(2).size(), 1u) << "all that ran in the queue have ended";
}

TEST_F(Overlap, ACapCountsWhatEndsInAGroupThatIsNotDurable) {
  enqueue();
  enqueue();
  settle();
  const std::vector<Grant> grants = claimed(2);
  ASSERT_EQ(grants.size(), 2u);
  complete(std::span(grants).first(1));
  store_->pump();
  QueueChange one;
  one.queue = QueueName(kDefaultQueue);
  one.running_max_by_type = {{"t", 1}};
  change_queue(one);
  enqueue();
  settle();
  EXPECT_TRUE(claimed(1).empty()) << "the second one runs";
  complete(std::span(grants).last(1));
  settle();
  EXPECT_EQ(claimed(1).size(), 1u);
}

TEST_F(Overlap, ARecordThatFillsTheDiskMakesRoomForOthersAgain) {
  const auto first = enqueue();
  settle();
  ASSERT_TRUE((*first)->ok());
  disk_.faults.room = 400'000;
  JobSpec large;
  large.type = JobType("t");
  large.payload.data = std::string(600'000, '1');
  const auto refused = enqueue({large});
  settle();
  ASSERT_TRUE(refused->has_value());
  EXPECT_EQ((*refused)->code(), Code::unavailable);
  const auto small = enqueue();
  settle();
  ASSERT_TRUE(small->has_value());
  EXPECT_TRUE((*small)->ok()) << (*small)->status().text();
}

TEST_F(Overlap, ABackupThatWouldLackWhatWasAcknowledgedIsRefused) {
  disk_.faults.full = true;
  const auto made = enqueue();
  settle();
  ASSERT_TRUE((*made)->ok()) << "a redo file has its length already";
  const auto backup = call<store::BackupReport>(&SqliteStore::backup, std::string("/b.db"));
  settle();
  ASSERT_TRUE(backup->has_value());
  EXPECT_EQ((*backup)->code(), Code::unavailable);
  EXPECT_NE((*backup)->status().message().find("not seen here"), std::string::npos) << (*backup)->status().text();
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

// What was told of jobs, in its order.
struct Telling final : store::Listener {
  void committed(const store::Committed& commit) override {
    for (const JobChange& change : commit.jobs) told.push_back(change);
  }
  std::vector<JobChange> of(JobId job) const {
    std::vector<JobChange> out;
    std::copy_if(told.begin(), told.end(), std::back_inserter(out), [&](const JobChange& change) { return change.id == job; });
    return out;
  }
  std::vector<JobChange> told;
};

// A job becomes due in memory with the next group. When that group fails, nobody has heard of it.
TEST_F(Overlap, AJobThatBecameDueInAGroupThatFailedIsToldToBeDueBeforeItIsClaimed) {
  Telling telling;
  store_->set_listener(&telling);
  const auto made = enqueue(Duration(1'000));
  settle();
  const JobId job = (*made)->value()[0].id;
  pass(Duration(2'000));
  disk_.faults.sync_failure = 1;
  const auto failed = enqueue();
  settle();
  ASSERT_FALSE((*failed)->ok());
  disk_.faults.sync_failure = 0;
  settle();
  EXPECT_EQ(claimed(10).size(), 1u);
  complete({});
  settle();
  const auto changes = telling.of(job);
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[1].event, JobEvent::due);
  EXPECT_EQ(changes[2].event, JobEvent::claimed);
  EXPECT_EQ(changes[2].from, JobState::ready);
  store_->set_listener(nullptr);
}

// The wall clock may be set back; what was told stays.
TEST_F(Overlap, AJobThatWasToldToBeDueStaysReadyWhenTheClockIsSetBackAndAGroupFails) {
  const auto made = enqueue(Duration(1'000));
  settle();
  pass(Duration(2'000));
  enqueue();
  settle();
  clock_.jump_wall(Duration(-1'500));
  disk_.faults.sync_failure = 1;
  const auto failed = enqueue();
  settle();
  ASSERT_FALSE((*failed)->ok());
  disk_.faults.sync_failure = 0;
  EXPECT_EQ(claimed(10).size(), 2u);
  const auto seen = get((*made)->value()[0].id);
  settle();
  EXPECT_EQ((*seen)->value()[0]->state, JobState::running);
}

}  // namespace
}  // namespace muster::sim
