// The pulse: asked for at once, never twice at a time, ended promptly. No database is needed.
#include "store/postgres/cluster/housekeeper.h"

#include <gtest/gtest.h>

#include "store/postgres/cluster/cluster_testing.h"
#include "store/postgres/verbs/verbs.h"

namespace muster::store::postgres {
namespace {

struct Rounds {
  void submit(Housekeeper::Body body) {
    const std::lock_guard lock(mutex);
    bodies.push_back(std::move(body));
  }
  std::size_t count() {
    const std::lock_guard lock(mutex);
    return bodies.size();
  }
  void drop() {
    std::vector<Housekeeper::Body> dropped;
    const std::lock_guard lock(mutex);
    dropped.swap(bodies);
  }
  Housekeeper::Hooks hooks() {
    return {.submit = [this](Housekeeper::Body body) { submit(std::move(body)); }, .pending = [] { return 0u; }};
  }
  std::mutex mutex;
  std::vector<Housekeeper::Body> bodies;
};

Options quick() {
  Options options;
  options.node = "a";
  options.leader_ttl = Duration(40);
  options.node_beat_every = Duration(1'000);
  return options;
}

TEST(Housekeeper, AsksAtOnceAndAgainAtHalfTheLeadersTime) {
  Metrics metrics;
  Node node(quick(), metrics);
  Rounds rounds;
  Housekeeper keeper(node, rounds.hooks());
  EXPECT_EQ(keeper.every(), Duration(20));
  keeper.start();
  ASSERT_TRUE(eventually([&] { return rounds.count() == 1; }));
  rounds.drop();  // the database is away: what was asked for is thrown away
  EXPECT_TRUE(eventually([&] { return rounds.count() == 1; }));
}

TEST(Housekeeper, AsksForOneRoundAtATime) {
  Options options = quick();
  options.leader_ttl = Duration(20);
  Metrics metrics;
  Node node(options, metrics);
  node.leadership.term = 5;
  Rounds rounds;
  Housekeeper keeper(node, rounds.hooks());
  keeper.start();
  // Several periods pass before it stops believing that it leads, and the first round still waits.
  EXPECT_TRUE(eventually([&] { return node.leadership.term == 0; }));
  EXPECT_EQ(rounds.count(), 1u);
}

TEST(Housekeeper, StopsPromptlyTwiceAndBeforeItStarted) {
  Options options = quick();
  options.leader_ttl = options.node_beat_every = std::chrono::hours(1);
  Metrics metrics;
  Node node(options, metrics);
  Rounds rounds;
  Housekeeper idle(node, rounds.hooks());
  idle.stop();
  Housekeeper keeper(node, rounds.hooks());
  keeper.start();
  keeper.stop();
  keeper.stop();
}

// Who leads, on a real server: one at a time, with terms that only grow.

class LeaderTest : public ClusterTest {
 protected:
  bool refresh(TestNode& node) {
    bool leads = false;
    in_tx(node.node, [&](Tx& tx) { leads = refresh_leadership(tx); });
    EXPECT_EQ(leads, node.node.leadership.term != 0);
    EXPECT_EQ(node.node.metrics.leader.value(), leads ? 1 : 0);
    return leads;
  }
  static std::int64_t term(const TestNode& node) { return node.node.leadership.term; }
  void expire() { run("UPDATE {schema}.leader SET expires_at = {schema}.now_ms()"); }
};

TEST_F(LeaderTest, TheFirstLeadsAndTheOthersFollow) {
  const auto a = a_node("a"), b = a_node("b");
  EXPECT_TRUE(refresh(*a));
  EXPECT_FALSE(refresh(*b));
  EXPECT_TRUE(refresh(*a));
}

TEST_F(LeaderTest, ARefreshKeepsTheTermAndMovesTheExpiry) {
  const auto a = a_node("a");
  refresh(*a);
  const std::int64_t first = term(*a);
  run("UPDATE {schema}.leader SET expires_at = {schema}.now_ms() + 1000");
  EXPECT_TRUE(refresh(*a));
  EXPECT_EQ(term(*a), first);
  EXPECT_GT(ask("SELECT expires_at - {schema}.now_ms() FROM {schema}.leader"), 1'000);
}

TEST_F(LeaderTest, AnExpiredLeadershipIsTakenOverWithAHigherTerm) {
  const auto a = a_node("a"), b = a_node("b");
  refresh(*a);
  const std::int64_t first = term(*a);
  expire();
  EXPECT_TRUE(refresh(*b));
  EXPECT_GT(term(*b), first);
  // The one that was away finds out, and waits its turn.
  EXPECT_FALSE(refresh(*a));
  EXPECT_TRUE(refresh(*b));
}

TEST_F(LeaderTest, ALateLeaderThatNobodyReplacedGoesOn) {
  const auto a = a_node("a");
  refresh(*a);
  const std::int64_t first = term(*a);
  expire();
  EXPECT_TRUE(refresh(*a));
  EXPECT_EQ(term(*a), first);
}

TEST_F(LeaderTest, AReleasedLeadershipIsFreeAtOnce) {
  const auto a = a_node("a"), b = a_node("b");
  refresh(*a);
  in_tx(a->node, [](Tx& tx) { release_leadership(tx); });
  EXPECT_EQ(term(*a), 0);
  EXPECT_TRUE(refresh(*b));
}

TEST_F(LeaderTest, ReleasingWhatSomebodyElseHoldsChangesNothing) {
  const auto a = a_node("a"), b = a_node("b");
  refresh(*a);
  expire();
  refresh(*b);
  in_tx(a->node, [](Tx& tx) { release_leadership(tx); });
  EXPECT_EQ(ask("SELECT count(*) FROM {schema}.leader WHERE node LIKE '%-b'"), 1);
}

TEST_F(LeaderTest, ANodeThatStartsAgainUnderItsNameLeadsAtOnceInANewTerm) {
  const auto before = a_node("a");
  refresh(*before);
  const auto after = a_node("a");
  EXPECT_TRUE(refresh(*after));
  EXPECT_GT(term(*after), term(*before));
}

TEST_F(LeaderTest, ALeadershipTheDatabaseLostIsTakenAnew) {
  const auto a = a_node("a");
  refresh(*a);
  const std::int64_t first = term(*a);
  run("DELETE FROM {schema}.leader");  // as after a crash: the table is not logged
  EXPECT_TRUE(refresh(*a));
  EXPECT_GT(term(*a), first);
}

TEST_F(LeaderTest, AskingInVainSpendsNoTerm) {
  const auto a = a_node("a"), b = a_node("b");
  refresh(*a);
  const std::int64_t before = ask("SELECT last_value FROM {schema}.terms");
  for (int i = 0; i < 5; ++i) refresh(*b);
  EXPECT_EQ(ask("SELECT last_value FROM {schema}.terms"), before);
}

TEST_F(LeaderTest, ABeatWritesTheNodesRow) {
  Options with_address = options("a");
  with_address.address = "here:1";
  with_address.version = "9";
  TestNode a(with_address);
  a.node.listening = true;
  in_tx(a.node, [](Tx& tx) { beat_node(tx, {.pending = 3, .uptime = Duration(5'000)}); });
  EXPECT_EQ(
      ask("SELECT count(*) FROM {schema}.nodes WHERE name LIKE '%-a' AND address = 'here:1' AND version = '9' AND listening "
          "AND pending = 3 AND seen_at - started_at = 5000"),
      1);
  in_tx(a.node, [](Tx& tx) { beat_node(tx, {.pending = 0, .uptime = Duration(6'000)}); });
  EXPECT_EQ(ask("SELECT pending FROM {schema}.nodes"), 0);
}

TEST_F(LeaderTest, NodesThatVanishedAreForgottenAndNodesThatLeaveAreGone) {
  const auto a = a_node("a"), b = a_node("b"), c = a_node("c");
  for (const auto* node : {&a, &b, &c}) in_tx((*node)->node, [](Tx& tx) { beat_node(tx, {}); });
  EXPECT_EQ(ask("SELECT count(*) FROM {schema}.nodes"), 3);
  in_tx(c->node, [](Tx& tx) { leave_cluster(tx); });
  run(fmt::format("UPDATE {{schema}}.nodes SET seen_at = seen_at - {} WHERE name LIKE '%-b'", kNodeForgottenAfter.count()));
  in_tx(a->node, [](Tx& tx) { beat_node(tx, {}); });
  EXPECT_EQ(ask("SELECT count(*) FROM {schema}.nodes"), 1);
}

// What a node tells of its settings, when the database has lost it, and beside nodes that know nothing of it.

class SettingsTest : public LeaderTest {
 protected:
  static NodeSettings some(std::string value = "7d") {
    return {.node = {},
            .sealed_by = "key",
            .settings = {{.name = "retention.completed_kept", .value = std::move(value), .seal = {}, .own = false}}};
  }
  void beat(TestNode& node) {
    in_tx(node.node, [](Tx& tx) { beat_node(tx, {}); });
  }
  void tell(TestNode& node) {
    in_tx(node.node, [](Tx& tx) { write_settings(tx); });
  }
  std::int64_t held() { return ask("SELECT count(*) FROM {schema}.node_settings"); }
};

TEST_F(SettingsTest, ABeatNoticesThatTheDatabaseLacksThem) {
  const auto a = a_node("a");
  beat(*a);
  EXPECT_FALSE(a->node.lacks_settings);  // there is nothing to tell yet
  a->node.keep_settings(some());
  beat(*a);
  EXPECT_TRUE(a->node.lacks_settings);
  tell(*a);
  beat(*a);
  EXPECT_FALSE(a->node.lacks_settings);
  run("DELETE FROM {schema}.nodes");  // as after a crash: the tables are not logged
  EXPECT_EQ(held(), 0);
  beat(*a);
  EXPECT_TRUE(a->node.lacks_settings);
}

TEST_F(SettingsTest, ANodeWhoseRowIsGoneTellsNothingUntilItsNextBeat) {
  const auto a = a_node("a");
  a->node.keep_settings(some());
  tell(*a);
  EXPECT_EQ(held(), 0);
  beat(*a);
  tell(*a);
  EXPECT_EQ(held(), 1);
}

TEST_F(SettingsTest, WhatIsHeldAlreadyIsNotWrittenAgain) {
  const auto a = a_node("a");
  a->node.keep_settings(some());
  beat(*a);
  tell(*a);
  const std::int64_t first = ask("SELECT max(xmin::text::bigint) FROM {schema}.node_settings");
  tell(*a);
  EXPECT_EQ(ask("SELECT max(xmin::text::bigint) FROM {schema}.node_settings"), first);
  a->node.keep_settings(some("30d"));
  tell(*a);
  EXPECT_EQ(ask("SELECT count(*) FROM {schema}.node_settings WHERE value = '30d'"), 1);
}

TEST_F(SettingsTest, TheyGoWithTheNodeWhoeverForgetsIt) {
  const auto a = a_node("a"), b = a_node("b");
  for (const auto* node : {&a, &b}) {
    (*node)->node.keep_settings(some());
    beat(**node);
    tell(**node);
  }
  EXPECT_EQ(held(), 2);
  in_tx(b->node, [](Tx& tx) { leave_cluster(tx); });
  EXPECT_EQ(held(), 1);
  run(fmt::format("UPDATE {{schema}}.nodes SET seen_at = seen_at - {}", kNodeForgottenAfter.count()));
  beat(*b);
  EXPECT_EQ(ask("SELECT count(*) FROM {schema}.node_settings WHERE node LIKE '%-a'"), 0);
}

// The statement with which programs of the version before write their rows.
TEST_F(SettingsTest, ANodeOfTheVersionBeforeBeatsOnAndTellsNothing) {
  const auto a = a_node("a");
  for (int beats = 0; beats < 2; ++beats)
    run("INSERT INTO {schema}.nodes (name, started_at, seen_at, address, version, listening, pending, notify_lag_ms) "
        "VALUES ('old', 1, {schema}.now_ms(), '', '0.5', true, 0, 0) ON CONFLICT (name) DO UPDATE "
        "SET started_at = excluded.started_at, seen_at = excluded.seen_at, address = excluded.address, version = "
        "excluded.version, listening = excluded.listening, pending = excluded.pending, notify_lag_ms = excluded.notify_lag_ms");
  a->node.keep_settings(some());
  beat(*a);
  tell(*a);
  in_tx(a->node, [](Tx& tx) {
    const auto nodes = node_settings(tx);
    ASSERT_TRUE(nodes.ok());
    ASSERT_EQ(nodes->size(), 2u);
    for (const NodeSettings& node : *nodes) EXPECT_EQ(node.settings.empty(), node.node == "old") << node.node;
  });
}

}  // namespace

}  // namespace muster::store::postgres
