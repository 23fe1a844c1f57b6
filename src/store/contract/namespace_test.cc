// Contract: namespaces, and what the store says about itself.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class NamespaceContract : public StoreContract {
 protected:
  Result<NamespaceInfo> create(const char* name, std::string description = "") {
    NamespaceInfo info;
    info.name = NamespaceName(name);
    info.description = std::move(description);
    return client().create_namespace(info);
  }
  std::vector<std::string> names() {
    std::vector<std::string> found;
    for (const NamespaceInfo& info : must(client().list_namespaces())) found.push_back(info.name.text());
    std::sort(found.begin(), found.end());
    return found;
  }
  Code remove(const char* name) { return client().delete_namespace(NamespaceName(name)).code(); }
};

using Names = std::vector<std::string>;

TEST_P(NamespaceContract, TheDefaultOneIsThereFromTheStart) { EXPECT_EQ(names(), Names{"default"}); }

TEST_P(NamespaceContract, ANewOneIsListedWithItsDescription) {
  advance(5s);
  const NamespaceInfo made = must(create("team-a", "the A team"));
  EXPECT_EQ(made.name.text(), "team-a");
  EXPECT_EQ(made.description, "the A team");
  EXPECT_EQ(made.created_at, now());
  EXPECT_EQ(names(), (Names{"default", "team-a"}));
}

TEST_P(NamespaceContract, ATakenNameIsRefused) {
  must(create("team-a", "first"));
  EXPECT_EQ(create("team-a", "second").code(), Code::already_exists);
  EXPECT_EQ(create("default").code(), Code::already_exists);
  for (const NamespaceInfo& info : must(client().list_namespaces())) EXPECT_NE(info.description, "second");
}

TEST_P(NamespaceContract, AnEmptyOneCanBeDeletedAndMadeAgain) {
  must(create("team-a"));
  EXPECT_EQ(remove("team-a"), Code::ok);
  EXPECT_EQ(names(), Names{"default"});
  EXPECT_TRUE(create("team-a").ok());
}

TEST_P(NamespaceContract, ADeletedOneTakesNoMoreWork) {
  must(create("team-a"));
  EXPECT_EQ(remove("team-a"), Code::ok);
  EXPECT_EQ(client().enqueue({a_job([](JobSpec& j) { j.ns = NamespaceName("team-a"); })}).code(), Code::not_found);
  EXPECT_EQ(client().register_worker(a_worker("w", [](WorkerSpec& w) { w.ns = NamespaceName("team-a"); })).code(),
            Code::not_found);
}

TEST_P(NamespaceContract, TheDefaultOneStays) {
  EXPECT_EQ(remove("default"), Code::conflict);
  EXPECT_EQ(names(), Names{"default"});
}

TEST_P(NamespaceContract, AnUnknownOneIsNotFound) { EXPECT_EQ(remove("nowhere"), Code::not_found); }

TEST_P(NamespaceContract, OneThatHoldsJobsStays) {
  must(create("team-a"));
  const JobId id = add([](JobSpec& j) { j.ns = NamespaceName("team-a"); });
  EXPECT_EQ(remove("team-a"), Code::conflict);
  must(cancel(id));
  EXPECT_EQ(remove("team-a"), Code::conflict);  // a finished job is still a job
  EXPECT_EQ(state(id), JobState::cancelled);
}

TEST_P(NamespaceContract, OneThatHoldsWorkersStays) {
  must(create("team-a"));
  join(a_worker("w1", [](WorkerSpec& w) { w.ns = NamespaceName("team-a"); }));
  EXPECT_EQ(remove("team-a"), Code::conflict);
}

TEST_P(NamespaceContract, OneThatIsEmptyAgainCanBeDeleted) {
  must(create("team-a"));
  const JobId id = add([](JobSpec& j) { j.ns = NamespaceName("team-a"); });
  must(cancel(id));
  join(a_worker("w1", [](WorkerSpec& w) { w.ns = NamespaceName("team-a"); }));
  must(client().unregister({NamespaceName("team-a"), WorkerId("w1"), std::nullopt}));
  advance(limits::kFinishedKeptDefault);
  must(client().prune_finished({}, kSweepLimit));
  must(client().prune_workers(0s, kSweepLimit));
  EXPECT_EQ(remove("team-a"), Code::ok);
}

TEST_P(NamespaceContract, SettingsOfADeletedOneDoNotComeBack) {
  must(create("team-a"));
  QueueChange change;
  change.ns = NamespaceName("team-a");
  change.queue = kQueue;
  change.paused = true;
  must(client().change_queue(change));
  EXPECT_EQ(remove("team-a"), Code::ok);
  must(create("team-a"));
  EXPECT_TRUE(must(client().list_queues(NamespaceName("team-a"))).empty());
  restart();
  EXPECT_TRUE(must(client().list_queues(NamespaceName("team-a"))).empty());
}

TEST_P(NamespaceContract, NamespacesSurviveARestart) {
  must(create("team-a", "the A team"));
  must(create("team-b"));
  EXPECT_EQ(remove("team-b"), Code::ok);
  restart();
  EXPECT_EQ(names(), (Names{"default", "team-a"}));
  std::vector<std::string> descriptions;
  for (const NamespaceInfo& info : must(client().list_namespaces())) descriptions.push_back(info.description);
  EXPECT_EQ(std::count(descriptions.begin(), descriptions.end(), "the A team"), 1);
}

TEST_P(NamespaceContract, TheStoreDescribesItself) {
  join();
  make_completed();
  add_many(3);
  const StoreInfo info = must(client().info());
  EXPECT_FALSE(info.kind.empty());
  EXPECT_FALSE(info.location.empty());
  EXPECT_GT(info.schema_version, 0u);
  EXPECT_GT(info.bytes, 0u);
  EXPECT_EQ(info.jobs_live, 3u);
  EXPECT_EQ(info.jobs_finished, 1u);
  EXPECT_GT(info.commits, 0u);
}

TEST_P(NamespaceContract, AHealthyStoreSaysSo) {
  EXPECT_TRUE(harness().store().health().writable);
  EXPECT_EQ(harness().store().health().reason, "");
}

INSTANTIATE_TEST_SUITE_P(Stores, NamespaceContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
