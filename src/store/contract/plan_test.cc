// Contract: plans, and jobs that are found by the key a client gave them.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

PlanSpec a_plan(std::string id, std::string text = R"({"tasks":[{"task_number":1,"command":"sort"}]})") {
  PlanSpec spec;
  spec.id = PlanId(std::move(id));
  spec.text = std::move(text);
  spec.description = "sorts lines";
  spec.tasks = 1;
  spec.needs = CapabilitySet({"tool:sort"});
  return spec;
}

class PlanContract : public StoreContract {
 protected:
  Result<PlanStored> put(PlanSpec spec, bool replace = false) { return client().put_plan({std::move(spec), replace}); }
  Result<Plan> get(const char* id) { return client().get_plan(kDefault, PlanId(id)); }
  std::vector<std::string> listed(PlanQuery query) {
    query.ns = kDefault;
    std::vector<std::string> names;
    for (const Plan& plan : must(client().list_plans(query)).plans) names.push_back(plan.spec.id.text());
    return names;
  }
};

using Names = std::vector<std::string>;

TEST_P(PlanContract, APlanReadsAsItWasPut) {
  advance(5s);
  const PlanStored stored = must(put(a_plan("p1")));
  EXPECT_FALSE(stored.existed);
  EXPECT_EQ(stored.plan.spec, a_plan("p1"));
  EXPECT_EQ(stored.plan.created_at, now());
  const Plan read = must(get("p1"));
  EXPECT_EQ(read.spec, a_plan("p1"));
  EXPECT_EQ(read.created_at, now());
  EXPECT_FALSE(read.last_used_at.has_value());
  EXPECT_EQ(read.actions, 0u);
  EXPECT_EQ(read.jobs, 0u);
}

TEST_P(PlanContract, TextAndDescriptionKeepEveryByte) {
  PlanSpec spec = a_plan("p1", "{\"a\":\"\xC3\xA4 \\u0000 \\n\"}\n");
  spec.description = "zwei\nZeilen \xE2\x82\xAC";
  spec.needs = CapabilitySet({"tool:a", "tool:b"});
  spec.tasks = 7;
  must(put(spec));
  EXPECT_EQ(must(get("p1")).spec, spec);
}

TEST_P(PlanContract, TheSameTextAgainIsNothingNew) {
  const PlanStored first = must(put(a_plan("p1")));
  advance(5s);
  const PlanStored second = must(put(a_plan("p1")));
  EXPECT_TRUE(second.existed);
  EXPECT_EQ(second.plan.created_at, first.plan.created_at);
}

TEST_P(PlanContract, AnotherTextIsRefusedAndChangesNothing) {
  must(put(a_plan("p1")));
  EXPECT_EQ(put(a_plan("p1", R"({"other":1})")).code(), Code::already_exists);
  EXPECT_EQ(must(get("p1")).spec, a_plan("p1"));
}

TEST_P(PlanContract, AnotherTextReplacesWhenAsked) {
  const Instant created = must(put(a_plan("p1"))).plan.created_at;
  advance(5s);
  PlanSpec other = a_plan("p1", R"({"other":1})");
  other.description = "else";
  other.tasks = 3;
  other.needs = CapabilitySet({"tool:uniq"});
  EXPECT_FALSE(must(put(other, true)).existed);
  const Plan read = must(get("p1"));
  EXPECT_EQ(read.spec, other);
  EXPECT_EQ(read.created_at, created);
  EXPECT_EQ(listed({}), Names{"p1"});
}

TEST_P(PlanContract, EachOfManyIsAnsweredByItself) {
  must(put(a_plan("p1")));
  must(put(a_plan("p3")));
  const Each<Plan> found = must(client().get_plans(kDefault, {PlanId("p3"), PlanId("p2"), PlanId("p1"), PlanId("p3")}));
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0]->spec.id.text(), "p3");
  EXPECT_EQ(found[1].code(), Code::not_found);
  EXPECT_EQ(found[2]->spec.id.text(), "p1");
  EXPECT_EQ(found[3]->spec.id.text(), "p3");
}

TEST_P(PlanContract, AListIsOldestFirstInPagesWithItsTotal) {
  for (const char* id : {"c", "a", "d", "b"}) {
    must(put(a_plan(id)));
    advance(1s);
  }
  EXPECT_EQ(listed({}), (Names{"c", "a", "d", "b"}));
  EXPECT_EQ(listed({.limit = 2}), (Names{"c", "a"}));
  EXPECT_EQ(listed({.offset = 2, .limit = 2}), (Names{"d", "b"}));
  EXPECT_EQ(listed({.offset = 3, .limit = 2}), Names{"b"});
  EXPECT_TRUE(listed({.offset = 4}).empty());
  EXPECT_EQ(must(client().list_plans({.ns = kDefault, .offset = 3, .limit = 1})).total, 4u);
}

TEST_P(PlanContract, AListCarriesTextsOnlyWhenAsked) {
  must(put(a_plan("p1")));
  EXPECT_TRUE(must(client().list_plans({.ns = kDefault})).plans.at(0).spec.text.empty());
  EXPECT_EQ(must(client().list_plans({.ns = kDefault, .with_text = true})).plans.at(0).spec, a_plan("p1"));
}

TEST_P(PlanContract, ADeletedPlanIsGoneAndItsNameIsFree) {
  must(put(a_plan("p1")));
  EXPECT_EQ(must(client().delete_plan(kDefault, PlanId("p1"))).spec, a_plan("p1"));
  EXPECT_EQ(get("p1").code(), Code::not_found);
  EXPECT_EQ(client().delete_plan(kDefault, PlanId("p1")).code(), Code::not_found);
  EXPECT_TRUE(listed({}).empty());
  EXPECT_FALSE(must(put(a_plan("p1", R"({"other":1})"))).existed);
}

TEST_P(PlanContract, NamespacesHaveTheirOwnPlans) {
  must(client().create_namespace({.name = NamespaceName("other")}));
  PlanSpec elsewhere = a_plan("p1", R"({"other":1})");
  elsewhere.ns = NamespaceName("other");
  must(put(a_plan("p1")));
  EXPECT_FALSE(must(put(elsewhere)).existed);
  EXPECT_EQ(must(get("p1")).spec, a_plan("p1"));
  EXPECT_EQ(must(client().get_plan(NamespaceName("other"), PlanId("p1"))).spec, elsewhere);
  EXPECT_EQ(must(client().list_plans({.ns = kDefault})).total, 1u);
}

TEST_P(PlanContract, AnUnknownNamespaceIsNotFound) {
  const NamespaceName nowhere("nowhere");
  PlanSpec spec = a_plan("p1");
  spec.ns = nowhere;
  EXPECT_EQ(put(spec).code(), Code::not_found);
  EXPECT_EQ(client().get_plan(nowhere, PlanId("p1")).code(), Code::not_found);
  EXPECT_EQ(client().list_plans({.ns = nowhere}).code(), Code::not_found);
  EXPECT_EQ(client().delete_plan(nowhere, PlanId("p1")).code(), Code::not_found);
  EXPECT_EQ(client().find_job(nowhere, "k").code(), Code::not_found);
}

TEST_P(PlanContract, PlansSurviveARestart) {
  must(put(a_plan("p1")));
  must(put(a_plan("p2")));
  must(client().delete_plan(kDefault, PlanId("p2")));
  restart();
  EXPECT_EQ(must(get("p1")).spec, a_plan("p1"));
  EXPECT_EQ(listed({}), Names{"p1"});
}

TEST_P(PlanContract, PlansGoWithTheirNamespace) {
  must(client().create_namespace({.name = NamespaceName("other")}));
  PlanSpec spec = a_plan("p1");
  spec.ns = NamespaceName("other");
  must(put(spec));
  must(client().delete_namespace(NamespaceName("other")));
  must(client().create_namespace({.name = NamespaceName("other")}));
  EXPECT_EQ(client().get_plan(NamespaceName("other"), PlanId("p1")).code(), Code::not_found);
  EXPECT_EQ(must(client().list_plans({.ns = NamespaceName("other")})).total, 0u);
}

TEST_P(PlanContract, AJobIsFoundByTheKeyItWasEnqueuedWith) {
  const JobId first = add([](JobSpec& j) { j.idempotency_key = "resp:one"; });
  const JobId second = add([](JobSpec& j) { j.idempotency_key = "resp:two"; });
  const Each<JobId> found = must(client().find_jobs(kDefault, {"resp:two", "resp:three", "resp:one"}));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(*found[0], second);
  EXPECT_EQ(found[1].code(), Code::not_found);
  EXPECT_EQ(*found[2], first);
}

TEST_P(PlanContract, AKeyOfAnotherNamespaceFindsNothing) {
  must(client().create_namespace({.name = NamespaceName("other")}));
  add([](JobSpec& j) { j.idempotency_key = "mine"; });
  EXPECT_EQ(client().find_job(NamespaceName("other"), "mine").code(), Code::not_found);
}

TEST_P(PlanContract, AFinishedJobIsFoundUntilItIsForgotten) {
  join();
  const JobId id = make_completed(a_job([](JobSpec& j) { j.idempotency_key = "mine"; }));
  EXPECT_EQ(must(client().find_job(kDefault, "mine")), id);
  advance(limits::kFinishedKeptDefault);
  must(client().prune_finished({}, kSweepLimit));
  EXPECT_EQ(client().find_job(kDefault, "mine").code(), Code::not_found);
}

INSTANTIATE_TEST_SUITE_P(Stores, PlanContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
