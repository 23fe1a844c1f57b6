// Inputs of an action, from the words of a command line and from files.
#include "cli/plans.h"

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <fstream>

namespace muster::cli {
namespace {

using Texts = std::vector<std::string>;

TEST(SplitInputs, CutsAnArrayWithoutTouchingItsElements) {
  const auto inputs =
      split_inputs(" [ {\"a\":[1,{\"b\":\"],\\\"\"}]} ,1.50,\n123456789012345678901234567890, \"x,y\" , null ]\n");
  ASSERT_TRUE(inputs.ok());
  EXPECT_EQ(*inputs, (Texts{"{\"a\":[1,{\"b\":\"],\\\"\"}]}", "1.50", "123456789012345678901234567890", "\"x,y\"", "null"}));
  EXPECT_EQ(*split_inputs("[]"), Texts{});
  EXPECT_EQ(*split_inputs("[ \n ]"), Texts{});
  EXPECT_EQ(*split_inputs("[7]"), Texts{"7"});
}

TEST(SplitInputs, TakesOneValueALine) {
  EXPECT_EQ(*split_inputs("{\"a\":1}\n\n  2 \r\n[3,4]"), (Texts{"{\"a\":1}", "2", "[3,4]"}));
}

TEST(SplitInputs, NamesTheLineThatIsNotJson) {
  const auto inputs = split_inputs("1\noops\n");
  ASSERT_FALSE(inputs.ok());
  EXPECT_NE(inputs.error().detail.find("line 2 is `oops`"), std::string::npos) << inputs.error().detail;
  EXPECT_FALSE(split_inputs("[1,").ok());
}

// What the flags stand for.
struct Parsed {
  ActionArguments arguments;
  std::string problem;
};

Parsed parse(Texts words) {
  CLI::App app;
  Parsed parsed;
  describe_action(app, parsed.arguments);
  try {
    std::reverse(words.begin(), words.end());
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    parsed.problem = error.what();
  }
  return parsed;
}

TEST(ActionArguments, MapEveryFlagToItsField) {
  const Parsed parsed = parse({"--input", "1", "--input", "[2]", "--id", "a", "--job-unit", "task", "--priority", "-3",
                               "--timeout", "5m", "--attempts", "2", "--watch"});
  ASSERT_EQ(parsed.problem, "");
  const sdk::ActionRequest& request = parsed.arguments.request;
  EXPECT_EQ(request.id, "a");
  EXPECT_EQ(request.job_unit, "task");
  EXPECT_EQ(request.priority, -3);
  EXPECT_EQ(request.timeout, sdk::Duration(300'000));
  EXPECT_EQ(request.attempts_max, 2U);
  EXPECT_TRUE(parsed.arguments.watch);
  EXPECT_EQ(*read_inputs(parsed.arguments), (Texts{"1", "[2]"}));
}

TEST(ActionArguments, JoinInputsOfTheLineAndOfAFile) {
  const std::string path = testing::TempDir() + "muster_cli_inputs.json";
  std::ofstream(path) << "[2, 3]";
  EXPECT_EQ(*read_inputs(parse({"--inputs", path, "--input", "1"}).arguments), (Texts{"1", "2", "3"}));
  EXPECT_EQ(*read_inputs(parse({}).arguments), Texts{});
}

TEST(ActionArguments, RefuseInputsThatAreNone) {
  EXPECT_NE(read_inputs(parse({"--input", "{oops"}).arguments).error().detail.find("{oops"), std::string::npos);
  EXPECT_NE(read_inputs(parse({"--inputs", "/nonexistent"}).arguments).error().detail.find("/nonexistent"), std::string::npos);
  const std::string path = testing::TempDir() + "muster_cli_no_inputs.json";
  std::ofstream(path) << "[]";
  EXPECT_NE(read_inputs(parse({"--inputs", path}).arguments).error().detail.find("holds no inputs"), std::string::npos);
}

}  // namespace
}  // namespace muster::cli
