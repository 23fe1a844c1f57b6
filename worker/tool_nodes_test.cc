// Tools as nodes: their parameters, their output in chunks, and what becomes of their ends.
#include "worker/tool_nodes.h"

#include <gtest/gtest.h>

#include "base/temp_folder_testing.h"
#include "worker/output_chunks.h"

namespace muster::worker {
namespace {

using sdk::ws::Json;
using sdk::ws::OutputChannel;

class FakeTask final : public sdk::ws::Task {
 public:
  explicit FakeTask(Json parameters) { info_.parameters = std::move(parameters); }
  const sdk::ws::TaskInfo& info() const override { return info_; }
  bool cancelled() const override { return false; }
  void on_cancel(std::function<void()> then) override {
    if (cancels) then();
  }
  sdk::Result<sdk::Nothing> feedback(const sdk::ws::Feedback& feedback) override {
    for (const auto& chunk : feedback.chunks) chunks.push_back(chunk);
    return sdk::Nothing{};
  }
  sdk::Result<sdk::ws::NextReply> next(const Json&, std::optional<sdk::Duration>) override { return sdk::ws::NextReply{}; }
  const std::vector<sdk::ws::Resource>& resources() const override { return none_; }
  sdk::Result<sdk::Nothing> keep(sdk::ws::Resource) override { return sdk::Nothing{}; }

  std::vector<sdk::ws::Chunk> chunks;
  bool cancels = false;

 private:
  sdk::ws::TaskInfo info_;
  std::vector<sdk::ws::Resource> none_;
};

struct ToolNodes : testing::Test {
  sdk::ws::Outcome run(const std::string& tool, FakeTask& task) { return run_tool(executor, tool, task, clock); }

  TempFolder folder;
  RealClock clock;
  Executor executor{*Toolbox::listed({"sort", "false", "sleep"}, "/usr/bin:/bin"), {.temp_folder = folder.path()}, clock};
};

TEST_F(ToolNodes, RunAToolWithItsWordsAndInput) {
  FakeTask task(Json{{"args", Json::array({"-r"})}, {"stdin", "a\nb\n"}});
  const auto outcome = run("sort", task);
  EXPECT_EQ(outcome.status, sdk::ws::Outcome::Status::succeeded);
  EXPECT_EQ(outcome.result["stdout"], "b\na\n");
  EXPECT_EQ(outcome.result["exit_code"], 0);
  std::string told;
  for (const auto& chunk : task.chunks) told += chunk.data;
  EXPECT_EQ(told, "b\na\n") << "and say so while they run";
  EXPECT_EQ(task.chunks.back().metadata, (Json{{"terminal", true}}));
}

TEST_F(ToolNodes, FailWithTheExitCodeAndTheReason) {
  FakeTask task(Json::object());
  const auto outcome = run("false", task);
  EXPECT_EQ(outcome.status, sdk::ws::Outcome::Status::failed);
  EXPECT_EQ(outcome.code, "E.RUNNER.FAILURE");
  EXPECT_NE(outcome.message.find("exit code 1"), std::string::npos);
  EXPECT_EQ(outcome.result["exit_code"], 1);
}

TEST_F(ToolNodes, EndWithTheirTask) {
  FakeTask task(Json{{"args", Json::array({"60"})}});
  task.cancels = true;
  EXPECT_EQ(run("sleep", task).status, sdk::ws::Outcome::Status::failed);
}

TEST_F(ToolNodes, RefuseParametersAndWordsThatAreNotForThem) {
  const auto problem = [](Json parameters) {
    const auto call = read_tool_call("sort", parameters);
    return call.ok() ? std::string() : call.status().message();
  };
  EXPECT_NE(problem({{"argv", Json::array()}}).find("'argv' is none of args"), std::string::npos);
  EXPECT_NE(problem({{"args", "x"}}).find("'args' must be an array"), std::string::npos);
  EXPECT_NE(problem({{"args", {1}}}).find("'args'"), std::string::npos);
  EXPECT_NE(problem({{"stdin", 1}}).find("'stdin' must be a string"), std::string::npos);
  EXPECT_NE(problem({{"timeout_secs", 0}}).find("from 1 to 3600"), std::string::npos);
  EXPECT_EQ(problem({{"__resourceBindings", Json::object()}}), "");
  FakeTask writes(Json{{"args", Json::array({"-o", "/x"})}});
  EXPECT_EQ(run("sort", writes).status, sdk::ws::Outcome::Status::failed);
  FakeTask unknown(Json::object());
  EXPECT_EQ(run("rm", unknown).status, sdk::ws::Outcome::Status::failed);
}

TEST(OutputChunks, TearNoCharacterApartAndSendBytesAsBytes) {
  OutputChunks chunks(OutputChannel::standard_output);
  const std::string euro = "\xE2\x82\xAC";
  EXPECT_EQ(chunks.add("a" + euro.substr(0, 2))->data, "a");
  const auto rest = chunks.add(euro.substr(2));
  EXPECT_EQ(rest->data, euro);
  EXPECT_EQ(rest->index, 1U);
  EXPECT_FALSE(chunks.add(euro.substr(0, 1)));
  const auto bytes = chunks.add("\xFF\xFF\xFF\xFF\xFF");
  EXPECT_TRUE(bytes->is_binary);
  EXPECT_EQ(bytes->data.size(), 6U);
  EXPECT_EQ(chunks.finish()->metadata, (Json{{"terminal", true}}));
  EXPECT_FALSE(OutputChunks(OutputChannel::log).finish()) << "nothing was written";
}

}  // namespace
}  // namespace muster::worker
