// The wiring: one commit reaches events, claims, sweeps and metrics, and tick() drives them all.
#include "engine/engine.h"

#include <gtest/gtest.h>

#include "engine/claims_testing.h"

namespace muster::engine {
namespace {

using namespace std::chrono_literals;

class EngineTest : public testing::Test {
 protected:
  JobChange change(JobEvent event, JobState to) {
    JobChange out;
    out.lane = lane_;
    out.event = event;
    out.to = to;
    return out;
  }
  void commit(std::vector<JobChange> jobs, std::vector<LaneRef> wakes = {}) {
    store_.listener()->committed({.jobs = jobs, .workers = {}, .queues = {}, .wakes = wakes});
  }
  // The sweeps among what the store was asked.
  std::vector<store::Verb> passes() const {
    std::vector<store::Verb> out = store_.asked();
    std::erase_if(out, [](store::Verb verb) { return verb < store::Verb::promote_due || verb > store::Verb::expire_keys; });
    return out;
  }
  std::uint64_t moved(const char* event) { return metrics_.counter("muster_jobs_moved_total", "", {{"event", event}}).value(); }

  store::ScriptedStore store_;
  ManualClock clock_;
  Metrics metrics_;
  const LaneRef lane_ = make_lane({});
};

TEST_F(EngineTest, ListensFromItsStartToItsEnd) {
  {
    Engine engine(store_, clock_, metrics_, {});
    EXPECT_NE(store_.listener(), nullptr);
  }
  EXPECT_EQ(store_.listener(), nullptr);
}

TEST_F(EngineTest, PublishesBeforeItWakes) {
  Engine engine(store_, clock_, metrics_, {});
  std::vector<std::string> order;
  engine.events().subscribe([&] { order.push_back("event"); });
  store_.on(store::Verb::claim, [&](const store::ClaimRequest&) {
    order.push_back("claim");
    return Result<store::ClaimReply>(store::ClaimReply{.offer = make_offer("w", {})});
  });
  store::ClaimRequest request;
  request.ns = NamespaceName(kDefaultNamespace);
  request.worker = WorkerId("w");
  engine.claims().claim(request, 30s, [](Result<store::ClaimReply>) {});
  commit({change(JobEvent::enqueued, JobState::ready)}, {lane_});
  EXPECT_EQ(order, (std::vector<std::string>{"claim", "event", "claim"}));
}

TEST_F(EngineTest, CountsMovesByTheirEvent) {
  Engine engine(store_, clock_, metrics_, {});
  commit({change(JobEvent::enqueued, JobState::ready), change(JobEvent::enqueued, JobState::ready),
          change(JobEvent::pruned, JobState::completed)});
  EXPECT_EQ(moved("enqueued"), 2u);
  EXPECT_EQ(moved("pruned"), 1u);
  EXPECT_EQ(moved("lost"), 0u);
}

TEST_F(EngineTest, SweepsAgainAfterAJobWasScheduled) {
  Engine engine(store_, clock_, metrics_, {});
  engine.tick();
  clock_.advance(100ms);
  const std::size_t before = passes().size();
  engine.tick();
  EXPECT_EQ(passes().size(), before);
  commit({change(JobEvent::enqueued, JobState::scheduled)});
  engine.tick();
  ASSERT_EQ(passes().size(), before + 1);
  EXPECT_EQ(passes().back(), store::Verb::promote_due);
}

TEST_F(EngineTest, NeverSleepsLongerThanItPromises) {
  Engine engine(store_, clock_, metrics_, {});
  for (int i = 0; i < 100; ++i) {
    const Duration sleep = engine.tick();
    EXPECT_GE(sleep, 0ms);
    EXPECT_LE(sleep, Engine::kSleepMax);
    clock_.advance(sleep);
  }
}

TEST_F(EngineTest, NumbersEventsAboveThoseOfAnEarlierStart) {
  std::uint64_t last = 0;
  {
    Engine engine(store_, clock_, metrics_, {});
    commit({change(JobEvent::enqueued, JobState::ready)});
    last = engine.events().newest();
  }
  clock_.advance(1ms);
  Engine engine(store_, clock_, metrics_, {});
  EXPECT_TRUE(engine.events().read(last, 10).gap);
  commit({change(JobEvent::enqueued, JobState::ready)});
  EXPECT_GT(engine.events().newest(), last);
}

TEST_F(EngineTest, StopsTwiceWithoutHarm) {
  Engine engine(store_, clock_, metrics_, {});
  int answers = 0;
  store::ClaimRequest request;
  request.ns = NamespaceName(kDefaultNamespace);
  request.worker = WorkerId("w");
  store_.on(store::Verb::claim, [](const store::ClaimRequest&) {
    return Result<store::ClaimReply>(store::ClaimReply{.offer = make_offer("w", {})});
  });
  engine.claims().claim(request, 30s, [&](Result<store::ClaimReply>) { ++answers; });
  EXPECT_EQ(answers, 0);
  engine.stop();
  engine.stop();
  EXPECT_EQ(answers, 1);
}

}  // namespace
}  // namespace muster::engine
