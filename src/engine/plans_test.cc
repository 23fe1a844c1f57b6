// Plans and actions: what is refused before the store hears of it.
#include "engine/plans.h"

#include <gtest/gtest.h>

#include "base/ask_testing.h"
#include "model/limits.h"
#include "store/scripted_testing.h"

namespace muster::engine {
namespace {

class PlansTest : public testing::Test {
 protected:
  static store::PlanPut plan(std::string id, std::string text = "{}") {
    store::PlanPut put;
    put.plan.id = PlanId(std::move(id));
    put.plan.text = std::move(text);
    return put;
  }
  // An action whose jobs each wait for those named.
  static ActionSpec action(const std::vector<std::vector<std::uint32_t>>& after) {
    ActionSpec spec{.ns = NamespaceName("default"), .id = ActionId("a1"), .plan = PlanId("p1"), .jobs = {}};
    for (const auto& earlier : after) {
      spec.jobs.push_back({.spec = {}, .after = earlier});
      spec.jobs.back().spec.type = JobType("plan");
    }
    return spec;
  }
  std::string refusal(ActionSpec spec) {
    Caught<store::ActionSubmitted> caught;
    plans_.submit(std::move(spec), caught.reply());
    EXPECT_TRUE(store_.asked().empty());
    return caught.code() == Code::invalid_argument ? caught.message() : "accepted";
  }

  store::ScriptedStore store_;
  Plans plans_{store_};
};

TEST_F(PlansTest, ForwardsAPlanWithinItsBounds) {
  Caught<store::PlanStored> caught;
  plans_.put(plan("p1", std::string(limits::kPlanBytesMax, ' ')), caught.reply());
  EXPECT_EQ(caught.code(), Code::ok);
  EXPECT_EQ(store_.asked().size(), 1u);
}

TEST_F(PlansTest, RefusesAPlanThatIsTooLargeOrHasNoName) {
  Caught<store::PlanStored> large;
  plans_.put(plan("p1", std::string(limits::kPlanBytesMax + 1, ' ')), large.reply());
  EXPECT_EQ(large.message(), "a plan of 1048577 bytes is too large; at most 1048576 are accepted");
  Caught<store::PlanStored> nameless;
  plans_.put(plan(""), nameless.reply());
  EXPECT_EQ(nameless.code(), Code::invalid_argument);
  EXPECT_TRUE(store_.asked().empty());
}

TEST_F(PlansTest, SubmitsAnActionWhoseJobsWaitForEarlierOnes) {
  Caught<store::ActionSubmitted> caught;
  plans_.submit(action({{}, {0}, {0, 1}}), caught.reply());
  EXPECT_EQ(caught.code(), Code::ok);
  const auto actions = store_.given<ActionSpec>(store::Verb::submit_action);
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].jobs.size(), 3u);
}

TEST_F(PlansTest, RefusesAnActionWhoseJobsWaitForThemselvesOrLaterOnes) {
  EXPECT_EQ(refusal(action({{0}})), "job 0 waits for job 0, which is not an earlier one");
  EXPECT_EQ(refusal(action({{}, {2}, {}})), "job 1 waits for job 2, which is not an earlier one");
}

TEST_F(PlansTest, RefusesAnActionWithoutJobsOrWithTooMany) {
  EXPECT_EQ(refusal(action({})), "an action has at least one job");
  EXPECT_EQ(refusal(action(std::vector<std::vector<std::uint32_t>>(limits::kActionJobsMax + 1))),
            "an action of 10001 jobs is too large; at most 10000 are accepted");
}

TEST_F(PlansTest, NamesTheJobThatIsWrong) {
  ActionSpec spec = action({{}, {}});
  spec.jobs[1].spec.type = JobType("");
  EXPECT_EQ(refusal(std::move(spec)), "job 1: type '' has 0 bytes; 1 to 128 are accepted");
}

TEST_F(PlansTest, BoundsPages) {
  Caught<store::PlanPage> plans;
  plans_.list({.ns = NamespaceName("default"), .limit = limits::kPageMax + 1}, plans.reply());
  EXPECT_EQ(plans.message(), "limit is 1001; 1 to 1000 is accepted");
  Caught<store::ActionPage> actions;
  plans_.list_actions({.ns = NamespaceName("default"), .plan = {}, .limit = 0}, actions.reply());
  EXPECT_EQ(actions.message(), "limit is 0; 1 to 1000 is accepted");
  Caught<store::ActionView> view;
  plans_.get_action({.ns = NamespaceName("default"), .id = ActionId("a"), .job_limit = limits::kActionJobsMax + 1}, view.reply());
  EXPECT_EQ(view.message(), "job limit is 10001; 0 to 10000 is accepted");
  EXPECT_TRUE(store_.asked().empty());
}

}  // namespace
}  // namespace muster::engine
