// Plans from their first task to their last: order, data between tasks, and everything that is refused before it runs.
#include "worker/executor.h"

#include <gtest/gtest.h>

#include "base/temp_folder_testing.h"

namespace muster::worker {
namespace {

using namespace std::chrono_literals;

struct ExecutorTest : testing::Test {
  Executor made(std::vector<std::string> tools) {
    auto box = Toolbox::listed(tools, "/usr/bin:/bin:" + bin.path());
    EXPECT_TRUE(box.ok()) << box.status().message();
    options.temp_folder = temp.path();
    return Executor(std::move(*box), options, clock);
  }
  static Job job(std::vector<plan::Task> tasks, std::string input = "{}") {
    Job out{.id = "job_1", .input = std::move(input)};
    out.plan.id = "p";
    out.plan.tasks = std::move(tasks);
    for (std::uint32_t i = 0; i < out.plan.tasks.size(); ++i) out.plan.tasks[i].number = i + 1;
    return out;
  }

  TempFolder temp;
  TempFolder bin;
  ExecutorOptions options;
  Cancel cancel;
  RealClock clock;
};

TEST_F(ExecutorTest, StreamsFiftyMegabytesThroughThreeTools) {
  options.output_cap = 256 * 1024;
  const Executor executor = made({"seq", "sort", "wc", "tac"});
  const JobOutcome outcome = executor.run(job({{.command = "seq", .args = {"1", "6800000"}},
                                               {.command = "tac", .args = {}, .input_from_task = 1},
                                               {.command = "wc", .args = {"-c"}, .input_from_task = 2}}),
                                          cancel, {});
  ASSERT_TRUE(outcome.completed) << outcome.error;
  const std::uint64_t bytes = outcome.tasks[0].run.out.size();
  EXPECT_GT(bytes, 50'000'000U);
  EXPECT_EQ(outcome.tasks[1].run.out.size(), bytes);
  EXPECT_EQ(outcome.tasks[2].run.out.head(), std::to_string(bytes) + "\n");
  EXPECT_TRUE(outcome.tasks[1].run.out.head().starts_with("6800000\n6799999\n"));
  EXPECT_EQ(temp.entries(), 0U) << "the job's folder and its spills are gone";
}

TEST_F(ExecutorTest, GivesAToolItsInputAsArgumentsAndOnStandardInput) {
  const Executor executor = made({"cat", "echo", "sort"});
  Job tool = job({{.command = "cat", .args = {}}}, R"({"city":"Berlin"})");
  tool.is_tool = true;
  const JobOutcome read = executor.run(tool, cancel, {});
  ASSERT_TRUE(read.completed) << read.error;
  EXPECT_EQ(read.tasks[0].run.out.head(), R"({"city":"Berlin"})");
  tool.plan.tasks[0].command = "echo";
  tool.plan.tasks[0].args = {"in", "{{input.city}}"};
  EXPECT_EQ(executor.run(tool, cancel, {}).tasks.at(0).run.out.head(), "in Berlin\n");
  const JobOutcome plain = executor.run(job({{.command = "cat", .args = {}}}, R"({"a":1})"), cancel, {});
  ASSERT_TRUE(plain.completed);
  EXPECT_EQ(plain.tasks[0].run.out.size(), 0U) << "a plan's task reads what it is told to";
}

TEST_F(ExecutorTest, LetsTwoTasksReadTheSameOutput) {
  options.output_cap = 4096;
  const Executor executor = made({"seq", "head", "tail"});
  const JobOutcome outcome = executor.run(job({{.command = "seq", .args = {"100000"}},
                                               {.command = "head", .args = {"-n1"}, .input_from_task = 1},
                                               {.command = "tail", .args = {"-n1"}, .input_from_task = 1}}),
                                          cancel, {});
  ASSERT_TRUE(outcome.completed) << outcome.error;
  EXPECT_EQ(outcome.tasks[1].run.out.head(), "1\n");
  EXPECT_EQ(outcome.tasks[2].run.out.head(), "100000\n");
}

TEST_F(ExecutorTest, TellsEachTaskAndStopsAtTheFirstFailure) {
  const Executor executor = made({"true", "false", "echo"});
  std::vector<std::uint32_t> told;
  const JobOutcome outcome = executor.run(job({{.command = "true"}, {.command = "false"}, {.command = "echo"}}), cancel,
                                          [&](std::uint32_t number, std::size_t) { told.push_back(number); });
  EXPECT_FALSE(outcome.completed);
  EXPECT_EQ(outcome.error, "Task 2 failed with exit code 1");
  EXPECT_EQ(outcome.tasks.size(), 2U);
  EXPECT_EQ(told, (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(ExecutorTest, SubstitutesAndThenJudgesTheWords) {
  const Executor executor = made({"echo"});
  const auto run = [&](const char* input) {
    return executor.run(job({{.command = "echo", .args = {"{{input.x}}"}}}, input), cancel, {});
  };
  EXPECT_EQ(run(R"({"x":"hello"})").tasks[0].run.out.head(), "hello\n");
  const JobOutcome refused = run(R"({"x":"a;b"})");
  EXPECT_EQ(refused.error, "Task 1 argument 1 contains a shell character (';')");
  EXPECT_TRUE(refused.tasks.empty());
  EXPECT_EQ(run("{}").error, "Missing required input fields: x");
}

TEST_F(ExecutorTest, RunsNothingOfAPlanWithAToolThatIsNotAnnounced) {
  const Executor executor = made({"touch"});
  TempFolder seen;
  const JobOutcome outcome =
      executor.run(job({{.command = "touch", .args = {seen.path("mark")}}, {.command = "rm", .args = {"-rf", "x"}}}), cancel, {});
  EXPECT_EQ(outcome.error, "Task 2: tool 'rm' is not announced by this worker");
  EXPECT_EQ(seen.entries(), 0U);
}

TEST_F(ExecutorTest, RefusesAPathToSomethingElseOfTheSameName) {
  const Executor executor = made({"echo"});
  const std::string fake = bin.script("echo", "echo fake");
  EXPECT_EQ(executor.run(job({{.command = fake}}), cancel, {}).error, "Task 1: '" + fake + "' is not the announced tool 'echo'");
  EXPECT_TRUE(executor.run(job({{.command = "/usr/bin/echo"}}), cancel, {}).completed);
}

TEST_F(ExecutorTest, SaysThatAToolVanished) {
  bin.script("brief", "echo x");
  const Executor executor = made({"brief"});
  std::filesystem::remove(bin.path("brief"));
  const JobOutcome outcome = executor.run(job({{.command = "brief"}}), cancel, {});
  EXPECT_EQ(outcome.error, "Execution error: Executor error: Failed to spawn command 'brief': No such file or directory");
}

TEST_F(ExecutorTest, KeepsArgumentsInsideAllowedPaths) {
  TempFolder allowed;
  TempFolder outside;
  allowed.write("in", "inside\n");
  outside.write("secret", "secret\n");
  std::filesystem::create_symlink(outside.path("secret"), allowed.path("link"));
  options.allowed_paths = {allowed.path()};
  const Executor executor = made({"cat"});
  const auto run = [&](const std::string& arg) { return executor.run(job({{.command = "cat", .args = {arg}}}), cancel, {}); };
  EXPECT_TRUE(run(allowed.path("in")).completed);
  const std::string refusal = "Task 1 argument 1 is a path that this worker does not allow";
  EXPECT_EQ(run(outside.path("secret")).error, refusal);
  EXPECT_EQ(run("--show=" + outside.path("secret")).error, refusal);
  EXPECT_EQ(run(allowed.path("link")).error, refusal);
  EXPECT_EQ(run(allowed.path() + "-neighbour").error, refusal);
  EXPECT_EQ(run("/").error, refusal);
}

TEST_F(ExecutorTest, JudgesPathsThatAreAttachedToOptions) {
  TempFolder outside;
  outside.write("secret", "secret\n");
  options.allowed_paths = {"/usr/share"};
  const Executor executor = made({"grep"});
  const std::string refusal = "Task 1 argument 1 is a path that this worker does not allow";
  EXPECT_EQ(executor.run(job({{.command = "grep", .args = {"-f" + outside.path("secret")}}}), cancel, {}).error, refusal);
  EXPECT_EQ(executor.run(job({{.command = "grep", .args = {"-nf" + outside.path("secret")}}}), cancel, {}).error, refusal);
  EXPECT_EQ(executor.run(job({{.command = "grep", .args = {"name:" + outside.path("secret")}}}), cancel, {}).error, refusal);
}

TEST_F(ExecutorTest, RunsNothingOfAPlanWithWordsThatWouldWrite) {
  TempFolder seen;
  const Executor executor = made({"echo", "sort", "uniq"});
  const auto error = [&](plan::Task task) {
    const JobOutcome outcome = executor.run(job({{.command = "echo", .args = {"x"}}, std::move(task)}), cancel, {});
    EXPECT_TRUE(outcome.tasks.empty());
    return outcome.error;
  };
  EXPECT_EQ(error({.command = "sort", .args = {"-uo" + seen.path("out")}, .input_from_task = 1}),
            "Task 2: '-uo" + seen.path("out") + "' would make 'sort' write a file, start a program or change the machine");
  EXPECT_NE(error({.command = "/usr/bin/sort", .args = {"--out=" + seen.path("out")}, .input_from_task = 1}), "");
  EXPECT_NE(error({.command = "uniq", .args = {"-", seen.path("out")}, .input_from_task = 1}), "");
  EXPECT_EQ(seen.entries(), 0U);
  EXPECT_EQ(executor.verify({.tool = "sort", .command = "sort", .args = {"-o", seen.path("out"), "/dev/null"}}, cancel).output,
            "'-o' would make 'sort' write a file, start a program or change the machine");
}

struct ConfinedExecutorTest : ExecutorTest {
  void SetUp() override {
    if (landlock_version() == 0) GTEST_SKIP() << "this kernel has no Landlock";
    options.landlock = true;
  }
};

TEST_F(ConfinedExecutorTest, AListOfFilesDoesNotLeadOutOfTheAllowedPaths) {
  TempFolder allowed;
  TempFolder outside;
  outside.write("secret", "secret\n");
  allowed.write("in", "inside\n");
  allowed.write("good", allowed.path("in") + std::string(1, '\0'));
  allowed.write("bad", outside.path("secret") + std::string(1, '\0'));
  options.allowed_paths = {allowed.path()};
  const Executor executor = made({"sort"});
  const auto sorted = [&](const char* list) {
    return executor.run(job({{.command = "sort", .args = {"--files0-from=" + allowed.path(list)}}}), cancel, {});
  };
  EXPECT_EQ(sorted("good").tasks[0].run.out.head(), "inside\n");
  const JobOutcome outcome = sorted("bad");
  EXPECT_FALSE(outcome.completed);
  EXPECT_EQ(outcome.tasks[0].run.out.head(), "");
  EXPECT_NE(outcome.tasks[0].run.err.head().find("Permission denied"), std::string::npos);
}

TEST_F(ConfinedExecutorTest, ANamedToolWritesToAllowedPathsAndAHarmlessOneDoesNot) {
  TempFolder allowed;
  TempFolder outside;
  options.allowed_paths = {allowed.path()};
  bin.script("mess", "echo x > " + allowed.path("mine") + "; echo y > " + outside.path("not-mine") + "; echo z > own; cat own");
  bin.script("head", "echo x > " + allowed.path("forged"));
  auto box = Toolbox::listed({"mess", "head"}, bin.path() + ":/usr/bin:/bin");
  ASSERT_TRUE(box.ok());
  options.temp_folder = temp.path();
  const Executor executor(std::move(*box), options, clock);
  EXPECT_EQ(executor.run(job({{.command = "mess"}}), cancel, {}).tasks[0].run.out.head(), "z\n");
  EXPECT_EQ(allowed.read("mine"), "x\n");
  EXPECT_EQ(outside.entries(), 0U);
  EXPECT_FALSE(executor.run(job({{.command = "head"}}), cancel, {}).completed);
  EXPECT_EQ(allowed.entries(), 1U);
}

TEST_F(ConfinedExecutorTest, WithoutAllowedPathsAHarmlessToolReadsAnythingAndWritesNothing) {
  TempFolder outside;
  outside.write("plain", "plain\n");
  bin.script("cat", "read line < \"$1\"; echo $line; echo x > \"$1\"");
  auto box = Toolbox::listed({"cat"}, bin.path() + ":/usr/bin:/bin");
  ASSERT_TRUE(box.ok());
  options.temp_folder = temp.path();
  const Executor executor(std::move(*box), options, clock);
  const JobOutcome outcome = executor.run(job({{.command = "cat", .args = {outside.path("plain")}}}), cancel, {});
  EXPECT_EQ(outcome.tasks[0].run.out.head(), "plain\n");
  EXPECT_EQ(outside.read("plain"), "plain\n");
}

TEST_F(ExecutorTest, EndsATaskAtItsOwnTimeout) {
  const Executor executor = made({"sleep"});
  const JobOutcome outcome = executor.run(job({{.command = "sleep", .args = {"60"}, .timeout_secs = 1}}), cancel, {});
  EXPECT_EQ(outcome.error, "Task 1 timed out after 1 s");
  EXPECT_TRUE(outcome.tasks[0].run.timed_out);
  EXPECT_EQ(outcome.tasks[0].run.exit_code, -1);
}

TEST_F(ExecutorTest, GivesEveryJobAnEmptyFolderAndRemovesIt) {
  bin.script("mess", "ls -A | wc -l; mkdir -p deep/er; echo x > deep/er/f; chmod 000 deep/er");
  const Executor executor = made({"mess"});
  for (int i = 0; i < 2; ++i) {
    const JobOutcome outcome = executor.run(job({{.command = "mess"}}), cancel, {});
    EXPECT_EQ(outcome.tasks[0].run.out.head(), "0\n");
    EXPECT_EQ(temp.entries(), 0U);
  }
}

TEST_F(ExecutorTest, StopsWhenCancelledAndSaysSo) {
  const Executor executor = made({"sleep"});
  const JobOutcome outcome =
      executor.run(job({{.command = "sleep", .args = {"60"}}}), cancel, [this](std::uint32_t, std::size_t) { cancel.cancel(); });
  EXPECT_TRUE(outcome.cancelled);
  EXPECT_FALSE(outcome.completed);
}

TEST_F(ExecutorTest, ProvesOnlyAnnouncedToolsUnderTheSameRules) {
  const Executor executor = made({"sort"});
  const auto proved = executor.verify({.id = "v", .tool = "sort", .command = "sort", .args = {"--version"}}, cancel);
  EXPECT_EQ(proved.exit_code, 0);
  EXPECT_TRUE(proved.output.starts_with("sort (GNU coreutils)")) << proved.output;
  EXPECT_EQ(proved.output.find('\n'), std::string::npos);
  EXPECT_EQ(executor.verify({.tool = "rm", .command = "rm", .args = {"-rf", "/"}}, cancel).output,
            "tool 'rm' is not announced by this worker");
  EXPECT_EQ(executor.verify({.tool = "sort", .command = "sort", .args = {"a;b"}}, cancel).output,
            "Task 1 argument 1 contains a shell character (';')");
}

}  // namespace
}  // namespace muster::worker
