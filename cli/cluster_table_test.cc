#include "cli/cluster.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

using namespace std::chrono_literals;

sdk::Cluster two_nodes() {
  const sdk::Instant now{1'000'000ms};
  sdk::Cluster cluster;
  cluster.now = now;
  cluster.self = "b";
  cluster.leader = "a";
  cluster.term = 7;
  cluster.leader_until = now + 12s;
  for (const char* name : {"a", "b"}) {
    sdk::ClusterNode node;
    node.name = name;
    node.version = "0.2.0";
    node.started_at = now - 192s;
    node.seen_at = now - 2s;
    node.listening = true;
    cluster.nodes.push_back(node);
  }
  cluster.nodes[0].address = "10.0.0.1:8080";
  cluster.nodes[0].leader = true;
  cluster.nodes[0].pending = 3;
  cluster.nodes[0].workers = 12;
  cluster.nodes[0].notify_lag = 5ms;
  cluster.nodes[1].listening = false;
  return cluster;
}

TEST(ClusterTable, ShowsEachNodeWithTheLeaderMarked) {
  const std::vector<std::string> expected{
      "NODE  LEADER  ADDRESS        VERSION  SEEN     UP    LAG  PENDING  WORKERS",
      "a     leader  10.0.0.1:8080  0.2.0    2.0s  3m12s    5ms        3       12",
      "b             -              0.2.0    2.0s  3m12s  polls        0        0",
  };
  EXPECT_EQ(cluster_table(two_nodes()).lines({.color = false, .width_max = 0}), expected);
}

TEST(ClusterTable, MeasuresAgesByTheClockOfTheAnswer) {
  sdk::Cluster cluster = two_nodes();
  *cluster.now += 58s;  // nobody's clock but the store's counts
  const std::string row = cluster_table(cluster).lines({.color = false, .width_max = 0})[1];
  EXPECT_NE(row.find("1m00s"), std::string::npos) << row;
}

TEST(ClusterTable, ColoursANodeThatFellSilent) {
  sdk::Cluster cluster = two_nodes();
  const auto row = [&cluster] { return cluster_table(cluster).lines({.color = true, .width_max = 0})[1]; };
  const std::string fresh = row();
  cluster.nodes[0].seen_at = *cluster.now - 59s;
  const std::string late = row();
  cluster.nodes[0].seen_at = *cluster.now - 10min;
  EXPECT_EQ(fresh.find("\x1b[33m"), std::string::npos);
  EXPECT_NE(late.find("\x1b[33m"), std::string::npos);
  EXPECT_NE(row().find("\x1b[31m"), std::string::npos);
}

TEST(ClusterSummary, SaysWhoLeadsOrThatNobodyDoes) {
  sdk::Cluster cluster = two_nodes();
  EXPECT_EQ(cluster_summary(cluster), "a leads in term 7, for 12s unless refreshed; answered by b");
  cluster.leader_until.reset();
  EXPECT_EQ(cluster_summary(cluster), "a leads in term 7; answered by b");
  cluster.leader.clear();
  EXPECT_EQ(cluster_summary(cluster), "nobody leads at the moment; answered by b");
}

sdk::ClusterSettings two_that_differ() {
  sdk::ClusterSettings found;
  found.nodes = {"a", "b", "c"};
  found.differing = 1;
  found.settings = {
      {.name = "retention.dead_kept", .own = false, .known = true, .values = {{"a", "7d", 1}, {"b", "30d", 2}, {"c", "7d", 1}}},
      {.name = "listen.http", .own = true, .known = true, .values = {{"a", "a:1", 1}, {"b", "", 2}}}};
  return found;
}

TEST(SettingsTable, NamesTheNodesOfEachValue) {
  const std::vector<std::string> expected{
      "SETTING              STATE    VALUE  NODES", "retention.dead_kept  differs  7d     a, c",
      "                              30d    b",     "listen.http          own      a:1    a",
      "                              -      b",
  };
  EXPECT_EQ(settings_table(two_that_differ()).lines({.color = false, .width_max = 0}), expected);
}

TEST(SettingsSummary, CountsWhatShouldNotDifferAndNamesWhoToldNothing) {
  sdk::ClusterSettings found = two_that_differ();
  EXPECT_EQ(settings_summary(found), "1 setting differs between 3 nodes");
  found.silent = {"old"};
  EXPECT_EQ(settings_summary(found),
            "1 setting differs between 3 nodes; old told nothing: a program of an older version, or one that has just started");
  found.silent.clear();
  found.settings[0].known = false;
  found.differing = 0;
  EXPECT_EQ(settings_summary(found),
            "no setting differs between 3 nodes; secrets cannot be compared before auth.session_key is the same on all of them");
  found = {};
  EXPECT_EQ(settings_summary(found), "nothing to compare: this server is alone on its store");
  found.nodes = {"a"};
  EXPECT_EQ(settings_summary(found), "nothing to compare: one node told its settings");
}

}  // namespace
}  // namespace muster::cli
