#include "fronts/ws/registration.h"

#include <gtest/gtest.h>

#include "fronts/ws/run_numbers.h"

namespace muster::ws {
namespace {

using Json = json::Tree;

Json manifest(std::string name, std::string version, std::vector<std::string> types) {
  Json nodes = Json::array();
  for (std::string& type : types) nodes.push_back({{"type", std::move(type)}});
  return {{"name", name}, {"version", version}, {"manifest", {{"nodes", nodes}}}};
}

// As it is read from a frame: what is built by hand has other kinds of numbers.
Json read(const Json& built) { return *json::parse(built.dump()); }

Json payload() {
  return read(
      {{"capabilities",
        {{"concurrency", {{"max_parallel", 3}, {"per_node_limits", {{"a.slow", 1}}}}},
         {"runtimes", {"python"}},
         {"features", {"gpu"}}}},
       {"packages",
        {{{"name", "a"}, {"version", "1.9.0"}, {"status", "installed"}},
         {{"name", "a"}, {"version", "1.10.0"}, {"status", "installed"}},
         {{"name", "b"}, {"version", "1.0.0"}, {"status", "failed"}}}},
       {"manifests",
        {manifest("a", "1.10.0", {"a.echo", "a.slow"}), manifest("a", "1.9.0", {"a.echo"}), manifest("b", "1.0.0", {"b.x"})}}});
}

Identity identity() {
  Identity out;
  out.tenant = "default";
  out.instance = "i-1";
  out.name = "worker one";
  out.credential.caller.name = "anonymous";
  return out;
}

TEST(Registration, OffersTheNodesOfInstalledPackages) {
  const Registration registration = read_registration(payload());
  EXPECT_EQ(registration.max_parallel, 3U);
  EXPECT_EQ(registration.nodes.at("a.echo").version, "1.10.0") << "the newest, by number";
  EXPECT_FALSE(registration.nodes.contains("b.x"));
  const WorkerSpec spec = worker_spec(identity(), registration, "s-1");
  EXPECT_EQ(spec.capabilities, CapabilitySet({"node:a.echo", "node:a.slow", "package:a", "package:a@1.10.0", "package:a@1.9.0",
                                              "runtime:python", "feature:gpu"}));
  EXPECT_EQ(spec.slots, 3U);
  EXPECT_EQ(spec.dialect, Dialect::ws);
}

TEST(Registration, ARowOfTheRegistryIsEnoughToGoOn) {
  muster::Worker row;
  row.spec = worker_spec(identity(), read_registration(payload()), "s-1");
  const auto kept = kept_registration(row);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->session_id, "s-1");
  EXPECT_EQ(kept->identity.instance, "i-1");
  EXPECT_EQ(kept->identity.name, "worker one");
  EXPECT_EQ(kept->token_name, "anonymous");
  EXPECT_EQ(kept->registration.max_parallel, 3U);
  EXPECT_EQ(kept->registration.per_node_limits.at("a.slow"), 1U);
  EXPECT_EQ(kept->registration.nodes.at("a.echo"), (Package{"a", "1.10.0", "installed"}));
}

TEST(Registration, WhatDoesNotFitARowIsNotHalfKept) {
  std::vector<std::string> types;
  for (int i = 0; i < 2'000; ++i) types.push_back("node.with.a.long.name." + std::to_string(i));
  Json large = payload();
  large["manifests"] = {manifest("a", "1.9.0", types)};
  muster::Worker row;
  row.spec = worker_spec(identity(), read_registration(large), "s-1");
  EXPECT_LE(row.spec.metadata.size(), limits::kMetadataBytesMax);
  EXPECT_LE(row.spec.capabilities.names().size(), limits::kCapabilitiesMax);
  EXPECT_FALSE(kept_registration(row)) << "it is asked to start over";
}

TEST(Registration, OtherRowsAreNoSessions) {
  EXPECT_FALSE(kept_registration(muster::Worker()));
  muster::Worker row;
  row.spec.metadata = R"({"nodes":1})";
  EXPECT_FALSE(kept_registration(row));
}

TEST(RunNumbers, ARunCountsItsTasksAndATaskKeepsItsNumber) {
  RunNumbers numbers;
  EXPECT_EQ(numbers.number("r", "a"), 1U);
  EXPECT_EQ(numbers.number("r", "b"), 2U);
  EXPECT_EQ(numbers.number("r", "a"), 1U);
  EXPECT_EQ(numbers.number("s", "a"), 1U);
}

TEST(RunNumbers, RememberOnlySoMany) {
  RunNumbers numbers;
  EXPECT_EQ(numbers.number("first", "a"), 1U);
  EXPECT_EQ(numbers.number("first", "b"), 2U);
  for (std::size_t i = 0; i < kRunsNumberedMax; ++i) numbers.number("run " + std::to_string(i), "a");
  EXPECT_EQ(numbers.number("first", "b"), 1U) << "forgotten, and begun anew";
}

}  // namespace
}  // namespace muster::ws
