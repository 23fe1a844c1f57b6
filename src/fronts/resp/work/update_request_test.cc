#include "fronts/resp/work/update_request.h"

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "fronts/resp/wire/parser.h"
#include "model/limits.h"

namespace muster::resp::work {
namespace {

UpdateRequest accepted(const Args& args) {
  UpdateRequest request;
  const Status read = read_update(args, request);
  EXPECT_TRUE(read.ok()) << args.back() << ": " << read.text();
  return request;
}

UpdateRequest update(const std::string& json) { return accepted({"JOB.UPDATE", "j", json}); }

std::string update_refusal(const Args& args) {
  UpdateRequest request;
  const Status read = read_update(args, request);
  return read.ok() ? "accepted" : read.message();
}

TEST(UpdateRequest, ReadsTheFourReportsOfTheProtocol) {
  const auto start = update(R"({"status":"running","worker_id":"worker-001","started_at":"2025-11-17T10:00:00Z"})");
  EXPECT_EQ(start.report, Report::running);
  EXPECT_EQ(start.worker, "worker-001");
  const auto progress = update(R"({"current_task":2,"progress_percent":40})");
  EXPECT_EQ(progress.report, Report::progress);
  EXPECT_DOUBLE_EQ(progress.fraction, 0.4);
  EXPECT_EQ(progress.message, "task 2");
  const std::string done = R"({"status":"completed","task_results":[{"task_number":1,"exit_code":0}]})";
  EXPECT_EQ(update(done).report, Report::completed);
  EXPECT_EQ(update(done).results, done);
  const auto failed = update(R"({"status":"failed","error":"Task 2 timed out","task_results":[]})");
  EXPECT_EQ(failed.report, Report::failed);
  EXPECT_EQ(failed.message, "Task 2 timed out");
}

TEST(UpdateRequest, TreatsARunningReportWithProgressAsProgress) {
  EXPECT_EQ(update(R"({"status":"running","progress_percent":10})").report, Report::progress);
}

TEST(UpdateRequest, RefusesWhatSaysNothingOrNonsense) {
  EXPECT_EQ(update_refusal({"JOB.UPDATE", "j", "{"}), "Invalid job update: expected a JSON object");
  EXPECT_EQ(update_refusal({"JOB.UPDATE", "j", "[]"}), "Invalid job update: expected a JSON object");
  EXPECT_EQ(update_refusal({"JOB.UPDATE", "j", R"({"a":1} x)"}), "Invalid job update: expected a JSON object");
  EXPECT_EQ(update_refusal({"JOB.UPDATE", "j", "{\"a\":" + std::string(100'000, '[')}),
            "Invalid job update: expected a JSON object");
  EXPECT_EQ(update_refusal({"JOB.UPDATE", "j", "{}"}),
            "Invalid job update: status, current_task or progress_percent is required");
  EXPECT_EQ(update_refusal({"JOB.UPDATE", "j", R"({"status":"paused"})"}), "Invalid job status: paused");
  EXPECT_EQ(update_refusal({"JOB.UPDATE", "j", R"({"status":3})"}), "Invalid job update: status must be a string");
  EXPECT_EQ(update_refusal({"JOB.UPDATE", "j", R"({"progress_percent":101})"}),
            "Invalid job update: progress_percent must be a number from 0 to 100");
  EXPECT_EQ(update_refusal({"JOB.UPDATE", "j", R"({"current_task":0})"}),
            "Invalid job update: current_task must be a positive integer");
  EXPECT_EQ(update_refusal({"JOB.UPDATE", "j", R"({"current_task":1.5})"}),
            "Invalid job update: current_task must be a positive integer");
}

TEST(UpdateRequest, ReadsWhatTheRealWorkerSets) {
  const auto output = accepted({"SET", "job:job_1:stdout", "hello\n"});
  EXPECT_EQ(output.report, Report::output);
  EXPECT_EQ(output.job, "job_1");
  EXPECT_EQ(output.value, "hello\n");
  EXPECT_FALSE(output.strict);
  EXPECT_EQ(accepted({"SET", "job:a:b:status", "completed"}).job, "a:b");
  EXPECT_EQ(update_refusal({"SET", "job:x:status", "done"}), "Invalid job status: done");
  EXPECT_EQ(update_refusal({"SET", "job:x:input", "{}"}), "'job:x:input' is a view of the registry; use JOB.UPDATE");
  EXPECT_EQ(update_refusal({"LREM", "queue:processing", "x", "e"}), "LREM count must be an integer");
  EXPECT_EQ(accepted({"LREM", "queue:processing", "1", "e"}).report, Report::removal);
}

TEST(UpdateRequest, CutsAReasonThatIsTooLongWithAMarkAndKeepsItReadable) {
  EXPECT_EQ(readable_error(""), "the worker gave no reason");
  std::string umlauts;
  while (umlauts.size() <= limits::kErrorBytesMax) umlauts += "ü";
  const std::string cut = readable_error(umlauts);
  EXPECT_LE(cut.size(), limits::kErrorBytesMax);
  EXPECT_TRUE(is_utf8(cut));
  EXPECT_TRUE(cut.ends_with("[…]"));
  EXPECT_EQ(readable_error(std::string("a\xff\0b", 4)), "a??b");
}

}  // namespace
}  // namespace muster::resp::work
