// Contract: lanes as people see them. What stands in each queue under which needs.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class LaneListContract : public StoreContract {
 protected:
  void SetUp() override {
    StoreContract::SetUp();
    join(a_worker("w1", [](WorkerSpec& w) { w.capabilities = CapabilitySet({"tool:a"}); }));
  }
  JobId add_needing(std::vector<std::string> needs, const char* type = "work", const char* queue_name = kDefaultQueue) {
    return add([&](JobSpec& j) {
      j.needs = CapabilitySet(needs);
      j.type = JobType(type);
      j.queue = QueueName(queue_name);
    });
  }
  std::vector<LaneStats> lanes(LaneQuery query = {}) { return must(client().list_lanes(std::move(query))).lanes; }
  LaneStats only() {
    const auto all = lanes();
    if (all.size() != 1) throw std::runtime_error(fmt::format("{} lanes are there", all.size()));
    return all.front();
  }
};

TEST_P(LaneListContract, ALaneIsThereWhileItHasLiveJobs) {
  EXPECT_TRUE(lanes().empty());
  const JobId id = add();
  EXPECT_EQ(lanes().size(), 1u);
  must(cancel(id));
  EXPECT_TRUE(lanes().empty());
}

TEST_P(LaneListContract, TypesThatNeedTheSameAreOneLane) {
  add_needing({"tool:a"}, "encode");
  add_needing({"tool:a"}, "decode");
  EXPECT_EQ(only().ready, 2u);
  EXPECT_EQ(only().needs, CapabilitySet({"tool:a"}));
}

TEST_P(LaneListContract, TheyAreInTheOrderOfNamespaceQueueAndNeeds) {
  NamespaceInfo info;
  info.name = NamespaceName("another");
  must(client().create_namespace(info));
  add_needing({"tool:b"});
  add_needing({"tool:a"});
  add_needing({}, "work", "other");
  add([](JobSpec& j) { j.ns = NamespaceName("another"); });
  std::vector<std::string> found;
  for (const LaneStats& lane : lanes())
    found.push_back(fmt::format("{}/{}/{}", lane.ns.text(), lane.queue.text(), lane.needs.key()));
  EXPECT_EQ(found,
            (std::vector<std::string>{"another/default/", "default/default/tool:a", "default/default/tool:b", "default/other/"}));
  EXPECT_EQ(lanes({.ns = NamespaceName("another")}).size(), 1u);
  EXPECT_EQ(lanes({.queue = QueueName("other")}).size(), 1u);
}

TEST_P(LaneListContract, ALimitCutsTheListAndSaysSo) {
  add_needing({"tool:a"});
  add_needing({"tool:b"});
  const LaneList cut = must(client().list_lanes({.limit = 1}));
  EXPECT_EQ(cut.lanes.size(), 1u);
  EXPECT_TRUE(cut.more);
  EXPECT_FALSE(must(client().list_lanes({.limit = 2})).more);
}

TEST_P(LaneListContract, CountsWhatIsScheduledReadyAndRunning) {
  add_many(4, a_job([](JobSpec& j) { j.needs = CapabilitySet({"tool:a"}); }));
  add([](JobSpec& j) {
    j.needs = CapabilitySet({"tool:a"});
    j.delay = 1h;
  });
  const std::vector<Grant> grants = take("w1", 2);
  LaneStats lane = only();
  EXPECT_EQ(lane.scheduled, 1u);
  EXPECT_EQ(lane.ready, 2u);
  EXPECT_EQ(lane.running, 2u);
  must(complete(grants[0]));
  must(release(grants[1]));
  lane = only();
  EXPECT_EQ(lane.ready, 3u);
  EXPECT_EQ(lane.running, 0u);
}

TEST_P(LaneListContract, TheNumbersSurviveARestart) {
  add_many(3);
  add([](JobSpec& j) { j.delay = 1h; });
  take("w1", 1);
  restart();
  EXPECT_EQ(only().scheduled, 1u);
  EXPECT_EQ(only().ready, 2u);
  EXPECT_EQ(only().running, 1u);
}

TEST_P(LaneListContract, AJobThatStartsOverCountsAgain) {
  const JobId id = make_dead();
  EXPECT_TRUE(lanes().empty());
  must(client().redrive(id));
  EXPECT_EQ(only().ready, 1u);
}

TEST_P(LaneListContract, JobsThatAreHeldForAWorkerCountWhereTheyCameFrom) {
  add([](JobSpec& j) { j.affinity.sticky_key = "session-9"; });
  must(complete(take_one()));
  add([](JobSpec& j) { j.affinity.sticky_key = "session-9"; });
  EXPECT_EQ(only().needs, CapabilitySet());
  EXPECT_EQ(only().ready, 1u);
}

TEST_P(LaneListContract, KnowsSinceWhenTheFirstInLineWaits) {
  EXPECT_FALSE(lanes({.queue = kQueue}).size());
  const Instant first = now();
  add();
  advance(10s);
  add();
  EXPECT_EQ(only().oldest_ready_at, first);
  take_one();
  EXPECT_EQ(only().oldest_ready_at, first + 10s);
}

TEST_P(LaneListContract, AnUnknownNamespaceIsNotFound) {
  EXPECT_EQ(client().list_lanes({.ns = NamespaceName("nowhere")}).code(), Code::not_found);
}

INSTANTIATE_TEST_SUITE_P(Stores, LaneListContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
