// Every dialect's document of a job reads as the same thing.
#include "worker/job.h"

#include <gtest/gtest.h>

namespace muster::worker {
namespace {

constexpr const char* kPlan =
    R"({"plan_id":"p","tasks":[{"task_number":1,"command":"sort","args":["-r"]},{"task_number":2,"command":"uniq","input_from_task":1}]})";

std::string with_plan(std::string_view rest) { return R"({"plan":)" + std::string(kPlan) + std::string(rest) + "}"; }

TEST(JobDocuments, ReadTheSuperset) {
  const auto job = parse_job(with_plan(
      R"(,"job_id":"job_1","id":"job_1","input":{"a":1},"inputs":{"a":1},"status":"running","command":"sort","task_number":1)"));
  ASSERT_TRUE(job.ok());
  EXPECT_TRUE(job->problem.ok()) << job->problem.message();
  EXPECT_EQ(job->id, "job_1");
  EXPECT_EQ(job->status, "running");
  EXPECT_EQ(job->input, R"({"a":1})");
  ASSERT_EQ(job->plan.tasks.size(), 2U);
  EXPECT_EQ(job->plan.tasks[1].input_from_task, 1U);
}

TEST(JobDocuments, ReadInputsWhateverTheyAreCalled) {
  EXPECT_EQ(parse_job(with_plan(R"(,"job_id":"j","inputs":[{"a":1}])"))->input, R"({"a":1})");
  EXPECT_EQ(parse_job(with_plan(R"(,"job_id":"j","inputs":{"a":2})"))->input, R"({"a":2})");
  EXPECT_EQ(parse_job(with_plan(R"(,"job_id":"j","env":{"a":3})"))->input, R"({"a":3})");
  EXPECT_EQ(parse_job(with_plan(R"(,"job_id":"j")"))->input, "null");
}

TEST(JobDocuments, ReadTasksAtTheTopAndSingleTasks) {
  const auto whole = parse_job(R"({"job_id":"j","plan_id":"p","tasks":[{"task_number":1,"command":"cat"}]})");
  EXPECT_EQ(whole->plan.tasks.size(), 1U);
  const auto single = parse_job(R"({"id":"j","plan_id":"p","task_number":3,"command":"cat","args":["x"],"env":{}})");
  ASSERT_TRUE(single->problem.ok()) << single->problem.message();
  EXPECT_EQ(single->id, "j");
  EXPECT_EQ(single->plan.tasks[0].args, std::vector<std::string>{"x"});
  const auto part =
      parse_job(R"({"job_id":"j","plan":{"plan_id":"p","tasks":[{"task_number":2,"command":"cat","input_from_task":1}]}})");
  ASSERT_TRUE(part->problem.ok()) << part->problem.message();
  EXPECT_EQ(part->plan.tasks[0].number, 1U);
}

TEST(JobDocuments, ReadAToolOfAnAgent) {
  const auto job = parse_job(
      R"({"job_id":"j","tool":"get_weather","command":"get_weather","args":["{{input.city}}"],"input":{"city":"Berlin"},)"
      R"("tasks":[{"args":["{{input.city}}"],"command":"get_weather","task_number":1,"timeout_secs":7}]})");
  ASSERT_TRUE(job.ok() && job->problem.ok()) << job->problem.message();
  EXPECT_TRUE(job->is_tool);
  EXPECT_EQ(job->input, R"({"city":"Berlin"})");
  ASSERT_EQ(job->plan.tasks.size(), 1U);
  EXPECT_EQ(job->plan.tasks[0].command, "get_weather");
  EXPECT_EQ(job->plan.tasks[0].timeout_secs, 7U);
  EXPECT_FALSE(parse_job(R"({"job_id":"j","command":"cat"})")->is_tool);
}

TEST(JobDocuments, KeepTheNameOfAJobThatCannotRun) {
  for (const char* text : {R"({"job_id":"j"})", R"({"job_id":"j","tasks":5})", R"({"job_id":"j","tasks":[]})",
                           R"({"job_id":"j","plan":{"plan_id":"p","tasks":[{"task_number":1,"command":"a;b"}]}})"}) {
    const auto job = parse_job(text);
    ASSERT_TRUE(job.ok()) << text;
    EXPECT_EQ(job->id, "j");
    EXPECT_FALSE(job->problem.ok()) << text;
  }
}

TEST(JobDocuments, RefuseWhatIsTooDeepToWalk) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  EXPECT_FALSE(parse_job(R"({"job_id":"j","command":"echo","input":)" + deep + "}").ok());
}

TEST(JobDocuments, RefuseWhatNamesNoJob) {
  for (const char* text : {"", "x", "[]", "{}", R"({"job_id":5})", R"({"job_id":""})", "\xff"})
    EXPECT_FALSE(parse_job(text).ok()) << text;
}

TEST(JobDocuments, KnowABareId) {
  EXPECT_TRUE(is_bare_id("job_0123456789abcdef0123456789abcdef"));
  EXPECT_FALSE(is_bare_id("job_0123456789abcdef0123456789abcdeg"));
  EXPECT_FALSE(is_bare_id("job_0123"));
}

TEST(JobDocuments, ReadChallengesFromPopsAndPushes) {
  const auto job = parse_job(R"({"job_id":"j","verify":{"id":"v1","tool":"sort","command":"sort","args":["--version"]}})");
  ASSERT_TRUE(job.ok() && job->verification);
  EXPECT_EQ(job->verification->id, "v1");
  EXPECT_EQ(job->verification->args, std::vector<std::string>{"--version"});
  const auto pushed = parse_verification("jq", R"({"id":"v2","args":["--version"]})");
  ASSERT_TRUE(pushed.ok());
  EXPECT_EQ(pushed->command, "jq");
  EXPECT_EQ(pushed->tool, "jq");
  EXPECT_FALSE(parse_verification("jq", "[]").ok());
  EXPECT_FALSE(parse_verification("", "{}").ok());
}

}  // namespace
}  // namespace muster::worker
