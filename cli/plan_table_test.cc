// Plans, actions and their jobs as rows.
#include "cli/plans.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace muster::cli {
namespace {

std::string text_of(const Table& table) { return fmt::format("{}", fmt::join(table.lines({}), "\n")); }

sdk::Instant second_at(std::int64_t seconds) { return sdk::Instant(std::chrono::seconds(seconds)); }

TEST(CountsText, TellsWhatIsNotNothing) {
  EXPECT_EQ(counts_text({.completed = 3}), "3/3 done");
  EXPECT_EQ(counts_text({.waiting = 4, .running = 2, .completed = 1, .failed = 1, .dead = 1, .cancelled = 1}),
            "4/10 done, 2 running, 4 waiting, 1 failed, 1 dead, 1 cancelled");
}

TEST(TasksTable, ShowsWhatRuns) {
  sdk::Plan plan;
  plan.text = R"({"plan_id":"p","tasks":[{"task_number":1,"command":"sort","args":["-r","{{input.f}}"],"timeout_secs":60},
                {"task_number":2,"command":"wc","input_from_task":1}]})";
  EXPECT_EQ(text_of(tasks_table(plan)),
            "TASK  COMMAND              INPUT FROM  TIMEOUT\n"
            "   1  sort -r {{input.f}}                  60s\n"
            "   2  wc                            1");
  EXPECT_EQ(tasks_table({}).rows(), 0U);
}

TEST(ActionJobsTable, ShowsStateWorkerAttemptsAndTime) {
  sdk::Job done;
  done.id = "j1";
  done.state = "completed";
  done.worker = "w1";
  done.attempt = 2;
  done.started_at = second_at(10);
  done.finished_at = second_at(13);
  done.labels = {{"input", "0"}};
  sdk::Job dead = done;
  dead.id = "j2";
  dead.state = "dead";
  dead.labels = {{"input", "1"}};
  dead.error = sdk::Failure{.kind = "job_failed", .message = "exit 3"};
  const std::string text = text_of(action_jobs_table({done, dead}, second_at(20)));
  EXPECT_NE(text.find("0  j1   completed  w1             2  3.0s"), std::string::npos) << text;
  EXPECT_NE(text.find("1  j2   dead       w1             2  3.0s  job_failed: exit 3"), std::string::npos) << text;
  EXPECT_EQ(text.find("TASK"), std::string::npos);
  done.labels.emplace("task", "4");
  EXPECT_NE(text_of(action_jobs_table({done}, second_at(20))).find("INPUT  TASK  JOB"), std::string::npos);
}

}  // namespace
}  // namespace muster::cli
