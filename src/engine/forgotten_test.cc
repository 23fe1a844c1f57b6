#include "engine/forgotten.h"

#include <gtest/gtest.h>

#include "engine/fake_store_testing.h"
#include "engine/workers.h"

namespace muster::engine {
namespace {

// A store in which worker w1 holds one job.
class HoldingStore final : public FakeStore {
 public:
  const LeaseRef lease{JobId{{7, 7}}, Fence{11}};

  void heartbeat(std::vector<store::Beat> batch, Reply<store::Each<store::BeatReply>> reply) override {
    store::Each<store::BeatReply> answers;
    for (std::size_t i = 0; i < batch.size(); ++i) answers.emplace_back(store::BeatReply{.running = 1});
    reply(std::move(answers));
  }
  void list_jobs(store::JobQuery query, Reply<store::JobPage> reply) override {
    ++lists;
    EXPECT_EQ(query.filter.worker, WorkerId("w1"));
    Job job;
    job.id = lease.job;
    job.fence = lease.fence;
    job.state = JobState::running;
    store::JobPage page;
    page.jobs.push_back(job);
    reply(std::move(page));
  }
  int lists = 0;
};

class ForgottenTest : public testing::Test {
 protected:
  void beat(std::vector<LeaseRef> held, bool names_all = true) {
    store::Beat beat;
    beat.ns = NamespaceName(kDefaultNamespace);
    beat.worker = WorkerId("w1");
    beat.held = std::move(held);
    beat.names_all = names_all;
    workers_.heartbeat({beat}, [](Result<store::Each<store::BeatReply>> answers) { EXPECT_TRUE(answers.ok()); });
  }

  HoldingStore store_;
  ManualClock clock_;
  Workers workers_{store_, clock_, Options()};
};

TEST_F(ForgottenTest, AJobLeftOutOfTwoBeatsInARowIsHandedBack) {
  beat({});
  EXPECT_TRUE(store_.releases.empty());
  beat({});
  ASSERT_EQ(store_.releases.size(), 1u);
  EXPECT_EQ(store_.releases[0].lease, store_.lease);
}

TEST_F(ForgottenTest, AJobThatIsNamedInBetweenStaysWithItsWorker) {
  beat({});
  beat({store_.lease});
  beat({});
  EXPECT_TRUE(store_.releases.empty());
}

TEST_F(ForgottenTest, AnotherFenceOfTheSameJobIsAnotherLease) {
  const LeaseRef older{store_.lease.job, Fence{10}};
  beat({older, older});  // as many as the store counts, or the numbers would already tell
  EXPECT_EQ(store_.lists, 0);
  beat({});
  beat({});
  EXPECT_EQ(store_.releases.size(), 1u);
}

TEST_F(ForgottenTest, AWorkerThatDoesNotSayWhatItHoldsKeepsEverything) {
  for (int i = 0; i < 4; ++i) beat({}, false);
  EXPECT_TRUE(store_.releases.empty());
  EXPECT_EQ(store_.lists, 0);
}

}  // namespace
}  // namespace muster::engine
