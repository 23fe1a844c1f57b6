// Inputs put into plans: what stands for what, what is missing, and that nothing dangerous comes in that way.
#include <gtest/gtest.h>

#include "plan/plan.h"

namespace muster::plan {
namespace {

Document plan_of(std::vector<std::string> args) {
  return {.id = "p", .description = "", .tasks = {{.number = 1, .command = "echo", .args = std::move(args)}}};
}

std::string filled(std::string arg, std::string_view input) {
  const auto done = substitute(plan_of({std::move(arg)}), input);
  return done.ok() ? done->tasks[0].args[0] : "! " + done.status().message();
}

TEST(Substitute, PutsTopLevelFieldsIntoArguments) {
  const char* input = R"({"name":"a b","n":7,"f":1.5,"big":18446744073709551615,"yes":true,"none":null,"under_score":"u"})";
  EXPECT_EQ(filled("{{input.name}}", input), "a b");
  EXPECT_EQ(filled("-n{{input.n}}x{{input.n}}", input), "-n7x7");
  EXPECT_EQ(filled("{{input.f}}", input), "1.5");
  EXPECT_EQ(filled("{{input.big}}", input), "18446744073709551615");
  EXPECT_EQ(filled("{{input.yes}}", input), "true");
  EXPECT_EQ(filled("[{{input.none}}]", input), "[]");
  EXPECT_EQ(filled("{{input.under_score}}", input), "u");
}

TEST(Substitute, LeavesWhatOnlyLooksLikeAPlaceholder) {
  for (const char* text :
       {"{{input.}}", "{{input.a-b}}", "{{input.a}", "{{input}}", "{{ input.a }}", "{input.a}", "{{input.a}x}"})
    EXPECT_EQ(filled(text, R"({"a":"1"})"), text);
  EXPECT_EQ(filled("{{input.{{input.a}}", R"({"a":"1"})"), "{{input.1");
}

TEST(Substitute, DoesNotReadInsertedTextAsATemplate) {
  EXPECT_EQ(filled("{{input.a}}", R"({"a":"{{input.b}}","b":"x"})"), "{{input.b}}");
}

TEST(Substitute, LeavesTheCommandAlone) {
  Document plan = plan_of({});
  plan.tasks[0].command = "{{input.a}}";
  const auto done = substitute(plan, R"({"a":"rm"})");
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->tasks[0].command, "{{input.a}}");
}

TEST(Substitute, NamesEveryMissingFieldOnce) {
  const auto done = substitute(plan_of({"{{input.b}}", "{{input.a}}{{input.b}}", "{{input.c}}"}), R"({"c":1})");
  EXPECT_EQ(done.code(), Code::invalid_argument);
  EXPECT_EQ(done.status().message(), "Missing required input fields: b, a");
}

TEST(Substitute, TakesAnInputThatIsNoObjectWhenNothingIsAsked) {
  EXPECT_EQ(filled("plain", "[1]"), "plain");
  EXPECT_EQ(filled("plain", ""), "plain");
  EXPECT_EQ(filled("{{input.a}}", "null"), "! Missing required input fields: a");
  EXPECT_EQ(filled("{{input.a}}", ""), "! Missing required input fields: a");
  EXPECT_EQ(filled("plain", "{"), "! Invalid JSON: the input is not JSON");
}

TEST(Substitute, RefusesArraysAndObjects) {
  EXPECT_EQ(filled("{{input.x}}", R"({"x":[1]})"), "! Input field 'x' has unsupported type (must be string, number, or boolean)");
  EXPECT_EQ(filled("{{input.x}}", R"({"x":{}})"), "! Input field 'x' has unsupported type (must be string, number, or boolean)");
}

TEST(Substitute, JudgesWordsAfterTheInputIsIn) {
  EXPECT_EQ(filled("{{input.x}}", R"({"x":"a;b"})"), "! Task 1 argument 1 contains a shell character (';')");
  EXPECT_EQ(filled("{{input.x}}", R"({"x":"../etc"})"),
            "! Task 1 argument 1 contains a path that climbs out of its folder ('..')");
  EXPECT_EQ(filled(".{{input.x}}", R"({"x":"./etc"})"),
            "! Task 1 argument 1 contains a path that climbs out of its folder ('..')");
  EXPECT_EQ(filled("{{input.x}}", R"({"x":"a\u0000b"})"), "! Task 1 argument 1 contains a NUL character");
  EXPECT_EQ(filled("{{input.x}}", R"({"x":"a\u202eb"})"), "! Task 1 argument 1 contains an invisible character (U+202E)");
}

TEST(Substitute, BoundsWhatAnInputMakesOfAnArgument) {
  const std::string half(kArgumentMax / 2 + 1, 'x');
  EXPECT_EQ(filled("{{input.x}}{{input.x}}", R"({"x":")" + half + R"("})"),
            "! Task 1 argument 1 is longer than 65536 bytes after substitution");
}

}  // namespace
}  // namespace muster::plan
