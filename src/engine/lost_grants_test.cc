#include "engine/lost_grants.h"

#include <gtest/gtest.h>

#include "engine/workers.h"
#include "store/scripted_testing.h"

namespace muster::engine {
namespace {

class LostGrantsTest : public testing::Test {
 protected:
  // The store says that worker w1 holds one job.
  LostGrantsTest() {
    store_.on(store::Verb::heartbeat, [](const std::vector<store::Beat>& batch) {
      return Result<store::Each<store::BeatReply>>(store::Each<store::BeatReply>(batch.size(), store::BeatReply{.running = 1}));
    });
    store_.on(store::Verb::list_jobs, [this](const store::JobQuery& query) -> Result<store::JobPage> {
      EXPECT_EQ(query.filter.worker, WorkerId("w1"));
      store::JobPage page;
      page.jobs.emplace_back();
      page.jobs[0].id = lease_.job;
      page.jobs[0].fence = lease_.fence;
      page.jobs[0].state = JobState::running;
      return page;
    });
  }
  std::vector<store::Release> releases() const { return store_.elements<store::Release>(store::Verb::release); }
  void beat(std::vector<LeaseRef> held, bool names_all = true) {
    store::Beat beat;
    beat.ns = NamespaceName(kDefaultNamespace);
    beat.worker = WorkerId("w1");
    beat.held = std::move(held);
    beat.names_all = names_all;
    workers_.heartbeat({beat}, [](Result<store::Each<store::BeatReply>> answers) { EXPECT_TRUE(answers.ok()); });
  }

  const LeaseRef lease_{JobId{{7, 7}}, Fence{11}};
  store::ScriptedStore store_;
  ManualClock clock_;
  Workers workers_{store_, clock_, Options()};
};

TEST_F(LostGrantsTest, AJobLeftOutOfTwoBeatsInARowIsHandedBack) {
  beat({});
  EXPECT_TRUE(releases().empty());
  beat({});
  ASSERT_EQ(releases().size(), 1u);
  EXPECT_EQ(releases()[0].lease, lease_);
}

TEST_F(LostGrantsTest, AJobThatIsNamedInBetweenStaysWithItsWorker) {
  beat({});
  beat({lease_});
  beat({});
  EXPECT_TRUE(releases().empty());
}

TEST_F(LostGrantsTest, AnotherFenceOfTheSameJobIsAnotherLease) {
  const LeaseRef older{lease_.job, Fence{10}};
  beat({older, older});  // as many as the store counts, or the numbers would already tell
  EXPECT_EQ(store_.asked(store::Verb::list_jobs), 0u);
  beat({});
  beat({});
  EXPECT_EQ(releases().size(), 1u);
}

TEST_F(LostGrantsTest, AWorkerThatDoesNotSayWhatItHoldsKeepsEverything) {
  for (int i = 0; i < 4; ++i) beat({}, false);
  EXPECT_TRUE(releases().empty());
  EXPECT_EQ(store_.asked(store::Verb::list_jobs), 0u);
}

}  // namespace
}  // namespace muster::engine
