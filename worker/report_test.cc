// What the server is told: exact results, cut where they must be, and never more than it takes.
#include "worker/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/temp_folder_testing.h"
#include "sdk/cpp/codec.h"

namespace muster::worker {
namespace {

using nlohmann::json;
using namespace std::string_literals;

struct ReportTest : testing::Test {
  Capture capture(std::string_view bytes) {
    Capture out({.memory_max = 1024 * 1024, .total_max = 0, .folder = folder.path()});
    EXPECT_TRUE(out.append(bytes).ok());
    return out;
  }
  void add(std::string_view out, std::string_view err, int exit_code = 0) {
    TaskResult task{.number = static_cast<std::uint32_t>(outcome.tasks.size() + 1), .command = "tool"};
    task.run.exit_code = exit_code;
    task.run.took = Duration(12);
    task.run.out = capture(out);
    task.run.err = capture(err);
    outcome.tasks.push_back(std::move(task));
  }
  Report made() { return make_report(job, outcome, "w-1", from_ms(1'700'000'000'000)); }

  TempFolder folder;
  Job job{.id = "job_1"};
  JobOutcome outcome;
};

TEST_F(ReportTest, HoldsEveryTaskExactly) {
  outcome.completed = true;
  add("hello\n", "");
  add("a\0b"s, "warn");
  const Report report = made();
  EXPECT_EQ(json::parse(report.update), json::parse(R"({
    "status":"completed","worker_id":"w-1","completed_at":"2023-11-14T22:13:20.000Z","task_results":[
      {"task_number":1,"command":"tool","exit_code":0,"stdout":"hello\n","stderr":"","duration_ms":12,"timed_out":false,"truncated":false},
      {"task_number":2,"command":"tool","exit_code":0,"stdout":"a\u0000b","stderr":"warn","duration_ms":12,"timed_out":false,"truncated":false}]})"));
  EXPECT_FALSE(report.has_outputs);
}

TEST_F(ReportTest, GivesBytesThatAreNoTextInBase64) {
  outcome.completed = true;
  add("\xff\x00ok"s, "");
  const json result = json::parse(made().update)["task_results"][0];
  EXPECT_EQ(sdk::from_base64(result["stdout_base64"].get<std::string>()), "\xff\x00ok"s);
  EXPECT_EQ(result["stdout"], "\xEF\xBF\xBD\0ok"s);
  EXPECT_FALSE(result.contains("stderr_base64"));
}

TEST_F(ReportTest, SaysOfAToolWhatItsProgramComplainedAbout) {
  outcome.error = "Task 1 failed with exit code 2";
  add("", "no such city\n", 2);
  EXPECT_EQ(json::parse(made().update)["error"], "Task 1 failed with exit code 2") << "a plan's task says it in its results";
  job.is_tool = true;
  EXPECT_EQ(json::parse(made().update)["error"], "Task 1 failed with exit code 2: no such city\n");
}

TEST_F(ReportTest, SaysWhatFailed) {
  outcome.error = "Task 1 timed out after 3 s";
  add("part", "", -1);
  outcome.tasks[0].run.timed_out = true;
  outcome.tasks[0].run.signal = 15;
  const json update = json::parse(made().update);
  EXPECT_EQ(update["status"], "failed");
  EXPECT_EQ(update["error"], "Task 1 timed out after 3 s");
  EXPECT_EQ(update["failed_at"], "2023-11-14T22:13:20.000Z");
  EXPECT_EQ(update["task_results"][0]["timed_out"], true);
  EXPECT_EQ(update["task_results"][0]["signal"], 15);
  EXPECT_EQ(update["task_results"][0]["stdout"], "part");
}

TEST_F(ReportTest, CutsOutputsBetweenCharactersAndBringsThemWholeBeside) {
  outcome.completed = true;
  std::string text;
  while (text.size() < 8'000'000) text += "日本";
  add(text, "e");
  add(text, "f");
  const Report report = made();
  EXPECT_LE(report.update.size(), kCompletedBytesMax);
  const json update = json::parse(report.update);
  EXPECT_EQ(update["task_results"][0]["truncated"], true);
  EXPECT_FALSE(update["task_results"][0].contains("stdout_base64")) << "a cut inside a character would make it bytes";
  EXPECT_TRUE(report.has_outputs);
  EXPECT_EQ(report.out.size(), kOutputKeyBytesMax);
  EXPECT_EQ(report.out, (text + text).substr(0, kOutputKeyBytesMax));
  EXPECT_EQ(report.err, "ef");
}

TEST_F(ReportTest, StaysWithinWhatAFailureMayCarryWhateverTheBytes) {
  outcome.error = std::string(100'000, 'x');
  for (int i = 0; i < 100; ++i) add(std::string(50'000, '\x01'), std::string(50'000, '\xff'));
  const Report report = made();
  EXPECT_LE(report.update.size(), kFailedBytesMax);
  EXPECT_EQ(json::parse(report.update)["error"].get<std::string>().size(), kErrorTextMax);
  EXPECT_EQ(json::parse(report.update)["task_results"].size(), 100U);
}

}  // namespace
}  // namespace muster::worker
