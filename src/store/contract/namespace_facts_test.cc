// Contract: what a namespace says about itself, and that one which is not enabled takes no jobs.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class NamespaceFactsContract : public StoreContract {
 protected:
  NamespaceInfo named(const char* name) {
    for (const NamespaceInfo& info : must(client().list_namespaces()))
      if (info.name.text() == name) return info;
    throw std::runtime_error("no such namespace");
  }
  static JobSpec job_in_team() {
    return a_job([](JobSpec& j) { j.ns = NamespaceName("team"); });
  }
};

TEST_P(NamespaceFactsContract, TheDefaultOneIsEnabledFromTheStart) {
  const NamespaceInfo info = named("default");
  EXPECT_TRUE(info.enabled);
  EXPECT_EQ(info.display_name, "");
  EXPECT_EQ(info.updated_at, info.created_at);
}

TEST_P(NamespaceFactsContract, ANewOneKeepsWhatItWasGiven) {
  const NamespaceInfo made = must(client().create_namespace(
      {.name = NamespaceName("team"), .description = "d", .display_name = "The Team", .enabled = false}));
  EXPECT_EQ(made.display_name, "The Team");
  EXPECT_FALSE(made.enabled);
  EXPECT_EQ(made.updated_at, now());
  restart();
  const NamespaceInfo found = named("team");
  EXPECT_EQ(found.display_name, "The Team");
  EXPECT_EQ(found.description, "d");
  EXPECT_FALSE(found.enabled);
  EXPECT_EQ(found.updated_at, made.updated_at);
}

TEST_P(NamespaceFactsContract, AChangeLeavesWhatItDoesNotName) {
  must(client().create_namespace({.name = NamespaceName("team"), .description = "d", .display_name = "The Team"}));
  const Instant created = now();
  advance(5s);
  const NamespaceInfo changed = must(client().update_namespace({.name = NamespaceName("team"), .description = "e"}));
  EXPECT_EQ(changed.description, "e");
  EXPECT_EQ(changed.display_name, "The Team");
  EXPECT_TRUE(changed.enabled);
  EXPECT_EQ(changed.created_at, created);
  EXPECT_EQ(changed.updated_at, now());
  must(client().update_namespace({.name = NamespaceName("team"), .display_name = "", .enabled = false}));
  crash();
  const NamespaceInfo found = named("team");
  EXPECT_EQ(found.display_name, "");
  EXPECT_EQ(found.description, "e");
  EXPECT_FALSE(found.enabled);
  EXPECT_EQ(client().update_namespace({.name = NamespaceName("nowhere")}).code(), Code::not_found);
}

TEST_P(NamespaceFactsContract, OneThatIsNotEnabledTakesNoJobs) {
  must(client().create_namespace({.name = NamespaceName("team")}));
  must(client().update_namespace({.name = NamespaceName("team"), .enabled = false}));
  EXPECT_EQ(client().enqueue({a_job(), job_in_team()}).code(), Code::conflict);
  EXPECT_TRUE(list_all({}).empty()) << "all or nothing";
  restart();
  EXPECT_EQ(client().enqueue({job_in_team()}).code(), Code::conflict);
  must(client().update_namespace({.name = NamespaceName("team"), .enabled = true}));
  EXPECT_TRUE(client().enqueue({job_in_team()}).ok());
}

TEST_P(NamespaceFactsContract, WhatIsThereGoesOnInOneThatIsNotEnabled) {
  join();
  const JobId id = add();
  must(client().update_namespace({.name = kDefault, .enabled = false}));
  const Grant grant = take_one();
  EXPECT_EQ(grant.id, id);
  EXPECT_TRUE(complete(grant).ok());
}

INSTANTIATE_TEST_SUITE_P(Stores, NamespaceFactsContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
