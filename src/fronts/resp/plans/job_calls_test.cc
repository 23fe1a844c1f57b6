// JOB.GET, JOB.STATUS, JOB.LIST, JOB.RETRY, JOBS.LIST and JOBS.SEARCH over the wire.
#include "fronts/resp/plans/calls_testing.h"

namespace muster::resp {
namespace {

class JobCalls : public PlansTest {
 protected:
  void fail_next(Wire& wire, const std::string& job) {
    ASSERT_EQ(take(wire), job);
    ASSERT_EQ(wire.call({"JOB.UPDATE", job, R"({"status":"failed","error":"exit 1"})"}), "+OK\r\n");
  }
};

TEST_F(JobCalls, GetShowsTheDocumentInEveryFormOfTheName) {
  start_with_plan();
  Wire wire = operate();
  const auto jobs = act(wire, "a1", 1);
  const Json doc = json_of(wire.call({"JOB.GET", jobs.at(0)}));
  EXPECT_EQ(doc["job_id"], jobs[0]);
  EXPECT_EQ(doc["status"], "pending");
  EXPECT_EQ(doc["input"], Json::parse(R"({"n":1})"));
  EXPECT_EQ(doc["input_index"], 0);
  EXPECT_EQ(doc["created_at"], 1'700'000'000);
  EXPECT_EQ(doc["tasks"], Json::parse(kEchoPlan)["tasks"]);
  const std::string digits = jobs[0].substr(4);
  EXPECT_EQ(json_of(wire.call({"JOB.GET", digits}))["job_id"], jobs[0]);
}

TEST_F(JobCalls, GetRefusesWhatIsNoJob) {
  start();
  Wire wire = operate();
  EXPECT_EQ(wire.call({"JOB.GET", "nope"}), "-ERR Job not found: nope\r\n");
  EXPECT_EQ(wire.call({"JOB.GET"}), "-ERR JOB.GET requires exactly one argument (job_id)\r\n");
  EXPECT_EQ(wire.call({"JOB.GET", ""}), "-ERR job_id must be between 1 and 64 characters\r\n");
  EXPECT_EQ(wire.call({"JOB.GET", "a:b"}),
            "-ERR job_id contains invalid characters (only alphanumeric, hyphens, and underscores allowed)\r\n");
}

TEST_F(JobCalls, AJobThatItsClientNamedIsFoundByThatName) {
  start();
  Wire wire = operate();
  ASSERT_EQ(wire.call({"LPUSH", "queue:ready", R"({"job_id":"mine-1","x":5})"}), ":1\r\n");
  const Json doc = json_of(wire.call({"JOB.GET", "mine-1"}));
  EXPECT_EQ(doc["job_id"], "mine-1");
  EXPECT_EQ(doc["x"], 5);
  EXPECT_EQ(bulk_of(wire.call({"GET", "job:mine-1:status"})), "pending");
  EXPECT_EQ(texts_of(wire.call({"JOBS.SEARCH", "pending"})), (std::vector<std::string>{"mine-1"}));
}

TEST_F(JobCalls, StatusTellsTheWholeStory) {
  start_with_plan();
  Wire wire = operate();
  const auto jobs = act(wire, "a1", 1);
  EXPECT_EQ(wire.call({"JOB.STATUS", "job_" + std::string(32, '0')}), "$-1\r\n");
  const Json waiting = json_of(wire.call({"JOB.STATUS", jobs.at(0)}));
  EXPECT_EQ(waiting, Json::parse(R"({"action_id":"a1","attempt":0,"completed_at":null,"created_at":"2023-11-14T22:13:20.000Z",)"
                                 R"("error":null,"exit_code":null,"job_id":")" +
                                 jobs[0] +
                                 R"(","plan_id":"plan-t1","started_at":null,"status":"pending","stderr":null,"stdout":null,)"
                                 R"("task_results":[],"worker_id":null})"));
  ASSERT_EQ(take(wire), jobs[0]);
  const std::string result = R"({"status":"completed","task_results":[{"task_number":1,"command":"echo","exit_code":0,)"
                             R"("stdout":"hi\n","stderr":"","duration_ms":3}]})";
  ASSERT_EQ(wire.call({"JOB.UPDATE", jobs[0], result}), "+OK\r\n");
  const Json done = json_of(wire.call({"JOB.STATUS", jobs[0]}));
  EXPECT_EQ(done["status"], "completed");
  EXPECT_EQ(done["exit_code"], 0);
  EXPECT_EQ(done["stdout"], "hi\n");
  EXPECT_EQ(done["stderr"], "");
  EXPECT_EQ(done["task_results"], Json::parse(result)["task_results"]);
  EXPECT_EQ(done["completed_at"], "2023-11-14T22:13:20.000Z");
}

TEST_F(JobCalls, StatusShowsTheStreamsThatAWorkerSet) {
  start_with_plan();
  Wire wire = operate();
  const auto jobs = act(wire, "a1", 1);
  ASSERT_EQ(take(wire), jobs.at(0));
  ASSERT_EQ(wire.call({"SET", "job:" + jobs[0] + ":stdout", "out"}), "+OK\r\n");
  ASSERT_EQ(wire.call({"SET", "job:" + jobs[0] + ":stderr", "err"}), "+OK\r\n");
  ASSERT_EQ(wire.call({"SET", "job:" + jobs[0] + ":status", "completed"}), "+OK\r\n");
  const Json done = json_of(wire.call({"JOB.STATUS", jobs[0]}));
  EXPECT_EQ(done["stdout"], "out");
  EXPECT_EQ(done["stderr"], "err");
  EXPECT_EQ(bulk_of(wire.call({"GET", "job:" + jobs[0] + ":stdout"})), "out");
  EXPECT_EQ(bulk_of(wire.call({"GET", "job:" + jobs[0] + ":stderr"})), "err");
}

TEST_F(JobCalls, ListShowsTheJobsOfAnActionByStatus) {
  start_with_plan();
  Wire wire = operate();
  const auto jobs = act(wire, "a1", 3);
  fail_next(wire, jobs.at(0));
  ASSERT_EQ(take(wire), jobs.at(1));
  using Names = std::vector<std::string>;
  EXPECT_EQ(texts_of(wire.call({"JOB.LIST", "a1"})), jobs);
  EXPECT_EQ(texts_of(wire.call({"JOB.LIST", "a1", "failed"})), (Names{jobs[0]}));
  EXPECT_EQ(texts_of(wire.call({"JOB.LIST", "a1", "running"})), (Names{jobs[1]}));
  EXPECT_EQ(texts_of(wire.call({"JOB.LIST", "a1", "pending"})), (Names{jobs[2]}));
  EXPECT_EQ(wire.call({"JOB.LIST", "a1", "dead"}), "*0\r\n");
  EXPECT_EQ(wire.call({"JOB.LIST", "nope"}), "*0\r\n");
  EXPECT_EQ(wire.call({"JOB.LIST", "a1", "odd"}),
            "-ERR status must be one of: pending, running, completed, failed, dead, cancelled, all\r\n");
}

TEST_F(JobCalls, RetryStartsAFailedJobOverAsOftenAsItMay) {
  RespOptions options;
  options.job_attempts = 2;
  start_with_plan(options);
  Wire wire = operate();
  const auto jobs = act(wire, "a1", 1);
  EXPECT_EQ(wire.call({"JOB.RETRY", jobs.at(0)}), "-ERR Job not in failed status\r\n");
  EXPECT_EQ(wire.call({"JOB.RETRY", "nope"}), "-ERR Job not found: nope\r\n");
  for (int i = 0; i < 2; ++i) {
    fail_next(wire, jobs[0]);
    EXPECT_EQ(bulk_of(wire.call({"GET", "job:" + jobs[0] + ":status"})), "failed");
    EXPECT_EQ(wire.call({"JOB.RETRY", jobs[0]}), "+OK job re-queued\r\n");
    EXPECT_EQ(bulk_of(wire.call({"GET", "job:" + jobs[0] + ":status"})), "pending");
  }
  fail_next(wire, jobs[0]);
  EXPECT_EQ(wire.call({"JOB.RETRY", jobs[0]}), "-ERR Max retries exceeded\r\n");
  EXPECT_EQ(wire.call({"JOB.RETRY", jobs[0]}), "-ERR Max retries exceeded\r\n");
}

TEST_F(JobCalls, Q2Q3JobsListShowsTriplesNewestFirst) {
  start_with_plan();
  Wire wire = operate();
  EXPECT_EQ(wire.call_bytes("*1\r\n$9\r\nJOBS.LIST\r\n"), "*0\r\n");
  EXPECT_EQ(wire.call_bytes("*3\r\n$9\r\nJOBS.LIST\r\n$1\r\n0\r\n$1\r\n0\r\n"), "-ERR limit must be > 0\r\n");
  EXPECT_EQ(wire.call({"JOBS.LIST", "x"}), "-ERR offset must be a non-negative integer\r\n");
  EXPECT_EQ(wire.call({"JOBS.LIST", "0", "x"}), "-ERR limit must be a positive integer\r\n");
  const auto jobs = act(wire, "a1", 3);
  ASSERT_EQ(take(wire), jobs.at(0));
  EXPECT_EQ(texts_of(wire.call({"JOBS.LIST"})), (std::vector<std::string>{jobs[2], "pending", "1700000000", jobs[1], "pending",
                                                                          "1700000000", jobs[0], "running", "1700000000"}));
  EXPECT_EQ(texts_of(wire.call({"JOBS.LIST", "1", "1"})), (std::vector<std::string>{jobs[1], "pending", "1700000000"}));
  EXPECT_EQ(wire.call({"JOBS.LIST", "99"}), "*0\r\n");
}

TEST_F(JobCalls, SearchFindsByStatusAndPlan) {
  start_with_plan();
  Wire wire = operate();
  wire.call({"PLAN.SUBMIT", R"({"plan_id":"other","tasks":[{"task_number":1,"command":"ls"}]})"});
  const auto jobs = act(wire, "a1", 2);
  const auto others = act(wire, "a2", 1, "other");
  fail_next(wire, jobs.at(0));
  using Names = std::vector<std::string>;
  EXPECT_EQ(texts_of(wire.call({"JOBS.SEARCH"})), (Names{others.at(0), jobs[1], jobs[0]}));
  EXPECT_EQ(texts_of(wire.call({"JOBS.SEARCH", "failed"})), (Names{jobs[0]}));
  EXPECT_EQ(texts_of(wire.call({"JOBS.SEARCH", "pending", "plan-t1"})), (Names{jobs[1]}));
  EXPECT_EQ(texts_of(wire.call({"JOBS.SEARCH", "other"})), (Names{others[0]}));
  EXPECT_EQ(texts_of(wire.call({"JOBS.SEARCH", "all", "LIMIT", "1"})), (Names{others[0]}));
  EXPECT_EQ(wire.call({"JOBS.SEARCH", "LIMIT", "0"}), "-ERR limit must be a positive integer\r\n");
}

}  // namespace
}  // namespace muster::resp
