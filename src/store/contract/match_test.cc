// Contract: only the able are asked. Capabilities, labels, names, and jobs nobody can do.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class MatchContract : public StoreContract {
 protected:
  JobId add_needing(std::vector<std::string> needs) {
    return add([&](JobSpec& j) { j.needs = CapabilitySet(std::move(needs)); });
  }
  Registered join_with(std::string id, std::vector<std::string> offers) {
    return join(a_worker(std::move(id), [&](WorkerSpec& w) { w.capabilities = CapabilitySet(std::move(offers)); }));
  }
};

struct Pair {
  const char* name;
  std::vector<std::string> needs;
  std::vector<std::string> offers;
  bool served;
};

TEST_P(MatchContract, AJobIsServedWhenItsNeedsAreASubsetOfTheOffer) {
  const Pair pairs[] = {
      {"nothing needed, nothing offered", {}, {}, true},
      {"nothing needed", {}, {"tool:a"}, true},
      {"exactly", {"tool:a"}, {"tool:a"}, true},
      {"some of it", {"tool:a"}, {"tool:a", "tool:b"}, true},
      {"all of it", {"tool:a", "tool:b"}, {"tool:b", "tool:a"}, true},
      {"nothing offered", {"tool:a"}, {}, false},
      {"one missing", {"tool:a", "tool:b"}, {"tool:a"}, false},
      {"another kind", {"tool:a"}, {"agent:a"}, false},
      {"a prefix", {"tool:ab"}, {"tool:a"}, false},
      {"longer than asked", {"tool:a"}, {"tool:ab"}, false},
      {"another case", {"tool:a"}, {"tool:A"}, false},
  };
  int number = 0;
  for (const Pair& pair : pairs) {
    const std::string id = fmt::format("w{}", ++number);
    join_with(id, pair.offers);
    const JobId wanted = add_needing(pair.needs);
    const std::vector<Grant> grants = take(id, 1);
    EXPECT_EQ(grants.size() == 1, pair.served) << pair.name;
    for (const Grant& grant : grants) must(complete(grant));
    if (grants.empty()) must(cancel(wanted));
  }
}

TEST_P(MatchContract, ASelectorAsksForLabelsOfTheWorker) {
  const JobId id = add([](JobSpec& j) { j.selector = {{"region", "eu"}, {"gpu", "yes"}}; });
  join(a_worker("us", [](WorkerSpec& w) { w.labels = {{"region", "us"}, {"gpu", "yes"}}; }));
  join(a_worker("eu-plain", [](WorkerSpec& w) { w.labels = {{"region", "eu"}}; }));
  join(a_worker("eu-gpu", [](WorkerSpec& w) { w.labels = {{"region", "eu"}, {"gpu", "yes"}, {"more", "x"}}; }));
  EXPECT_TRUE(idle("us"));
  EXPECT_TRUE(idle("eu-plain"));
  EXPECT_EQ(take_one("eu-gpu").id, id);
}

TEST_P(MatchContract, ALabelIsACapabilityWithAndWithoutItsValue) {
  join(a_worker("w1", [](WorkerSpec& w) { w.labels = {{"zone", "a"}}; }));
  add_needing({"label:zone=b"});
  const JobId any = add_needing({"label:zone"});
  const JobId exact = add_needing({"label:zone=a"});
  EXPECT_EQ(ids_of(take("w1", 10)), (std::vector{any, exact}));
}

TEST_P(MatchContract, AJobCanBePinnedToAWorkerByName) {
  const JobId id = add_needing({"worker:w2"});
  join("w1");
  join("w2");
  EXPECT_TRUE(idle("w1"));
  EXPECT_EQ(take_one("w2").id, id);
}

TEST_P(MatchContract, LabelsOfTheJobItselfDoNotRestrictIt) {
  add([](JobSpec& j) { j.labels = {{"customer", "42"}}; });
  join();
  EXPECT_EQ(take_one().labels, (Labels{{"customer", "42"}}));
}

TEST_P(MatchContract, AWorkerOfOneQueueIsNotAskedForAnother) {
  add([](JobSpec& j) { j.queue = QueueName("b"); });
  join(a_worker("w1", [](WorkerSpec& w) { w.queues = {QueueName("a"), QueueName("c")}; }));
  join(a_worker("w2", [](WorkerSpec& w) { w.queues = {QueueName("b")}; }));
  EXPECT_TRUE(idle("w1"));
  EXPECT_FALSE(idle("w2"));
}

TEST_P(MatchContract, AWorkerWithoutQueuesServesEveryQueue) {
  join();
  for (const char* name : {"a", "b", "c"}) add([&](JobSpec& j) { j.queue = QueueName(name); });
  EXPECT_EQ(take("w1", 10).size(), 3u);
}

TEST_P(MatchContract, AWorkerOfOneNamespaceIsNotAskedForAnother) {
  NamespaceInfo info;
  info.name = NamespaceName("other");
  must(client().create_namespace(info));
  add([](JobSpec& j) { j.ns = NamespaceName("other"); });
  join("w1");
  EXPECT_TRUE(idle("w1"));
  join(a_worker("w1", [](WorkerSpec& w) { w.ns = NamespaceName("other"); }));
  ClaimRequest there = claim_of("w1");
  there.ns = NamespaceName("other");
  EXPECT_EQ(must(client().claim(there)).grants.size(), 1u);
}

TEST_P(MatchContract, TenThousandImpossibleJobsDoNotHideOneThatIsPossible) {
  add_many(10'000, a_job([](JobSpec& j) {
             j.needs = CapabilitySet({"tool:nobody"});
             j.priority = 10;
           }));
  const JobId possible = add();
  join();
  EXPECT_EQ(take_one().id, possible);
  EXPECT_TRUE(idle());
}

TEST_P(MatchContract, ImpossibleJobsInManyLanesDoNotHideOneThatIsPossible) {
  std::vector<JobSpec> batch;
  for (int i = 0; i < 2'000; ++i)
    batch.push_back(a_job([&](JobSpec& j) {
      j.needs = CapabilitySet({fmt::format("tool:nobody{}", i % 500)});
      j.type = JobType(fmt::format("t{}", i % 7));
    }));
  must(client().enqueue(batch));
  const JobId possible = add_needing({"tool:mine"});
  join_with("w1", {"tool:mine"});
  EXPECT_EQ(take_one().id, possible);
}

TEST_P(MatchContract, ANewOfferCountsFromTheNextRegistration) {
  add_needing({"tool:late"});
  join_with("w1", {});
  EXPECT_TRUE(idle());
  join_with("w1", {"tool:late"});
  EXPECT_FALSE(idle());
}

TEST_P(MatchContract, ANewOfferCountsAfterAResumeToo) {
  add_needing({"tool:late"});
  const Registered first = join_with("w1", {});
  join(a_worker("w1", [&](WorkerSpec& w) {
    w.capabilities = CapabilitySet({"tool:late"});
    w.resume = first.session;
  }));
  EXPECT_FALSE(idle());
}

TEST_P(MatchContract, NeedsAreMatchedAfterARestart) {
  add_needing({"tool:nobody"});
  const JobId possible = add_needing({"tool:mine"});
  join_with("w1", {"tool:mine"});
  restart();
  EXPECT_EQ(take_one().id, possible);
  EXPECT_TRUE(idle());
}

TEST_P(MatchContract, ANarrowClaimOffersOnlyWhatItNames) {
  join_with("w1", {"tool:a", "tool:b"});
  add_needing({"tool:b"});
  const JobId a = add_needing({"tool:a"});
  const JobId plain = add();
  ClaimRequest narrow = claim_of("w1", 10);
  narrow.narrow = CapabilitySet({"tool:a"});
  EXPECT_EQ(ids_of(must(client().claim(narrow)).grants), (std::vector{a, plain}));
}

TEST_P(MatchContract, AnEmptyNarrowingOffersNothing) {
  join_with("w1", {"tool:a"});
  add_needing({"tool:a"});
  const JobId plain = add();
  ClaimRequest narrow = claim_of("w1", 10);
  narrow.narrow = CapabilitySet();
  EXPECT_EQ(ids_of(must(client().claim(narrow)).grants), std::vector{plain});
}

TEST_P(MatchContract, NarrowingToWhatTheWorkerHasNotGotIsRefused) {
  join_with("w1", {"tool:a"});
  const JobId id = add_needing({"tool:c"});
  ClaimRequest narrow = claim_of("w1");
  narrow.narrow = CapabilitySet({"tool:c"});
  EXPECT_EQ(client().claim(narrow).code(), Code::invalid_argument);
  EXPECT_EQ(state(id), JobState::ready);
}

INSTANTIATE_TEST_SUITE_P(Stores, MatchContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
