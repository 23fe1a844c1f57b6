// GET /api/v1/cluster: what the composition root's view says, and the one node of a server that is alone.
#include "fronts/http/front_testing.h"

namespace muster::http {
namespace {

using ClusterRoute = FrontTest;

command::Cluster two_nodes(Instant now) {
  command::Cluster cluster;
  cluster.now = now;
  cluster.self = "b";
  cluster.leader = "a";
  cluster.term = 7;
  cluster.leader_until = now + Duration(12'000);
  command::ClusterNode node;
  node.name = "a";
  node.address = "10.0.0.1:8080";
  node.version = "0.2.0";
  node.seen_at = now - Duration(2'000);
  node.leader = true;
  node.listening = true;
  node.pending = 3;
  node.workers = 12;
  node.notify_lag = Duration(5);
  cluster.nodes.push_back(node);
  node.name = "b";
  node.leader = false;
  cluster.nodes.push_back(node);
  return cluster;
}

TEST_F(ClusterRoute, AServerAloneOnItsStoreIsTheOneNodeAndLeads) {
  facts.node = "solo";
  start();
  register_worker("w1");
  const auto cluster = call_json("GET", "/api/v1/cluster");
  EXPECT_EQ(cluster["self"], "solo");
  EXPECT_EQ(cluster["leader"], "solo");
  EXPECT_EQ(cluster["term"], 1);
  ASSERT_EQ(cluster["nodes"].size(), 1u);
  const auto& node = cluster["nodes"][0];
  EXPECT_EQ(node["name"], "solo");
  EXPECT_EQ(node["address"], front->address());
  EXPECT_EQ(node["version"], "0.1.0");
  EXPECT_EQ(node["leader"], true);
  EXPECT_EQ(node["workers"], 1);
  EXPECT_EQ(node["seen_at"], cluster["now"]);
}

TEST_F(ClusterRoute, ShowsWhatTheViewSays) {
  facts.cluster = [this](Reply<command::Cluster> reply) { reply(two_nodes(clock.now())); };
  start();
  const auto cluster = call_json("GET", "/api/v1/cluster");
  EXPECT_EQ(cluster["self"], "b");
  EXPECT_EQ(cluster["leader"], "a");
  EXPECT_EQ(cluster["term"], 7);
  EXPECT_TRUE(cluster.contains("leader_until"));
  ASSERT_EQ(cluster["nodes"].size(), 2u);
  EXPECT_EQ(cluster["nodes"][0]["leader"], true);
  EXPECT_EQ(cluster["nodes"][0]["pending"], 3);
  EXPECT_EQ(cluster["nodes"][0]["workers"], 12);
  EXPECT_EQ(cluster["nodes"][0]["notify_lag_ms"], 5);
  EXPECT_EQ(cluster["nodes"][1]["leader"], false);
}

TEST_F(ClusterRoute, LeavesTheLeaderOutWhileNobodyLeads) {
  facts.cluster = [this](Reply<command::Cluster> reply) {
    command::Cluster cluster = two_nodes(clock.now());
    cluster.leader.clear();
    cluster.leader_until.reset();
    reply(std::move(cluster));
  };
  start();
  const auto cluster = call_json("GET", "/api/v1/cluster");
  EXPECT_FALSE(cluster.contains("leader"));
  EXPECT_FALSE(cluster.contains("leader_until"));
}

TEST_F(ClusterRoute, AStoreThatCannotBeReachedIsUnavailable) {
  facts.cluster = [](Reply<command::Cluster> reply) { reply(Status::unavailable("the database does not answer")); };
  start();
  const auto problem = call_json("GET", "/api/v1/cluster", {}, 503);
  EXPECT_EQ(problem["code"], "unavailable");
  EXPECT_EQ(problem["detail"], "the database does not answer");
}

TEST_F(ClusterRoute, ReadersMayAsk) {
  HttpOptions options;
  options.auth.required = true;
  options.auth.tokens.push_back({.name = "eye", .role = command::Role::read_only, .secret = "0123456789abcdef", .worker = {}});
  start(options);
  EXPECT_EQ(call("GET", "/api/v1/cluster").status, 401);
  EXPECT_EQ(call("GET", "/api/v1/cluster", {}, "Authorization: Bearer 0123456789abcdef\r\n").status, 200);
}

TEST_F(ClusterRoute, AServerAloneHasNoSettingsToCompare) {
  start();
  const auto found = call_json("GET", "/api/v1/cluster/settings");
  check_members("ClusterSettings", found);
  EXPECT_EQ(found["nodes"], nlohmann::json::array());
  EXPECT_EQ(found["settings"], nlohmann::json::array());
  EXPECT_EQ(found["differing"], 0);
}

// What is shown there is shown by /server/config too, to the same people.
TEST_F(ClusterRoute, SettingsAreForOperatorsOfAllNamespaces) {
  HttpOptions options;
  options.auth.required = true;
  options.auth.tokens = {{.name = "ops", .role = command::Role::operator_role, .secret = "operator-secret", .worker = {}},
                         {.name = "eye", .role = command::Role::read_only, .secret = "reader-secret", .worker = {}},
                         {.name = "bound",
                          .role = command::Role::operator_role,
                          .secret = "bound-secret",
                          .worker = {},
                          .namespaces = std::vector{NamespaceName("a")}}};
  start(options);
  const auto status = [&](const char* secret) {
    return call("GET", "/api/v1/cluster/settings", {}, fmt::format("Authorization: Bearer {}\r\n", secret)).status;
  };
  EXPECT_EQ(status("operator-secret"), 200);
  EXPECT_EQ(status("reader-secret"), 403);
  EXPECT_EQ(status("bound-secret"), 403);
}

}  // namespace
}  // namespace muster::http
