// PLAN.SUBMIT, PLAN.LIST, PLAN.GET and PLAN.DELETE over the wire.
#include "fronts/resp/plans/calls_testing.h"

namespace muster::resp {
namespace {

class PlanCalls : public PlansTest {};

std::string plan_named(const std::string& id) {
  return Json{{"plan_id", id}, {"tasks", Json::array({{{"task_number", 1}, {"command", "sort"}}})}}.dump();
}

TEST_F(PlanCalls, J1SubmitAnswersWithTheIdAndThePlanIsReadableAtOnce) {
  start();
  Wire wire = operate();
  EXPECT_EQ(
      wire.call_bytes("*2\r\n$11\r\nPLAN.SUBMIT\r\n$80\r\n"
                      "{\"plan_id\":\"plan-t1\",\"tasks\":[{\"task_number\":1,\"command\":\"echo\",\"args\":[\"hi\"]}]}\r\n"),
      "$7\r\nplan-t1\r\n");
  EXPECT_EQ(json_of(wire.call({"PLAN.GET", "plan-t1"}))["plan_id"], "plan-t1");
}

TEST_F(PlanCalls, J2J4SubmitRefusesWhatIsNoPlanAndKeepsNothing) {
  start();
  Wire wire = operate();
  EXPECT_TRUE(wire.call({"PLAN.SUBMIT", "{"}).starts_with("-ERR Invalid JSON: "));
  EXPECT_EQ(wire.call({"PLAN.SUBMIT", R"({"plan_id":"p","tasks":[]})"}),
            "-ERR Plan validation failed: [] has less than 1 item\r\n");
  EXPECT_EQ(wire.call({"PLAN.SUBMIT"}), "-ERR PLAN.SUBMIT requires exactly one argument (plan JSON)\r\n");
  EXPECT_EQ(wire.call({"PLAN.SUBMIT", R"({"plan_id":"a b","tasks":[{"task_number":1,"command":"x"}]})"}),
            "-ERR plan_id contains invalid characters (only alphanumeric, hyphens, and underscores allowed)\r\n");
  EXPECT_EQ(wire.call({"PLAN.LIST"}), "*0\r\n");
}

TEST_F(PlanCalls, SubmittingTheSameTextAgainIsFineAndAnotherTextIsRefused) {
  start_with_plan();
  Wire wire = operate();
  EXPECT_EQ(wire.call({"PLAN.SUBMIT", kEchoPlan}), "$7\r\nplan-t1\r\n");
  EXPECT_EQ(wire.call({"PLAN.SUBMIT", plan_named("plan-t1")}), "-ERR Plan already exists: plan-t1\r\n");
  EXPECT_EQ(json_of(wire.call({"PLAN.GET", "plan-t1"}))["tasks"][0]["command"], "echo");
}

TEST_F(PlanCalls, TheSamePlanInAnotherTextIsTheSamePlan) {
  start();
  Wire wire = operate();
  const std::string tasks = R"("tasks":[{"task_number":1,"command":"echo","args":["hi"]}])";
  ASSERT_EQ(wire.call({"PLAN.SUBMIT", R"({"plan_id":"p","job_id":"job-1",)" + tasks + "}"}), "$1\r\np\r\n");
  for (const std::string& text : {R"({ "plan_id": "p", )" + tasks + "\n}", "{" + tasks + R"(,"plan_id":"p"})",
                                  R"({"plan_id":"p","job_id":"job-2",)" + tasks + "}"})
    EXPECT_EQ(wire.call({"PLAN.SUBMIT", text}), "$1\r\np\r\n") << text;
  EXPECT_EQ(json_of(wire.call({"PLAN.GET", "p"}))["job_id"], "job-1") << "the first one stays";
  EXPECT_EQ(wire.call({"PLAN.SUBMIT", R"({"plan_id":"p","note":1,)" + tasks + "}"}), "-ERR Plan already exists: p\r\n");
}

TEST_F(PlanCalls, WithTheOverwritingHabitAnotherTextReplacesThePlanAtOnce) {
  RespOptions options;
  options.compat_flags.plans_overwrite = true;
  start_with_plan(options);
  Wire wire = operate();
  // The cache has seen the old one.
  ASSERT_EQ(act(wire, "a1", 1).size(), 1U);
  ASSERT_EQ(wire.call({"PLAN.SUBMIT", plan_named("plan-t1")}), "$7\r\nplan-t1\r\n");
  const auto jobs = act(wire, "a2", 1);
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(json_of(wire.call({"JOB.GET", jobs[0]}))["command"], "sort");
}

TEST_F(PlanCalls, J5GetOfAnUnknownPlanIsAnError) {
  start();
  Wire wire = operate();
  EXPECT_EQ(wire.call({"PLAN.GET", "nope"}), "-ERR Plan not found: nope\r\n");
  EXPECT_EQ(wire.call({"PLAN.GET"}), "-ERR PLAN.GET requires exactly one argument (plan_id)\r\n");
  EXPECT_EQ(wire.call({"PLAN.GET", std::string(65, 'x')}), "-ERR plan_id must be between 1 and 64 characters\r\n");
}

TEST_F(PlanCalls, GetCountsTheUseOfThePlan) {
  start_with_plan();
  Wire wire = operate();
  Json before = json_of(wire.call({"PLAN.GET", "plan-t1"}));
  EXPECT_EQ(before["metadata"], Json::parse(R"({"created_at":1700000000,"last_used":0,"total_actions":0,"total_jobs":0})"));
  advance(Duration(3'000));
  act(wire, "a1", 3);
  Json after = json_of(wire.call({"PLAN.GET", "plan-t1"}));
  EXPECT_EQ(after["metadata"],
            Json::parse(R"({"created_at":1700000000,"last_used":1700000003,"total_actions":1,"total_jobs":3})"));
  EXPECT_EQ(after["tasks"], Json::parse(kEchoPlan)["tasks"]);
}

TEST_F(PlanCalls, ListWithoutArgumentsIsAnArrayOfDocumentsWhoseTimesAreText) {
  start_with_plan();
  Wire wire = operate();
  const auto plans = texts_of(wire.call({"PLAN.LIST"}));
  ASSERT_EQ(plans.size(), 1U);
  EXPECT_EQ(plans[0], R"({"created_at":"2023-11-14T22:13:20.000Z","description":null,"last_used":null,"plan_description":null,)"
                      R"("plan_id":"plan-t1","task_count":1,"total_actions":0,"total_jobs":0})");
}

TEST_F(PlanCalls, ListWithNumbersIsOneDocumentOldestFirst) {
  start();
  Wire wire = operate();
  for (const char* id : {"p1", "p2", "p3"}) {
    ASSERT_TRUE(wire.call({"PLAN.SUBMIT", plan_named(id)}).starts_with("$"));
    advance(Duration(1'000));
  }
  const Json page = json_of(wire.call({"PLAN.LIST", "1", "2"}));
  ASSERT_EQ(page.size(), 2U);
  EXPECT_EQ(page[0], Json::parse(R"({"created_at":1700000001,"last_used":0,"plan_description":"","plan_id":"p2",)"
                                 R"("task_count":1,"total_actions":0,"total_jobs":0})"));
  EXPECT_EQ(page[1]["plan_id"], "p3");
  EXPECT_EQ(json_of(wire.call({"PLAN.LIST", "0"})).size(), 3U);
  EXPECT_EQ(wire.call({"PLAN.LIST", "9"}), "$2\r\n[]\r\n");
}

TEST_F(PlanCalls, ListRefusesNumbersThatAreNone) {
  start();
  Wire wire = operate();
  EXPECT_EQ(wire.call({"PLAN.LIST", "1x"}), "-ERR offset must be a non-negative integer\r\n");
  EXPECT_EQ(wire.call({"PLAN.LIST", "0", "x"}), "-ERR limit must be a positive integer\r\n");
  EXPECT_EQ(wire.call({"PLAN.LIST", "-1"}), "-ERR offset must be >= 0 and limit must be > 0\r\n");
  EXPECT_EQ(wire.call({"PLAN.LIST", "0", "0"}), "-ERR offset must be >= 0 and limit must be > 0\r\n");
  EXPECT_EQ(wire.call({"PLAN.LIST", "9223372036854775807", "50"}), "-ERR Pagination range overflow\r\n");
}

TEST_F(PlanCalls, ListWithAPatternIsAnArrayOfNames) {
  start();
  Wire wire = operate();
  for (const char* id : {"sum-1", "sort-1", "sort-2"}) wire.call({"PLAN.SUBMIT", plan_named(id)});
  EXPECT_EQ(texts_of(wire.call({"PLAN.LIST", "sort-*"})), (std::vector<std::string>{"sort-1", "sort-2"}));
  EXPECT_EQ(texts_of(wire.call({"PLAN.LIST", "limit", "1", "OFFSET", "1"})), (std::vector<std::string>{"sort-1"}));
  EXPECT_EQ(texts_of(wire.call({"PLAN.LIST", "*", "LIMIT", "2"})), (std::vector<std::string>{"sum-1", "sort-1"}));
  EXPECT_EQ(wire.call({"PLAN.LIST", "x*", "LIMIT"}), "-ERR syntax error: PLAN.LIST [pattern] [LIMIT n] [OFFSET n]\r\n");
  EXPECT_EQ(wire.call({"PLAN.LIST", "x*", "LIMIT", "0"}), "-ERR limit must be a positive integer\r\n");
}

TEST_F(PlanCalls, DeleteForgetsAPlanThatNoUnfinishedJobNeeds) {
  start_with_plan();
  Wire wire = operate();
  const auto jobs = act(wire, "a1", 1);
  EXPECT_EQ(wire.call({"PLAN.DELETE", "plan-t1"}), "-ERR Cannot delete plan with active jobs\r\n");
  EXPECT_EQ(take(wire), jobs.at(0));
  ASSERT_EQ(wire.call({"JOB.UPDATE", jobs[0], R"({"status":"completed"})"}), "+OK\r\n");
  EXPECT_EQ(wire.call({"PLAN.DELETE", "plan-t1"}), ":1\r\n");
  EXPECT_EQ(wire.call({"PLAN.DELETE", "plan-t1"}), ":0\r\n");
  EXPECT_EQ(wire.call({"PLAN.GET", "plan-t1"}), "-ERR Plan not found: plan-t1\r\n");
  EXPECT_EQ(wire.call({"ACTION.SUBMIT", R"({"action_id":"a2","plan_id":"plan-t1","inputs":[1]})"}),
            "-ERR Plan not found: plan-t1\r\n");
}

TEST_F(PlanCalls, TheOriginalsRateLimitAppliesOnlyWhenItIsSet) {
  RespOptions options;
  options.limits.plan_submits_per_minute = 2;
  start(options);
  Wire wire = operate();
  EXPECT_EQ(wire.call({"PLAN.SUBMIT", plan_named("p1")}), "$2\r\np1\r\n");
  EXPECT_TRUE(wire.call({"PLAN.SUBMIT", "{"}).starts_with("-ERR Invalid JSON"));
  EXPECT_EQ(wire.call({"PLAN.SUBMIT", plan_named("p2")}),
            "-ERR Protocol error: Rate limit exceeded for PLAN.SUBMIT (max 2/minute)\r\n");
  advance(Duration(30'000));
  EXPECT_EQ(wire.call({"PLAN.SUBMIT", plan_named("p2")}), "$2\r\np2\r\n");
}

TEST_F(PlanCalls, OfAWorkersKeyAreReadingOnes) {
  RespOptions options;
  options.keys.push_back({.name = "w", .role = command::Role::worker, .secret = std::string(64, 'b'), .worker = WorkerId("w-1")});
  start_with_plan(options);
  Wire wire = authenticate({std::string(64, 'b')});
  EXPECT_TRUE(wire.call({"PLAN.SUBMIT", plan_named("p")}).starts_with("-ERR NOPERM"));
  EXPECT_TRUE(wire.call({"PLAN.DELETE", "plan-t1"}).starts_with("-ERR NOPERM"));
  EXPECT_TRUE(wire.call({"DEL", "plan:plan-t1"}).starts_with("-ERR NOPERM"));
  EXPECT_TRUE(wire.call({"ACTION.SUBMIT", "{}"}).starts_with("-ERR NOPERM"));
  EXPECT_TRUE(wire.call({"JOB.RETRY", "x"}).starts_with("-ERR NOPERM"));
  EXPECT_EQ(json_of(wire.call({"PLAN.GET", "plan-t1"}))["plan_id"], "plan-t1");
}

}  // namespace
}  // namespace muster::resp
