// Nodes that tell each other, on a real server: what arrives, what does not, and what happens then.
#include "store/postgres/cluster/listener.h"

#include <fmt/format.h>

#include "store/postgres/cluster/cluster_testing.h"

namespace muster::store::postgres {
namespace {

class ListenerTest : public ClusterTest {
 protected:
  static bool hears(const TestNode& node) {
    return eventually([&] { return node.node.listening.load(); });
  }
  static Changes a_wake(const LanePtr& lane, std::size_t times = 1) {
    Changes changes;
    changes.wakes.assign(times, lane);
    return changes;
  }
  Changes a_job(const LanePtr& lane) const {
    Changes changes;
    JobChange change;
    change.id = IdCodec(7).encode(1);
    change.lane = lane->lane;
    change.to = JobState::ready;
    changes.jobs.push_back(change);
    return changes;
  }
  void kill(const std::string& role, const TestNode& node) {
    EXPECT_EQ(ask(fmt::format("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = '{} {}'",
                              role, node.node.options.node)),
              1);
  }
};

TEST_F(ListenerTest, WhatOneNodeCommitsTheOtherIsTold) {
  const auto a = a_node("a"), b = a_node("b");
  const LanePtr lane = a_lane(a->node);
  a_lane(b->node);
  a->start();
  b->start();
  ASSERT_TRUE(hears(*b));
  Changes changes = a_job(lane);
  changes.wakes = {lane, lane};
  changes.queues = {{NamespaceName("default"), QueueName("mail"), true, from_ms(5)}};
  changes.workers = {{NamespaceName("default"), WorkerId("w"), SessionId{3}, std::nullopt, WorkerState::online, from_ms(5), ""}};
  a->outbox.tell(changes);
  EXPECT_TRUE(eventually([&] { return !b->ear.jobs().empty(); }));
  ASSERT_EQ(b->ear.jobs().size(), 1u);
  EXPECT_EQ(b->ear.jobs()[0].id, changes.jobs[0].id);
  EXPECT_EQ(*b->ear.jobs()[0].lane, *lane->lane);
  EXPECT_EQ(b->ear.wakes().size(), 2u);
  EXPECT_EQ(b->ear.queues().size(), 1u);
  EXPECT_EQ(b->ear.workers().size(), 1u);
}

TEST_F(ListenerTest, ANodeIsToldOnceAboutWhatItCommitted) {
  const auto a = a_node("a"), b = a_node("b");
  const LanePtr lane = a_lane(a->node);
  a_lane(b->node);
  a->start();
  b->start();
  ASSERT_TRUE(hears(*a) && hears(*b));
  a->outbox.tell(a_wake(lane));
  // The answer of the other comes after the node's own words, on the same connection.
  ASSERT_TRUE(eventually([&] { return !b->ear.wakes().empty(); }));
  b->outbox.tell(a_job(lane));
  ASSERT_TRUE(eventually([&] { return !a->ear.jobs().empty(); }));
  EXPECT_EQ(a->ear.wakes().size(), 1u);
  EXPECT_EQ(b->ear.wakes().size(), 1u);
}

TEST_F(ListenerTest, WhatWasHeardIsNotToldOn) {
  const auto a = a_node("a"), b = a_node("b"), c = a_node("c");
  const LanePtr lane = a_lane(a->node);
  for (const auto* node : {&a, &b, &c}) {
    a_lane((*node)->node);
    (*node)->start();
    ASSERT_TRUE(hears(**node));
  }
  a->outbox.tell(a_wake(lane));
  ASSERT_TRUE(eventually([&] { return !b->ear.wakes().empty() && !c->ear.wakes().empty(); }));
  c->outbox.tell(a_job(lane));
  ASSERT_TRUE(eventually([&] { return !b->ear.jobs().empty(); }));
  EXPECT_EQ(b->ear.wakes().size(), 1u);
}

TEST_F(ListenerTest, ALaneTheOtherDoesNotKnowMakesItLook) {
  const auto a = a_node("a"), b = a_node("b");
  const LanePtr lane = a_lane(a->node);
  a->start();
  b->start();
  ASSERT_TRUE(hears(*b));
  const int before = b->polls;
  a->outbox.tell(a_wake(lane));
  EXPECT_TRUE(eventually([&] { return b->polls > before; }));
}

TEST_F(ListenerTest, ABurstArrivesCoalesced) {
  const auto a = a_node("a"), b = a_node("b");
  const LanePtr lane = a_lane(a->node);
  a_lane(b->node);
  a->start();
  b->start();
  ASSERT_TRUE(hears(*b));
  constexpr std::size_t kTold = 5'000;
  for (std::size_t i = 0; i < kTold; ++i) a->outbox.tell(a_wake(lane));
  EXPECT_TRUE(eventually([&] { return b->ear.wakes().size() == kTold; }));
  EXPECT_LT(b->node.metrics.notifications.value(), kTold / 10);
}

TEST_F(ListenerTest, AKilledListenerListensAgainAndLooksAtOnce) {
  const auto a = a_node("a"), b = a_node("b");
  const LanePtr lane = a_lane(a->node);
  a_lane(b->node);
  a->start();
  b->start();
  ASSERT_TRUE(hears(*b));
  const int before = b->polls;
  kill("muster-listener", *b);
  EXPECT_TRUE(eventually([&] { return b->polls > before; }));
  ASSERT_TRUE(eventually([&] { return b->node.metrics.reconnects.value() == 1; }));
  ASSERT_TRUE(hears(*b));
  a->outbox.tell(a_wake(lane));
  EXPECT_TRUE(eventually([&] { return b->ear.wakes().size() == 1; }));
}

TEST_F(ListenerTest, AKilledNotifierTellsThatItLostSomething) {
  const auto a = a_node("a"), b = a_node("b");
  const LanePtr lane = a_lane(a->node);
  a_lane(b->node);
  a->start();
  b->start();
  ASSERT_TRUE(hears(*a) && hears(*b));
  const int before = b->polls;
  kill("muster-notifier", *a);
  a->outbox.tell(a_wake(lane));  // into a connection that is gone: the next batch says that there was more
  EXPECT_TRUE(eventually([&] { return b->polls > before || !b->ear.wakes().empty(); }));
  a->outbox.tell(a_wake(lane));
  EXPECT_TRUE(eventually([&] { return !b->ear.wakes().empty(); }));
}

TEST_F(ListenerTest, BehindATransactionPoolerANodePollsInstead) {
  if (pooled.empty()) GTEST_FAIL() << "MUSTER_TEST_POSTGRES_POOLED names no pooler; ./dev test starts one";
  Options both = options("a");
  both.url = both.listen_url = pooled;
  TestNode a(both);
  a.start();
  // Long enough for the probe to have come back.
  const int patience = static_cast<int>((kProbePatience + Duration(500)) / both.poll_every);
  EXPECT_TRUE(eventually([&] { return a.polls > patience; }));
  EXPECT_FALSE(a.node.listening);
}

TEST_F(ListenerTest, WithAConnectionOfItsOwnBesideThePoolerANodeHears) {
  if (pooled.empty()) GTEST_FAIL() << "MUSTER_TEST_POSTGRES_POOLED names no pooler; ./dev test starts one";
  Options split = options("a");
  split.url = pooled;
  split.listen_url = url;
  TestNode a(split);
  a.start();
  EXPECT_TRUE(hears(a));
}

TEST_F(ListenerTest, AServerThatIsAwayCostsNothingButPolls) {
  Options nowhere = options("a");
  nowhere.url = "postgres://muster@127.0.0.1:1/muster";
  TestNode a(nowhere);
  a.outbox.tell(Changes{});
  a.start();
  EXPECT_TRUE(eventually([&] { return a.polls > 2; }));
  EXPECT_FALSE(a.node.listening);
  a.stop();
  a.stop();
}

TEST_F(ListenerTest, GarbageOnTheChannelsIsIgnored) {
  const auto a = a_node("a"), b = a_node("b");
  const LanePtr lane = a_lane(a->node);
  a_lane(b->node);
  a->start();
  b->start();
  ASSERT_TRUE(hears(*b));
  for (const char* channel : {"jobs", "workers", "queues", "lanes", "test"})
    run(fmt::format("SELECT pg_notify('{}_{}', '{{\"changes\":[7], \"lanes\":{{}}')", schema, channel));
  a->outbox.tell(a_wake(lane));
  EXPECT_TRUE(eventually([&] { return b->ear.wakes().size() == 1; }));
  EXPECT_TRUE(b->node.listening);
}

}  // namespace
}  // namespace muster::store::postgres
