// What a plan may say, and in which words it is refused: the messages are the original's, since its clients show them.
#include "plan/plan.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "model/limits.h"

namespace muster::plan {
namespace {

std::string refusal(std::string_view json) {
  const Result<Document> document = parse(json);
  if (document.ok()) return "accepted";
  EXPECT_EQ(document.code(), Code::invalid_argument);
  return document.status().message();
}

// A plan of one task, whose fields are the ones given.
std::string with_task(std::string_view fields) { return fmt::format(R"({{"plan_id":"p","tasks":[{{{}}}]}})", fields); }

std::string with_tasks(std::string_view tasks) { return fmt::format(R"({{"plan_id":"p","tasks":[{}]}})", tasks); }

TEST(ParsePlan, ReadsEveryField) {
  const auto plan = parse(R"({"job_id":"j","plan_id":"nightly_1","plan_description":"Sort it.","extra":{"a":[1]},"tasks":[)"
                          R"({"task_number":1,"command":"sort","args":["-r","{{input.path}}"],"timeout_secs":3600},)"
                          R"({"task_number":2,"command":"uniq","args":[],"input_from_task":1,"note":"kept"}]})");
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan->id, "nightly_1");
  EXPECT_EQ(plan->description, "Sort it.");
  ASSERT_EQ(plan->tasks.size(), 2u);
  EXPECT_EQ(plan->tasks[0].number, 1u);
  EXPECT_EQ(plan->tasks[0].command, "sort");
  EXPECT_EQ(plan->tasks[0].args, (std::vector<std::string>{"-r", "{{input.path}}"}));
  EXPECT_EQ(plan->tasks[0].timeout_secs, 3600u);
  EXPECT_FALSE(plan->tasks[0].input_from_task);
  EXPECT_FALSE(plan->tasks[1].timeout_secs);
  EXPECT_EQ(plan->tasks[1].input_from_task, 1u);
}

TEST(ParsePlan, TakesNullForAnAbsentOptionalField) {
  const auto plan = parse(R"({"plan_id":"p","plan_description":null,"tasks":[)"
                          R"({"task_number":1,"command":"ls","args":null,"timeout_secs":null,"input_from_task":null}]})");
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan->description, "");
  EXPECT_TRUE(plan->tasks[0].args.empty());
  EXPECT_FALSE(plan->tasks[0].timeout_secs);
  EXPECT_FALSE(plan->tasks[0].input_from_task);
}

TEST(ParsePlan, DoesNotTakeNullForARequiredField) {
  EXPECT_EQ(refusal(R"({"plan_id":null,"tasks":null})"),
            R"(Plan validation failed: null is not of type "string", null is not of type "array")");
}

TEST(ParsePlan, SaysWhereTheJsonEndsBeingJson) {
  EXPECT_EQ(refusal("{"), "Invalid JSON: the text ends too early, after 1 bytes");
  EXPECT_EQ(refusal(""), "Invalid JSON: the text ends too early, after 0 bytes");
  EXPECT_EQ(refusal("{\n \"secret\" 1}"), "Invalid JSON: syntax error at line 2 column 11");
  EXPECT_EQ(refusal("{} {}").find("Invalid JSON: "), 0u);
  EXPECT_EQ(refusal("{\"plan_id\":\"\xff\"}").find("Invalid JSON: "), 0u);
  EXPECT_EQ(refusal("\xEF\xBB\xBF{}"), "Invalid JSON: syntax error at line 1 column 1");
  EXPECT_EQ(refusal(with_task(R"("task_number":1,"command":"ls")") + std::string(1, '\0') + "rest").find("Invalid JSON: "), 0u);
  EXPECT_EQ(refusal("{\"plan_id\":1e999}"), "Invalid JSON: a number is out of range");
}

TEST(ParsePlan, RefusesDepthWithoutWalkingIt) {
  EXPECT_EQ(refusal(std::string(500'000, '[')), "Invalid JSON: nested deeper than 128 levels");
  const std::string deep = std::string(127, '[') + std::string(127, ']');
  EXPECT_TRUE(parse(fmt::format(R"({{"plan_id":"p","x":{},"tasks":[{{"task_number":1,"command":"ls"}}]}})", deep)).ok());
  // Brackets inside a text are no depth.
  EXPECT_TRUE(
      parse(fmt::format(R"({{"plan_id":"p","x":"\"{}","tasks":[{{"task_number":1,"command":"ls"}}]}})", std::string(200, '[')))
          .ok());
}

TEST(ParsePlan, RefusesATextAboveTheBound) {
  const std::string filler(limits::kPlanBytesMax, ' ');
  EXPECT_EQ(refusal(filler + "{}"), "Plan JSON too large (max 1048576 bytes)");
}

TEST(ParsePlan, NamesTheFieldsThatMustBeThere) {
  EXPECT_EQ(refusal(R"({"plan_id":"p"})"), R"(Plan validation failed: "tasks" is a required property)");
  EXPECT_EQ(refusal("{}"), R"(Plan validation failed: "plan_id" is a required property, "tasks" is a required property)");
  EXPECT_EQ(refusal(with_task("")),
            R"(Plan validation failed: "task_number" is a required property, "command" is a required property)");
}

TEST(ParsePlan, TellsEverythingThatIsOutOfForm) {
  EXPECT_EQ(refusal("[]"), R"(Plan validation failed: [] is not of type "object")");
  EXPECT_EQ(refusal(with_tasks("")), "Plan validation failed: [] has less than 1 item");
  EXPECT_EQ(refusal(R"({"plan_id":5,"tasks":[]})"),
            R"(Plan validation failed: 5 is not of type "string", [] has less than 1 item)");
  EXPECT_EQ(refusal(R"({"plan_id":"","tasks":[7]})"),
            R"(Plan validation failed: "" is shorter than 1 character, 7 is not of type "object")");
  EXPECT_EQ(refusal(with_task(R"("task_number":0,"command":"ls")")), "Plan validation failed: 0 is less than the minimum of 1");
  EXPECT_EQ(refusal(with_task(R"("task_number":-3,"command":"ls")")), "Plan validation failed: -3 is less than the minimum of 1");
  EXPECT_EQ(refusal(with_task(R"("task_number":101,"command":"ls")")),
            "Plan validation failed: 101 is greater than the maximum of 100");
  EXPECT_EQ(refusal(with_task(R"("task_number":1.5,"command":"ls")")), R"(Plan validation failed: 1.5 is not of type "integer")");
  EXPECT_EQ(refusal(with_task(R"("task_number":1,"command":"ls","timeout_secs":3601)")),
            "Plan validation failed: 3601 is greater than the maximum of 3600");
  EXPECT_EQ(refusal(with_task(R"("task_number":1,"command":"ls","args":["a",{"b":1}])")),
            R"(Plan validation failed: {…} is not of type "string")");
  EXPECT_EQ(refusal(with_task(R"("task_number":1,"command":"ls","args":"-l")")),
            R"(Plan validation failed: "-l" is not of type "array")");
}

TEST(ParsePlan, CountsCharactersAndNotBytes) {
  std::string umlauts;
  for (int i = 0; i < 256; ++i) umlauts += "ü";
  EXPECT_EQ(refusal(fmt::format(R"({{"plan_id":"p","plan_description":"{0}{0}{0}{0}","tasks":[]}})", umlauts)),
            "Plan validation failed: [] has less than 1 item");
  EXPECT_EQ(
      refusal(fmt::format(R"({{"plan_id":"p","plan_description":"{0}{0}{0}{0}x","tasks":[]}})", umlauts)),
      "Plan validation failed: \"üüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüü…\" is longer than 1024 characters, [] has less than 1 item");
}

TEST(ParsePlan, CutsWhatItQuotes) {
  const std::string message = refusal(fmt::format(R"({{"plan_id":"{}secret","tasks":[]}})", std::string(64, 'x')));
  EXPECT_EQ(message, fmt::format("Plan validation failed: \"{}…\" is longer than 64 characters, [] has less than 1 item",
                                 std::string(32, 'x')));
}

TEST(ParsePlan, BoundsHowMuchItTells) {
  std::string tasks = "1";
  for (int i = 2; i <= 100; ++i) tasks += fmt::format(",{}", i);
  const std::string message = refusal(with_tasks(tasks));
  EXPECT_TRUE(message.ends_with(R"(10 is not of type "object", and 90 more)")) << message;
}

TEST(ParsePlan, BoundsTasksAndArguments) {
  std::string tasks;
  for (int i = 1; i <= 101; ++i) tasks += fmt::format(R"({}{{"task_number":{},"command":"ls"}})", i == 1 ? "" : ",", i);
  EXPECT_EQ(refusal(with_tasks(tasks)), "Plan validation failed: […] has more than 100 items");
  std::string args = "\"a\"";
  for (int i = 1; i < 101; ++i) args += ",\"a\"";
  EXPECT_EQ(refusal(with_task(fmt::format(R"("task_number":1,"command":"ls","args":[{}])", args))),
            "Plan validation failed: […] has more than 100 items");
}

TEST(ParsePlan, RefusesANameThatCouldBePartOfAKey) {
  EXPECT_EQ(refusal(R"({"plan_id":"a:b","tasks":[{"task_number":1,"command":"ls"}]})"),
            "plan_id contains invalid characters (only alphanumeric, hyphens, and underscores allowed)");
}

TEST(ParsePlan, WantsTasksNumberedFromOne) {
  EXPECT_EQ(refusal(with_tasks(R"({"task_number":2,"command":"ls"})")),
            "Plan validation failed: Task numbers must be contiguous starting at 1: expected 1, got 2");
  EXPECT_EQ(refusal(with_tasks(R"({"task_number":1,"command":"ls"},{"task_number":1,"command":"ls"})")),
            "Plan validation failed: Task numbers must be contiguous starting at 1: expected 2, got 1");
}

TEST(ParsePlan, WantsReferencesToGoBack) {
  EXPECT_EQ(refusal(with_tasks(R"({"task_number":1,"command":"ls","input_from_task":1})")),
            "Plan validation failed: Task 1 has invalid input_from_task 1: cannot reference self or future tasks");
  EXPECT_EQ(refusal(with_tasks(R"({"task_number":1,"command":"ls"},{"task_number":2,"command":"wc","input_from_task":3},)"
                               R"({"task_number":3,"command":"ls"})")),
            "Plan validation failed: Task 2 has invalid input_from_task 3: cannot reference self or future tasks");
}

TEST(ParsePlan, RefusesWordsThatNoWorkerWouldRun) {
  const std::string message = refusal(with_task(R"("task_number":1,"command":"ls","args":["-l","a;b"])"));
  EXPECT_NE(message.find("Task 1 argument 2"), std::string::npos) << message;
  const std::string command = refusal(with_task(R"("task_number":1,"command":"../ls")"));
  EXPECT_NE(command.find("Task 1 command"), std::string::npos) << command;
}

TEST(ParsePlan, RefusesWhatNoWorkerCouldOffer) {
  EXPECT_NE(refusal(with_task(R"("task_number":1,"command":"/")")), "accepted");
  EXPECT_NE(refusal(with_task(fmt::format(R"("task_number":1,"command":"{}")", std::string(200, 'x')))), "accepted");
  std::string tasks;
  for (int i = 1; i <= 33; ++i) tasks += fmt::format(R"({}{{"task_number":{},"command":"tool{}"}})", i == 1 ? "" : ",", i, i);
  EXPECT_EQ(refusal(with_tasks(tasks)), "Plan validation failed: 33 different commands are used; at most 32 are accepted");
}

TEST(ParsePlan, RefusesADescriptionNoStoreCanKeep) {
  EXPECT_EQ(refusal(R"({"plan_id":"p","plan_description":"a\u0000b","tasks":[{"task_number":1,"command":"ls"}]})"),
            "Plan validation failed: plan_description contains a NUL");
}

TEST(Needs, AreTheToolsOfEveryTaskOnce) {
  Document plan;
  for (const char* command : {"sort", "/usr/bin/uniq", "sort"}) plan.tasks.push_back({.command = command});
  EXPECT_EQ(needs(plan), CapabilitySet({"tool:sort", "tool:uniq"}));
}

TEST(ToolCapability, NamesTheLastPartOfAPath) {
  EXPECT_EQ(tool_capability("sort"), "tool:sort");
  EXPECT_EQ(tool_capability("/usr/bin/sort"), "tool:sort");
  EXPECT_EQ(tool_capability("./bin/sort/"), "tool:sort");
}

TEST(ToolCapability, SpellsOutWhatACapabilityCannotHold) {
  EXPECT_EQ(tool_capability("my tool"), "tool:my%20tool");
  EXPECT_EQ(tool_capability("my%20tool"), "tool:my%2520tool");
  EXPECT_NE(tool_capability("*"), "tool:*");
  EXPECT_TRUE(validate_capability(tool_capability("my\ttool")).ok());
}

TEST(Identifier, IsShortAndPlain) {
  EXPECT_TRUE(validate_identifier("plan_id", "aZ0-_").ok());
  EXPECT_TRUE(validate_identifier("plan_id", std::string(64, 'a')).ok());
  for (const std::string& length : {std::string(), std::string(65, 'a')})
    EXPECT_EQ(validate_identifier("worker_id", length).message(), "worker_id must be between 1 and 64 characters");
  for (const char* text : {"a b", "a:b", "a/b", "ü", "a.b", "a\n"})
    EXPECT_EQ(validate_identifier("job_id", text).message(),
              "job_id contains invalid characters (only alphanumeric, hyphens, and underscores allowed)")
        << text;
}

TEST(Plan, IsTheSameWhateverItsTextLooksLike) {
  EXPECT_TRUE(is_same(R"({"a":1,"b":[1,{"c":2,"d":3}]})", R"({ "b": [1, {"d":3,"c":2}], "a": 1 })"));
  EXPECT_TRUE(is_same(R"({"a":1,"job_id":"x"})", R"({"job_id":"y","a":1})"));
  EXPECT_FALSE(is_same(R"({"a":[1,2]})", R"({"a":[2,1]})"));
  EXPECT_FALSE(is_same(R"({"a":{"job_id":"x"}})", R"({"a":{"job_id":"y"}})")) << "only the outermost one is AGX's";
}

}  // namespace
}  // namespace muster::plan
