#include "fronts/resp/plans/plan_cache.h"

#include "fronts/resp/plans/calls_testing.h"

namespace muster::resp::plans {
namespace {

class ShelfTest : public PlansTest {
 protected:
  // What the cache finds, and whether it knew without asking.
  struct Finding {
    std::shared_ptr<const StoredPlan> plan;
    bool at_once = false;
  };
  Finding find(const std::string& id) {
    auto found = std::make_shared<std::promise<std::shared_ptr<const StoredPlan>>>();
    auto answered = std::make_shared<std::atomic<bool>>(false);
    Finding finding;
    on_loop([&] {
      core().plan_cache->find(id, [found, answered](std::shared_ptr<const StoredPlan> plan) {
        answered->store(true);
        found->set_value(std::move(plan));
      });
      finding.at_once = answered->load();
    });
    finding.plan = found->get_future().get();
    return finding;
  }
};

TEST_F(ShelfTest, AnswersAKnownPlanAtOnceAndReadsItAgainAfterAWhile) {
  start_with_plan();
  EXPECT_FALSE(find("plan-t1").at_once);
  const Finding second = find("plan-t1");
  EXPECT_TRUE(second.at_once);
  ASSERT_TRUE(second.plan);
  EXPECT_EQ(second.plan->text, kEchoPlan);
  EXPECT_EQ(second.plan->document.tasks[0].command, "echo");
  advance(PlanCache::kKept);
  EXPECT_FALSE(find("plan-t1").at_once);
}

TEST_F(ShelfTest, DoesNotBelieveThatAnUnknownPlanStaysUnknown) {
  start();
  EXPECT_EQ(find("plan-t1").plan, nullptr);
  Wire wire = operate();
  ASSERT_EQ(wire.call({"PLAN.SUBMIT", kEchoPlan}), "$7\r\nplan-t1\r\n");
  EXPECT_NE(find("plan-t1").plan, nullptr);
}

TEST_F(ShelfTest, ADroppedPlanIsReadAgain) {
  start_with_plan();
  find("plan-t1");
  on_loop([&] { core().plan_cache->drop("plan-t1"); });
  EXPECT_FALSE(find("plan-t1").at_once);
}

TEST_F(ShelfTest, WhoAsksAfterAChangeDoesNotGetWhatWasReadBeforeIt) {
  start_with_plan();
  std::promise<std::shared_ptr<const StoredPlan>> late;
  on_loop([&] {
    core().plan_cache->find("plan-t1", [](const std::shared_ptr<const StoredPlan>&) {});
    core().plan_cache->drop("plan-t1");
    core().plan_cache->find("plan-t1", [&](std::shared_ptr<const StoredPlan> plan) { late.set_value(std::move(plan)); });
  });
  EXPECT_NE(late.get_future().get(), nullptr);
  EXPECT_TRUE(find("plan-t1").at_once);
}

TEST_F(ShelfTest, HoldsABoundedNumberAndForgetsTheLeastUsed) {
  start();
  auto plan = read_plan(kEchoPlan);
  ASSERT_TRUE(plan.ok());
  const auto shared = std::make_shared<const StoredPlan>(*std::move(plan));
  on_loop([&] {
    PlanCache& plan_cache = *core().plan_cache;
    for (std::size_t i = 0; i < PlanCache::kPlansMax; ++i) plan_cache.keep("p" + std::to_string(i), shared);
    plan_cache.find("p0", [](const std::shared_ptr<const StoredPlan>&) {});  // used, so it stays
    plan_cache.keep("new", shared);
    EXPECT_EQ(plan_cache.size(), PlanCache::kPlansMax);
  });
  EXPECT_TRUE(find("p0").at_once);
  EXPECT_FALSE(find("p1").at_once);
}

TEST_F(ShelfTest, LimitsAreOffUnlessSet) {
  RespOptions options;
  options.limits.heartbeats_per_minute = 3;
  start(options);
  on_loop([&] {
    PlanCache& plan_cache = *core().plan_cache;
    for (int i = 0; i < 1'000; ++i) EXPECT_TRUE(plan_cache.spend(Limited::job_get));
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(plan_cache.spend(Limited::heartbeat));
    EXPECT_FALSE(plan_cache.spend(Limited::heartbeat));
  });
  advance(Duration(20'000));
  on_loop([&] { EXPECT_TRUE(core().plan_cache->spend(Limited::heartbeat)); });
}

}  // namespace
}  // namespace muster::resp::plans
