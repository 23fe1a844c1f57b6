#include "command/agent_tool_job.h"

#include <gtest/gtest.h>

#include "model/validate.h"

namespace muster::command {
namespace {

ToolSpec weather_tool() {
  ToolSpec tool;
  tool.name = ToolName("get_weather");
  tool.arguments = {"--city", "{{input.city}}"};
  tool.timeout = Duration(1'500);
  return tool;
}

TEST(AgentToolJob, LabelsSayWhichProgramToRunAndHow) {
  const ToolSpec tool = weather_tool();
  ASSERT_TRUE(validate_tool_arguments(tool).ok());
  const auto program = tool_program("get_weather", tool_labels(tool));
  ASSERT_TRUE(program);
  EXPECT_EQ(program->tool, "get_weather");
  EXPECT_EQ(program->arguments, tool.arguments);
  EXPECT_EQ(program->timeout_secs, 2U);
  EXPECT_FALSE(tool_program("other", tool_labels(tool))) << "a label alone makes no tool of a job";
  EXPECT_FALSE(tool_program("get_weather", {}));
}

TEST(AgentToolJob, LabelsOfTheLargestToolAreAccepted) {
  ToolSpec tool = weather_tool();
  tool.arguments.assign(kToolArgumentsMax, std::string(limits::kLabelBytesMax, 'x'));
  ASSERT_TRUE(validate_tool_arguments(tool).ok());
  const Labels labels = tool_labels(tool);
  EXPECT_TRUE(validate_labels("labels", labels).ok());
  EXPECT_EQ(tool_program("get_weather", labels)->arguments.size(), kToolArgumentsMax);
  tool.arguments.emplace_back("one more");
  EXPECT_EQ(validate_tool_arguments(tool).code(), Code::invalid_argument);
  tool.arguments.assign(1, std::string(limits::kLabelBytesMax + 1, 'x'));
  EXPECT_EQ(validate_tool_arguments(tool).code(), Code::invalid_argument);
}

TEST(AgentToolJob, WhatAToolSaysIsReadFromEveryKindOfResult) {
  const auto said = [](std::string data, Encoding encoding = Encoding::json) {
    return tool_output(Content{.data = std::move(data), .encoding = encoding});
  };
  EXPECT_EQ(said(R"("sunny\n")"), "sunny\n");
  EXPECT_EQ(said(R"({"a": 1})"), R"({"a": 1})");
  EXPECT_EQ(said("42"), "42");
  EXPECT_EQ(said("\xff\xfe", Encoding::bytes), "\xff\xfe");
  EXPECT_EQ(said(R"({"status":"completed","task_results":[{"stdout":"sunny\n\n","exit_code":0}]})"), "sunny\n");
  EXPECT_EQ(said(R"({"task_results":[{"stdout":"?","stdout_base64":"//4K"}]})"), "\xff\xfe");
  EXPECT_EQ(said(R"({"task_results":[]})"), R"({"task_results":[]})");
  EXPECT_EQ(tool_output(std::nullopt), "");
}

}  // namespace
}  // namespace muster::command
