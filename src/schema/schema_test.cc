// What a schema says to people: which fault, where, in which words; and what is no schema. The rules themselves are proved by
// suite_test.cc.
#include "schema/schema.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "schema/schema_testing.h"

namespace muster::schema {
namespace {

TEST(Schema, NamesTheValueAndWhatIsAccepted) {
  struct Case {
    std::string_view schema;
    std::string_view value;
    std::string_view fault;
  };
  constexpr Case kCases[] = {
      {R"({"type":"integer"})", R"("abc")", R"( /type "abc" is a string; accepted: an integer)"},
      {R"({"type":["string","null"]})", "1.5", " /type 1.5 is a fraction; accepted: a string or null"},
      {R"({"type":"number"})", "{}", " /type an object of 0 is an object; accepted: a number"},
      {R"({"enum":["a","b",3]})", R"("c")", R"( /enum "c" is not accepted; accepted: "a", "b", 3)"},
      {R"({"const":"x"})", "null", R"( /const null is not accepted; accepted: "x")"},
      {R"({"minimum":0})", "-1", " /minimum -1 is below the minimum 0"},
      {R"({"maximum":1})", "1.5", " /maximum 1.5 is above the maximum 1"},
      {R"({"exclusiveMinimum":0})", "0", " /exclusiveMinimum 0 is not above 0"},
      {R"({"exclusiveMaximum":10})", "10", " /exclusiveMaximum 10 is not below 10"},
      {R"({"multipleOf":0.01})", "0.015", " /multipleOf 0.015 is not a multiple of 0.01"},
      {R"({"minLength":1})", R"("")", R"( /minLength "" has 0 characters; accepted: at least 1)"},
      {R"({"maxLength":2})", R"("äöü")", R"( /maxLength "äöü" has 3 characters; accepted: at most 2)"},
      {R"({"pattern":"^a+$"})", R"("b")", R"( /pattern "b" does not match the pattern ^a+$)"},
      {R"({"minItems":1})", "[]", " /minItems has 0 items; accepted: at least 1"},
      {R"({"maxProperties":0})", R"({"a":1})", " /maxProperties has 1 member; accepted: at most 0"},
      {R"({"uniqueItems":true})", "[1,2,1.0]", " /uniqueItems items 0 and 2 are equal; accepted: no two alike"},
      {R"({"required":["a","b"]})", R"({"b":1})", R"( /required the member "a" is missing)"},
      {R"({"dependentRequired":{"a":["b"]}})", R"({"a":1})", R"( /dependentRequired the member "b" is missing, which "a" needs)"},
      {R"({"properties":{"a":{},"b":{}},"additionalProperties":false})", R"({"a":1,"x":2})",
       R"(/x /additionalProperties no member "x" is accepted; accepted: a, b)"},
      {R"({"additionalProperties":false})", R"({"x":2})",
       R"(/x /additionalProperties no member "x" is accepted; accepted: none)"},
      {R"({"propertyNames":{"maxLength":1}})", R"({"long":1})", R"(/long /propertyNames the name "long" is not accepted)"},
      {R"({"contains":{"type":"null"}})", "[1]", " /contains 0 of 1 items are of the kind that must occur; accepted: at least 1"},
      {R"({"contains":{},"maxContains":1})", "[1,2]", " /maxContains more than 1 items are of the kind that may occur so often"},
      {R"({"not":{"type":"null"}})", "null", " /not null is what is ruled out here"},
      {R"({"anyOf":[{"type":"null"},{"const":1}]})", "2", " /anyOf 2 is none of the 2 kinds that are accepted"},
      {R"({"oneOf":[{"type":"null"},{"const":1}]})", "2", " /oneOf 2 is none of the 2 kinds of which one is accepted"},
      {R"({"oneOf":[false,{},{"const":1}]})", "1", " /oneOf 1 is of kinds 1 and 2 at once; accepted: one"},
      {"false", "1", "  nothing is accepted here"},
      {R"({"unevaluatedProperties":false})", R"({"a":1})", "/a /unevaluatedProperties nothing is accepted here"},
  };
  for (const Case& entry : kCases) EXPECT_EQ(fault(entry.schema, entry.value), entry.fault) << entry.schema;
}

TEST(Schema, PointsIntoValueAndSchema) {
  const std::string_view schema = R"({"properties":{"a/b":{"prefixItems":[{},{"$ref":"#/$defs/small~1er"}]}},
                                      "$defs":{"small/er":{"maximum":1}}})";
  EXPECT_EQ(fault(schema, R"({"a/b":[9,2]})"), "/a~1b/1 /$defs/small~1er/maximum 2 is above the maximum 1");
}

TEST(Schema, NamesTheDocumentOfAKeywordElsewhere) {
  const json::Tree other = tree(R"({"$defs":{"n":{"type":"null"}}})");
  const Options options{.documents = {{"/schemas/other.json", &other}}};
  EXPECT_EQ(fault(R"({"$id":"/schemas/one.json","$ref":"other.json#/$defs/n"})", "1", options),
            " /schemas/other.json#/$defs/n/type 1 is an integer; accepted: null");
}

TEST(Schema, ListsEveryFaultItFindsAndNoMoreThanItsBound) {
  const Schema both = compiled(R"({"properties":{"a":{"type":"null"},"b":{"type":"null"}},"required":["c"]})");
  EXPECT_EQ(both.faults(tree(R"({"a":1,"b":2})")).size(), 3U);
  json::Tree many = json::Tree::array();
  for (int i = 0; i < 100; ++i) many.push_back(i);
  EXPECT_EQ(compiled(R"({"items":{"type":"null"}})").faults(many).size(), kFaultsMax);
}

TEST(Schema, CutsLongTextsBetweenCodePoints) {
  std::string text;
  while (text.size() < 4 * kFaultTextMax) text += "ä";
  const std::vector<Fault> faults = compiled(R"({"additionalProperties":{"type":"null"}})").faults(json::Tree{{text, text}});
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_LE(faults[0].instance.size(), kFaultTextMax);
  EXPECT_TRUE(faults[0].instance.ends_with("ä...")) << faults[0].instance;
  EXPECT_LE(faults[0].message.size(), kFaultTextMax);
}

TEST(Schema, ChecksWithTheFirstFaultAsStatus) {
  const Schema schema = compiled(R"({"properties":{"metrics":{"properties":{"inflight":{"minimum":0}}}},"type":"object"})");
  EXPECT_TRUE(schema.check(tree("{}")).ok());
  const Status status = schema.check(tree(R"({"metrics":{"inflight":-1}})"));
  EXPECT_EQ(status.code(), Code::invalid_argument);
  EXPECT_EQ(status.message(), "metrics/inflight: -1 is below the minimum 0");
  EXPECT_EQ(schema.check(tree("[]")).message(), "an array of 0 is an array; accepted: an object");
}

TEST(Schema, SaysWhichKeywordIsNone) {
  struct Case {
    std::string_view schema;
    std::string_view refusal;
  };
  constexpr Case kCases[] = {
      {"3", "schema: 3 is no schema; accepted: an object or a boolean"},
      {R"({"properties":{"a":{"minimum":"x"}}})", R"(schema /properties/a/minimum: "x" is not accepted; accepted: a number)"},
      {R"({"type":"text"})",
       R"(schema /type: "text" is not accepted; accepted: one or more of null, boolean, integer, number, string, array, object)"},
      {R"({"type":[]})",
       "schema /type: an array of 0 is not accepted; accepted: one or more of null, boolean, integer, number, string, array, "
       "object"},
      {R"({"enum":{}})", "schema /enum: an object of 0 is not accepted; accepted: an array"},
      {R"({"multipleOf":0})", "schema /multipleOf: 0 is not accepted; accepted: a number above 0"},
      {R"({"minLength":-1})", "schema /minLength: -1 is not accepted; accepted: an integer from 0 on"},
      {R"({"maxItems":1.5})", "schema /maxItems: 1.5 is not accepted; accepted: an integer from 0 on"},
      {R"({"minContains":true})", "schema /minContains: true is not accepted; accepted: an integer from 0 on"},
      {R"({"required":[1]})", "schema /required: 1 is not accepted; accepted: a name"},
      {R"({"required":"a"})", R"(schema /required: "a" is not accepted; accepted: an array of names)"},
      {R"({"dependentRequired":[]})",
       "schema /dependentRequired: an array of 0 is not accepted; accepted: an object of arrays of names"},
      {R"({"allOf":[]})", "schema /allOf: an array of 0; accepted: an array of one or more schemas"},
      {R"({"properties":[]})", "schema /properties: an array of 0; accepted: an object of schemas"},
      {R"({"items":[{}]})", "schema /items: an array of 1 is no schema; accepted: an object or a boolean"},
      {R"({"uniqueItems":1})", "schema /uniqueItems: 1 is not accepted; accepted: a boolean"},
      {R"({"format":1})", "schema /format: 1 is not accepted; accepted: a string"},
      {R"({"$ref":1})", "schema /$ref: 1 is not accepted; accepted: a URI reference"},
      {R"({"$anchor":"1a"})", R"(schema /$anchor: "1a" is no name; accepted: letters, digits, - . _)"},
      {R"({"$id":"a#b"})", R"(schema /$id: "a#b" has a fragment; accepted: none)"},
      {R"({"$defs":{"a":{"$id":"x"},"b":{"$id":"x"}}})", R"(schema /$defs/a/$id: "x" is there twice)"},
  };
  for (const Case& entry : kCases) EXPECT_EQ(refusal(entry.schema), entry.refusal) << entry.schema;
}

TEST(Schema, RefusesReferencesThatLeadNowhereAndFetchesNothing) {
  EXPECT_EQ(refusal(R"({"$ref":"#/$defs/a"})"), R"(schema /$ref: "/$defs/a" leads nowhere)");
  EXPECT_EQ(refusal(R"({"$ref":"#here"})"), R"(schema /$ref: "#here" leads nowhere: there is no such anchor)");
  EXPECT_EQ(refusal(R"({"$ref":"https://example.com/a.json"})"),
            R"(schema /$ref: no document "https://example.com/a.json" is given, and none is fetched)");
  EXPECT_EQ(refusal(R"({"$ref":"file:///etc/passwd"})"),
            R"(schema /$ref: no document "file:///etc/passwd" is given, and none is fetched)");
  EXPECT_EQ(refusal(R"({"$dynamicRef":"#here"})"), R"(schema /$dynamicRef: "#here" leads nowhere: there is no such anchor)");
  EXPECT_EQ(refusal(R"({"$ref":"#/$defs/a~2"})"), R"(schema /$ref: "/$defs/a~2" is no JSON pointer)");
  EXPECT_EQ(refusal(R"({"$ref":"#/minimum","minimum":1})"),
            "schema /$ref: schema /minimum: 1 is no schema; accepted: an object or a boolean");
}

TEST(Schema, RefusesOtherDialects) {
  EXPECT_EQ(refusal(R"({"$schema":"http://json-schema.org/draft-07/schema#"})"),
            R"(schema /$schema: "http://json-schema.org/draft-07/schema#" is no dialect known here; )"
            R"(accepted: "https://json-schema.org/draft/2020-12/schema")");
  EXPECT_EQ(refusal(R"({"$schema":"https://json-schema.org/draft/2020-12/schema"})"), "");
  const json::Tree strange = tree(R"({"$vocabulary":{"https://example.com/vocab":true}})");
  EXPECT_EQ(refusal(R"({"$schema":"x:meta"})", {.documents = {{"x:meta", &strange}}}),
            R"(schema /$schema: "x:meta" needs the vocabulary "https://example.com/vocab", which is not known here)");
}

TEST(Schema, RefusesWhatRefersToItselfWithoutAnEnd) {
  for (const std::string_view endless :
       {R"({"$ref":"#"})", R"({"allOf":[{"$ref":"#"}]})", R"({"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"not":{"$ref":"#/$defs/a"}}},
          "properties":{"x":{"$ref":"#/$defs/a"}}})",
        R"({"if":true,"then":{"$ref":"#"}})", R"({"dependentSchemas":{"a":{"$ref":"#"}}})"})
    EXPECT_TRUE(refusal(endless).ends_with("refers to itself without an end")) << endless << refusal(endless);
  EXPECT_EQ(refusal(R"({"properties":{"child":{"$ref":"#"}}})"), "");
  EXPECT_EQ(refusal(R"({"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}],"$defs":{"a":{}}})"), "");
}

TEST(Schema, AssertsFormatsOnlyWhenAsked) {
  EXPECT_TRUE(accepts(R"({"format":"date-time"})", R"("yesterday")"));
  EXPECT_EQ(fault(R"({"format":"date-time"})", R"("yesterday")", {.assert_formats = true}),
            R"( /format "yesterday" is no date-time)");
  EXPECT_TRUE(accepts(R"({"format":"colour"})", R"("yesterday")", {.assert_formats = true}));
}

TEST(Schema, MayBeUsedByManyThreadsAtOnce) {
  const Schema schema = compiled(R"({"items":{"pattern":"^[a-z]+[0-9]?$"},"uniqueItems":true})");
  const json::Tree good = tree(R"(["a","b","c1"])");
  const json::Tree bad = tree(R"(["a","B"])");
  std::atomic<int> right = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, copy = schema] {
      for (int round = 0; round < 200; ++round) right += copy.accepts(good) && !copy.accepts(bad) ? 1 : 0;
    });
  threads.clear();
  EXPECT_EQ(right, 800);
}

}  // namespace
}  // namespace muster::schema
