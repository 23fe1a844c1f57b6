#include "server/cluster_view.h"

#include <gtest/gtest.h>

namespace muster::server {
namespace {

TEST(ClusterView, CarriesEverythingTheStoreKnows) {
  store::postgres::ClusterStatus status;
  status.now = from_ms(10'000);
  status.self = "b";
  status.leader = "a";
  status.term = 7;
  status.leader_until = from_ms(22'000);
  store::postgres::NodeStatus node;
  node.name = "a";
  node.address = "10.0.0.1:8080";
  node.version = "0.2.0";
  node.started_at = from_ms(1'000);
  node.seen_at = from_ms(9'000);
  node.leader = true;
  node.listening = true;
  node.pending = 3;
  node.workers = 12;
  node.notify_lag = Duration(5);
  status.nodes = {node, store::postgres::NodeStatus()};

  const command::Cluster cluster = to_command(status);
  EXPECT_EQ(cluster.now, from_ms(10'000));
  EXPECT_EQ(cluster.self, "b");
  EXPECT_EQ(cluster.leader, "a");
  EXPECT_EQ(cluster.term, 7u);
  EXPECT_EQ(cluster.leader_until, from_ms(22'000));
  ASSERT_EQ(cluster.nodes.size(), 2u);
  const command::ClusterNode& first = cluster.nodes[0];
  EXPECT_EQ(first.name, "a");
  EXPECT_EQ(first.address, "10.0.0.1:8080");
  EXPECT_EQ(first.version, "0.2.0");
  EXPECT_EQ(first.started_at, from_ms(1'000));
  EXPECT_EQ(first.seen_at, from_ms(9'000));
  EXPECT_TRUE(first.leader);
  EXPECT_TRUE(first.listening);
  EXPECT_EQ(first.pending, 3u);
  EXPECT_EQ(first.workers, 12u);
  EXPECT_EQ(first.notify_lag, Duration(5));
  EXPECT_FALSE(cluster.nodes[1].leader);
}

}  // namespace
}  // namespace muster::server
