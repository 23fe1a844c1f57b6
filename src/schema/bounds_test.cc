// Schemas and values that mean harm: each ends at a bound, with an answer that says which.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json_depth.h"
#include "schema/schema.h"
#include "schema/schema_testing.h"

namespace muster::schema {
namespace {

using json::Tree;

Tree nested(std::size_t depth, const char* name, Tree inside) {
  for (std::size_t i = 0; i < depth; ++i) {
    Tree outer = Tree::object();
    outer[name] = std::move(inside);
    inside = std::move(outer);
  }
  return inside;
}

std::string refusal_of(const Tree& schema) { return Schema::compile(schema).status().message(); }

TEST(SchemaBounds, EndExponentialBranches) {
  // Each level tries the next twice, and the innermost never fits: 2^60 tries.
  Tree schema{{"$defs", {{"n60", {{"type", "null"}}}}}};
  for (int i = 59; i >= 0; --i) {
    const Tree next{{"$ref", fmt::format("#/$defs/n{}", i + 1)}};
    schema["$defs"][fmt::format("n{}", i)] = {{"anyOf", {next, next}}};
  }
  schema["$ref"] = "#/$defs/n0";
  const auto compiled = Schema::compile(schema);
  ASSERT_TRUE(compiled.ok()) << compiled.status().text();
  EXPECT_EQ(fault(*compiled, Tree(1)), "  gave up: judging it takes more than 1000000 steps");
}

TEST(SchemaBounds, MakeAGivenUpJudgementARefusalWhateverItIsWithin) {
  const Options options{.steps = 10};
  const std::string_view tired = R"({"items":{"type":"integer"}})";
  const std::string_view value = "[1,2,3,4,5,6,7,8,9,10,11,12]";
  EXPECT_EQ(fault(tired, value, options), "  gave up: judging it takes more than 10 steps");
  EXPECT_FALSE(accepts(fmt::format(R"({{"not":{}}})", tired), value, options));
  EXPECT_FALSE(accepts(fmt::format(R"({{"anyOf":[{},true]}})", tired), value, options));
  EXPECT_FALSE(accepts(fmt::format(R"({{"if":{},"then":true,"else":true}})", tired), value, options));
  EXPECT_FALSE(
      accepts(fmt::format(R"({{"contains":{},"minContains":0,"maxContains":9}})", tired), fmt::format("[{}]", value), options));
  EXPECT_TRUE(accepts(tired, value, {.steps = 14}));
}

TEST(SchemaBounds, AcceptStepsWithinTheirRangeOnly) {
  EXPECT_EQ(refusal("{}", {.steps = 0}), "a schema's steps are 0; accepted are 1 to 1000000000");
  EXPECT_EQ(refusal("{}", {.steps = kStepsMax + 1}), "a schema's steps are 1000000001; accepted are 1 to 1000000000");
}

TEST(SchemaBounds, EndDynamicReferencesThatLeadBack) {
  const std::string_view endless = R"({"$id":"x:a","$dynamicAnchor":"n","properties":{"a":{"$id":"x:b","$dynamicAnchor":"n",
      "$dynamicRef":"#n"}},"$dynamicRef":"x:b#n"})";
  EXPECT_EQ(fault(endless, "1"), "  gave up: value and schema lead more than 1000 levels deep");
}

TEST(SchemaBounds, JudgeValuesAsDeepAsTheyMayBe) {
  const Schema schema = compiled(R"({"allOf":[{"$ref":"#/$defs/node"}],
      "$defs":{"node":{"anyOf":[{"type":"null"},{"type":"object","properties":{"a":{"$ref":"#/$defs/node"}}}]}}})");
  EXPECT_EQ(fault(schema, nested(json::kDepthMax, "a", nullptr)), "");
  EXPECT_NE(fault(schema, nested(json::kDepthMax, "a", 1)), "");
}

TEST(SchemaBounds, RefuseValuesBeyondEveryDepthWithoutFollowingThem) {
  const Tree deep = nested(3 * kRecursionMax, "a", nullptr);
  EXPECT_EQ(fault(compiled(R"({"additionalProperties":{"$ref":"#"}})"), deep),
            "  gave up: value and schema lead more than 1000 levels deep");
  EXPECT_FALSE(compiled(R"({"uniqueItems":true})").accepts(Tree::array({deep, deep})));
}

TEST(SchemaBounds, RefuseSchemasThatAreTooLarge) {
  EXPECT_EQ(refusal_of(nested(json::kDepthMax + 1, "x-unknown", true)), "a schema nested deeper than 128 levels");
  Tree wide{{"enum", Tree::array()}};
  for (std::size_t i = 0; i < kSchemaValuesMax; ++i) wide["enum"].push_back(i);
  EXPECT_EQ(refusal_of(wide), "a schema of more than 100000 values");
  EXPECT_EQ(refusal_of({{"const", std::string(kSchemaBytesMax, 'x')}}), "a schema of more than 4194304 bytes of text");
  Tree parts{{"anyOf", Tree::array()}};
  for (std::size_t i = 0; i < kSubschemasMax; ++i) parts["anyOf"].push_back(true);
  EXPECT_EQ(refusal_of(parts), "a schema of more than 50000 subschemas");
}

TEST(SchemaBounds, RefuseUrisThatGrow) {
  Tree schema{{"$id", "x:/" + std::string(kUriBytesMax - 10, 'p') + "/"}, {"$defs", {{"a", {{"$id", "short"}}}}}};
  EXPECT_EQ(refusal_of(schema), "");
  schema["$defs"]["a"]["$id"] = "much-longer";
  EXPECT_EQ(refusal_of(schema), "schema /$defs/a/$id: makes a URI of 2053 bytes; accepted: at most 2048");
}

TEST(SchemaBounds, CountEveryDocumentThatIsUsed) {
  const Tree large{{"const", std::string(kSchemaBytesMax, 'x')}};
  const Options options{.documents = {{"x:large", &large}}};
  EXPECT_EQ(refusal(R"({"$ref":"x:large"})", options), "schema /$ref: a schema of more than 4194304 bytes of text");
  EXPECT_EQ(refusal("{}", options), "");
}

TEST(SchemaBounds, RefusePatternsThatAreTooManyTooLongOrTooLarge) {
  Tree many = Tree::object();
  for (std::size_t i = 0; i <= kPatternsMax; ++i) many["patternProperties"][fmt::format("^{}$", i)] = true;
  EXPECT_EQ(refusal_of(many), "schema /patternProperties: a schema of more than 128 patterns");
  EXPECT_EQ(refusal_of({{"pattern", std::string(kPatternBytesMax + 1, 'x')}}),
            "schema /pattern: a pattern of 4097 bytes; accepted are 4096");
  EXPECT_EQ(refusal_of({{"pattern", "((((a{100}){100}){100}){100})"}}),
            R"x(schema /pattern: the pattern "((((a{100}){100}){100}){100})" is not supported: invalid repetition size: {100})x");
  EXPECT_EQ(refusal_of({{"pattern", "(\\p{L}{1,500}){1}"}}),
            R"x(schema /pattern: the pattern "(\\p{L}{1,500}){1}" is not supported: pattern too large - compile failed)x");
}

TEST(SchemaBounds, ChargeAPatternForTheTextItReads) {
  const Schema schema = compiled(R"x({"pattern":"(a|b|ab)*(x|y){1,500}$"})x");
  EXPECT_EQ(fault(schema, Tree(std::string(8 * 1024 * 1024, 'a'))), "  gave up: judging it takes more than 1000000 steps");
  EXPECT_EQ(fault(schema, Tree("abx")), "");
}

TEST(SchemaBounds, CompareManyItemsWithoutComparingAllPairs) {
  Tree items = Tree::array();
  for (int i = 0; i < 200'000; ++i) items.push_back(i);
  const Schema unique = compiled(R"({"uniqueItems":true})");
  EXPECT_EQ(fault(unique, items), "");
  items.push_back(77.0);
  EXPECT_EQ(fault(unique, items), " /uniqueItems items 77 and 200000 are equal; accepted: no two alike");
  Tree objects = Tree::array();
  for (int i = 0; i < 20'000; ++i) objects.push_back({{"id", i}, {"tags", {"a", i}}});
  EXPECT_EQ(fault(unique, objects), "");
  objects.push_back(objects[19'998]);
  EXPECT_EQ(fault(unique, objects), " /uniqueItems items 19998 and 20000 are equal; accepted: no two alike");
}

TEST(SchemaBounds, ChargeComparisonsForWhatTheyCompare) {
  Tree large = Tree::array();
  for (int i = 0; i < 40'000; ++i) large.push_back(i);
  Tree choices = Tree::array();
  choices.push_back(large);
  const Schema schema = *Schema::compile({{"items", {{"enum", choices}}}});
  Tree many = Tree::array();
  for (int i = 0; i < 100; ++i) many.push_back(large);
  EXPECT_EQ(fault(schema, many), "  gave up: judging it takes more than 1000000 steps");
}

TEST(SchemaBounds, TakeLongNamesWithoutKeepingThemOncePerSubschema) {
  // Each of 10,000 subschemas lies under a name of 300 kB: pointers are made when a fault needs one.
  Tree inner = Tree::object();
  for (int i = 0; i < 10'000; ++i) inner["properties"][std::to_string(i)] = {{"type", "null"}};
  const std::string name(300 * 1024, 'n');
  const auto schema = Schema::compile({{"properties", {{name, inner}}}});
  ASSERT_TRUE(schema.ok()) << schema.status().text();
  const std::vector<Fault> faults = schema->faults({{name, {{"5", 1}}}});
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].message, "1 is an integer; accepted: null");
  EXPECT_LE(faults[0].keyword.size(), kFaultTextMax);
}

}  // namespace
}  // namespace muster::schema
