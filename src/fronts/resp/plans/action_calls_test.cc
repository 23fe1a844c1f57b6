// ACTION.SUBMIT, ACTION.LIST, ACTION.GET and ACTION.STATUS over the wire.
#include <regex>

#include "fronts/resp/plans/calls_testing.h"

namespace muster::resp {
namespace {

class ActionCalls : public PlansTest {};

TEST_F(ActionCalls, J8OfAnUnknownPlanIsRefused) {
  start();
  Wire wire = operate();
  EXPECT_EQ(
      wire.call_bytes("*2\r\n$13\r\nACTION.SUBMIT\r\n$49\r\n{\"action_id\":\"a1\",\"plan_id\":\"nope\",\"inputs\":[{}]}\r\n"),
      "-ERR Plan not found: nope\r\n");
}

TEST_F(ActionCalls, J10J11SubmitMakesOneJobForEachInputAndItsNameIsTaken) {
  start_with_plan();
  Wire wire = operate();
  const std::string request = R"({"action_id":"a1","plan_id":"plan-t1","inputs":[{"n":1},{"n":2}]})";
  const std::string reply = wire.call({"ACTION.SUBMIT", request});
  const Json made = json_of(reply);
  EXPECT_EQ(made["action_id"], "a1");
  EXPECT_EQ(made["plan_id"], "plan-t1");
  EXPECT_EQ(made["jobs_created"], 2);
  ASSERT_EQ(made["job_ids"].size(), 2U);
  for (const Json& id : made["job_ids"]) EXPECT_TRUE(std::regex_match(id.get<std::string>(), std::regex("^job_[0-9a-f]{32}$")));
  EXPECT_EQ(bulk_of(reply), made.dump());  // compact, keys in order
  EXPECT_EQ(wire.call({"ACTION.SUBMIT", request}), "-ERR Action ID already exists: a1\r\n");
  EXPECT_EQ(wire.call({"LLEN", "queue:ready"}), ":2\r\n");
}

TEST_F(ActionCalls, SubmitSaysWhatIsWrongAndMakesNoJob) {
  start_with_plan();
  Wire wire = operate();
  const auto refused = [&](const std::string& json) { return wire.call({"ACTION.SUBMIT", json}); };
  EXPECT_EQ(wire.call({"ACTION.SUBMIT"}), "-ERR ACTION.SUBMIT requires exactly one argument (action JSON)\r\n");
  EXPECT_TRUE(refused("{").starts_with("-ERR Invalid JSON: "));
  EXPECT_TRUE(refused(std::string(100'000, '[')).starts_with("-ERR Invalid JSON: nested deeper"));
  EXPECT_EQ(refused("[]"), "-ERR Missing required field: action_id\r\n");
  EXPECT_EQ(refused(R"({"plan_id":"p"})"), "-ERR Missing required field: action_id\r\n");
  EXPECT_EQ(refused(R"({"action_id":"a"})"), "-ERR Missing required field: plan_id\r\n");
  EXPECT_EQ(refused(R"({"action_id":"a b","plan_id":"plan-t1","inputs":[1]})"),
            "-ERR action_id contains invalid characters (only alphanumeric, hyphens, and underscores allowed)\r\n");
  EXPECT_EQ(refused(R"({"action_id":"a","plan_id":"plan-t1"})"), "-ERR Missing or invalid field: inputs (must be array)\r\n");
  EXPECT_EQ(refused(R"({"action_id":"a","plan_id":"plan-t1","inputs":{}})"),
            "-ERR Missing or invalid field: inputs (must be array)\r\n");
  EXPECT_EQ(refused(R"({"action_id":"a","plan_id":"plan-t1","inputs":[]})"),
            "-ERR inputs array must contain at least one input\r\n");
  EXPECT_EQ(refused(R"({"action_id":"a","plan_id":"plan-t1","inputs":[1],"job_unit":"step"})"),
            "-ERR job_unit must be one of: plan, task\r\n");
  const Json many{{"action_id", "a"}, {"plan_id", "plan-t1"}, {"inputs", std::vector<int>(101)}};
  EXPECT_EQ(refused(many.dump()), "-ERR inputs array exceeds maximum of 100 inputs per Action\r\n");
  EXPECT_EQ(wire.call({"JOBS.LIST"}), "*0\r\n");
  EXPECT_EQ(wire.call({"ACTION.LIST"}), "$2\r\n[]\r\n");
}

TEST_F(ActionCalls, HowManyInputsAreAcceptedIsConfigured) {
  RespOptions options;
  options.limits.action_inputs_max = 250;
  start_with_plan(options);
  Wire wire = operate();
  EXPECT_EQ(act(wire, "a1", 250).size(), 250U);
  const Json many{{"action_id", "a2"}, {"plan_id", "plan-t1"}, {"inputs", std::vector<int>(251)}};
  EXPECT_EQ(wire.call({"ACTION.SUBMIT", many.dump()}), "-ERR inputs array exceeds maximum of 250 inputs per Action\r\n");
}

TEST_F(ActionCalls, WithTheHabitNoInputsRunThePlanOnce) {
  RespOptions options;
  options.compat_flags.empty_inputs_run_once = true;
  start_with_plan(options);
  Wire wire = operate();
  const Json made = json_of(wire.call({"ACTION.SUBMIT", R"({"action_id":"a1","plan_id":"plan-t1","inputs":[]})"}));
  ASSERT_EQ(made["jobs_created"], 1);
  EXPECT_EQ(json_of(wire.call({"JOB.GET", made["job_ids"][0]}))["input"], Json::object());
}

TEST_F(ActionCalls, TheUnitTaskMakesAJobOfEveryTaskThatWaitsForItsSource) {
  start();
  Wire wire = operate();
  ASSERT_EQ(wire.call({"PLAN.SUBMIT", R"({"plan_id":"p","tasks":[{"task_number":1,"command":"cat","args":["f"]},)"
                                      R"({"task_number":2,"command":"agx-ocr","args":[],"input_from_task":1}]})"}),
            "$1\r\np\r\n");
  const Json made =
      json_of(wire.call({"ACTION.SUBMIT", R"({"action_id":"a1","plan_id":"p","inputs":[{"x":1},{"x":2}],"job_unit":"task"})"}));
  ASSERT_EQ(made["jobs_created"], 4);
  EXPECT_EQ(wire.call({"LLEN", "queue:default"}), ":2\r\n");
  EXPECT_EQ(wire.call({"LLEN", "queue:gpu"}), ":0\r\n");
  const Json second = json_of(wire.call({"JOB.GET", made["job_ids"][1]}));
  EXPECT_EQ(second["task_number"], 2);
  EXPECT_EQ(second["command"], "agx-ocr");
  EXPECT_EQ(second["env"], Json::parse(R"({"x":1})"));
  const std::string first = bulk_of(wire.call({"BRPOPLPUSH", "queue:default", "queue:processing", "5"}));
  ASSERT_EQ(first, made["job_ids"][0]);
  ASSERT_EQ(wire.call({"SET", "job:" + first + ":status", "completed"}), "+OK\r\n");
  EXPECT_EQ(wire.call({"LLEN", "queue:gpu"}), ":1\r\n");
}

TEST_F(ActionCalls, GetCountsWhatBecameOfTheJobs) {
  start_with_plan();
  Wire wire = operate();
  const auto jobs = act(wire, "a1", 3);
  ASSERT_EQ(jobs.size(), 3U);
  const std::string fresh = wire.call({"ACTION.GET", "a1"});
  EXPECT_EQ(bulk_of(fresh),
            R"({"action_id":"a1","created_at":1700000000,"job_ids":[")" + jobs[2] + R"(",")" + jobs[1] + R"(",")" + jobs[0] +
                R"("],"job_ids_limit":100,"job_ids_offset":0,"job_ids_returned":3,"plan_id":"plan-t1",)" +
                R"("status":"running","summary":{"jobs_completed":0,"jobs_failed":0,"jobs_pending":3,"jobs_total":3}})");
  ASSERT_EQ(take(wire), jobs[0]);
  ASSERT_EQ(wire.call({"JOB.UPDATE", jobs[0], R"({"status":"completed"})"}), "+OK\r\n");
  ASSERT_EQ(take(wire), jobs[1]);
  ASSERT_EQ(wire.call({"JOB.UPDATE", jobs[1], R"({"status":"failed","error":"no"})"}), "+OK\r\n");
  EXPECT_EQ(json_of(wire.call({"ACTION.GET", "a1"}))["summary"],
            Json::parse(R"({"jobs_completed":1,"jobs_failed":1,"jobs_pending":1,"jobs_total":3})"));
  ASSERT_EQ(take(wire), jobs[2]);
  EXPECT_EQ(json_of(wire.call({"ACTION.STATUS", "a1"})),
            Json::parse(R"({"action_id":"a1","cancelled":0,"completed":1,"completed_jobs_at":null,)"
                        R"("created_at":"2023-11-14T22:13:20.000Z","dead":0,"failed":1,"pending":0,"plan_id":"plan-t1",)"
                        R"("running":1,"total_jobs":3})"));
  advance(Duration(4'000));
  ASSERT_EQ(wire.call({"JOB.UPDATE", jobs[2], R"({"status":"completed"})"}), "+OK\r\n");
  const Json ended = json_of(wire.call({"ACTION.STATUS", "a1"}));
  EXPECT_EQ(ended["completed_jobs_at"], "2023-11-14T22:13:24.000Z");
  EXPECT_EQ(json_of(wire.call({"ACTION.GET", "a1"}))["status"], "failed");
}

TEST_F(ActionCalls, GetPagesItsJobs) {
  start_with_plan();
  Wire wire = operate();
  const auto jobs = act(wire, "a1", 5);
  const Json page = json_of(wire.call({"ACTION.GET", "a1", "1", "2"}));
  EXPECT_EQ(page["job_ids"], (Json{jobs.at(3), jobs.at(2)}));
  EXPECT_EQ(page["job_ids_offset"], 1);
  EXPECT_EQ(page["job_ids_limit"], 2);
  EXPECT_EQ(page["job_ids_returned"], 2);
  EXPECT_EQ(wire.call({"ACTION.GET"}), "-ERR ACTION.GET requires at least one argument (action_id)\r\n");
  EXPECT_EQ(wire.call({"ACTION.GET", "nope"}), "-ERR Action not found: nope\r\n");
  EXPECT_EQ(wire.call({"ACTION.GET", "a1", "x"}), "-ERR job_offset must be a non-negative integer\r\n");
  EXPECT_EQ(wire.call({"ACTION.GET", "a1", "0", "x"}), "-ERR job_limit must be a positive integer\r\n");
  EXPECT_EQ(wire.call({"ACTION.GET", "a1", "-1"}), "-ERR job_offset must be >= 0 and job_limit must be > 0\r\n");
  EXPECT_EQ(wire.call({"ACTION.GET", "a1", "0", "0"}), "-ERR job_offset must be >= 0 and job_limit must be > 0\r\n");
}

TEST_F(ActionCalls, ListFiltersByStatusAndPages) {
  start_with_plan();
  Wire wire = operate();
  const auto done = act(wire, "a1", 1);
  ASSERT_EQ(take(wire), done.at(0));
  ASSERT_EQ(wire.call({"JOB.UPDATE", done[0], R"({"status":"completed"})"}), "+OK\r\n");
  act(wire, "a2", 2);
  act(wire, "a3", 1);
  EXPECT_EQ(bulk_of(wire.call({"ACTION.LIST", "all", "0", "1"})),
            R"([{"action_id":"a1","created_at":1700000000,"jobs_completed":1,"jobs_failed":0,"jobs_pending":0,"jobs_total":1,)"
            R"("plan_id":"plan-t1","status":"completed"}])");
  const Json running = json_of(wire.call({"ACTION.LIST", "running", "1"}));
  ASSERT_EQ(running.size(), 1U);
  EXPECT_EQ(running[0]["action_id"], "a3");
  EXPECT_EQ(json_of(wire.call({"ACTION.LIST"})).size(), 3U);
  EXPECT_EQ(wire.call({"ACTION.LIST", "lost"}), "-ERR status must be one of: pending, running, completed, failed, all\r\n");
  EXPECT_EQ(wire.call({"ACTION.LIST", "all", "x"}), "-ERR offset must be a non-negative integer\r\n");
  EXPECT_EQ(wire.call({"ACTION.LIST", "all", "-1"}), "-ERR offset must be non-negative\r\n");
  EXPECT_EQ(wire.call({"ACTION.LIST", "all", "0", "x"}), "-ERR limit must be a positive integer\r\n");
  EXPECT_EQ(wire.call({"ACTION.LIST", "all", "0", "0"}), "-ERR limit must be positive\r\n");
}

TEST_F(ActionCalls, TheOriginalsRateLimitAppliesOnlyWhenItIsSet) {
  RespOptions options;
  options.limits.action_submits_per_minute = 1;
  start_with_plan(options);
  Wire wire = operate();
  EXPECT_EQ(act(wire, "a1", 1).size(), 1U);
  EXPECT_EQ(wire.call({"ACTION.SUBMIT", "{}"}), "-ERR Protocol error: Rate limit exceeded for ACTION.SUBMIT (max 1/minute)\r\n");
}

TEST_F(ActionCalls, AnUnknownCommandOfTheFamilyIsNamed) {
  start();
  Wire wire = operate();
  EXPECT_EQ(wire.call({"ACTION.X"}), "-ERR Protocol error: Unknown ACTION command: ACTION.X\r\n");
  EXPECT_EQ(wire.call({"plan.x"}), "-ERR Protocol error: Unknown PLAN command: PLAN.X\r\n");
}

}  // namespace
}  // namespace muster::resp
