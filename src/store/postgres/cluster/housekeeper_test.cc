// The pulse: asked for at once, never twice at a time, ended promptly. No database is needed.
#include "store/postgres/cluster/housekeeper.h"

#include <gtest/gtest.h>

#include "store/postgres/cluster/cluster_testing.h"

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

}  // namespace
}  // namespace muster::store::postgres
