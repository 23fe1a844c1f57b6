// Contract: keys that hold a hash.
#include <limits>

#include "store/contract/keyspace_testing.h"

namespace muster::store::contract {
namespace {

class KeyspaceHashesContract : public KeyspaceContract {};

TEST_P(KeyspaceHashesContract, FieldsAreSetReadAndListedInByteOrder) {
  EXPECT_EQ(hset("h", {{"b", "2"}, {"a", "1"}}), ":2");
  EXPECT_EQ(hset("h", {{"a", "3"}, {"c", "4"}}), ":1");
  EXPECT_EQ(hash("h"), "['a' '3' 'b' '2' 'c' '4']");
  EXPECT_EQ(run(key::HashAll{"h", key::HashPart::fields}), "['a' 'b' 'c']");
  EXPECT_EQ(run(key::HashAll{"h", key::HashPart::values}), "['3' '2' '4']");
  EXPECT_EQ(run(key::HashGet{"h", "b"}), "'2'");
  EXPECT_EQ(run(key::HashGet{"h", "x"}), "nil");
  EXPECT_EQ(run(key::HashGet{"none", "x"}), "nil");
  EXPECT_EQ(run(key::HashGetMany{"h", {"c", "x", "a", "c"}}), "['4' nil '3' '4']");
  EXPECT_EQ(run(key::HashGetMany{"none", {"c"}}), "[nil]");
  EXPECT_EQ(run(key::HashExists{"h", "a"}), ":1");
  EXPECT_EQ(run(key::HashExists{"h", "x"}), ":0");
  EXPECT_EQ(run(key::HashLength{"h"}), ":3");
  EXPECT_EQ(run(key::HashLength{"none"}), ":0");
  EXPECT_EQ(hash("none"), "[]");
}

TEST_P(KeyspaceHashesContract, TheSameFieldTwiceCountsOnce) {
  EXPECT_EQ(hset("h", {{"a", "1"}, {"a", "2"}}), ":1");
  EXPECT_EQ(run(key::HashLength{"h"}), ":1");
  EXPECT_EQ(run(key::HashGet{"h", "a"}), "'2'");
}

TEST_P(KeyspaceHashesContract, SetCanAnswerDoneAndCanKeepWhatIsThere) {
  EXPECT_EQ(run(key::HashSet{.key = "h", .fields = {{"a", "1"}}, .answer_done = true}), "OK");
  EXPECT_EQ(run(key::HashSet{.key = "h", .fields = {{"a", "2"}}, .only_if_missing = true}), ":0");
  EXPECT_EQ(run(key::HashSet{.key = "h", .fields = {{"b", "2"}}, .only_if_missing = true}), ":1");
  EXPECT_EQ(hash("h"), "['a' '1' 'b' '2']");
}

TEST_P(KeyspaceHashesContract, NamesWithColonsDoNotRunIntoOneAnother) {
  hset("a", {{"b:c", "1"}});
  hset("a:b", {{"c", "2"}});
  EXPECT_EQ(hash("a"), "['b:c' '1']");
  EXPECT_EQ(hash("a:b"), "['c' '2']");
}

TEST_P(KeyspaceHashesContract, FieldsMayBeEmptyAndBinary) {
  const std::string bytes("\0\xff", 2);
  EXPECT_EQ(hset("h", {{"", "empty"}, {bytes, bytes}, {"z", ""}}), ":3");
  EXPECT_EQ(run(key::HashGet{"h", ""}), "'empty'");
  EXPECT_EQ(run(key::HashGet{"h", bytes}), "'" + bytes + "'");
  EXPECT_EQ(hash("h"), "['' 'empty' '" + bytes + "' '" + bytes + "' 'z' '']");
  EXPECT_EQ(run(key::HashScan{"h"}), "['' '' 'empty' '" + bytes + "' '" + bytes + "' 'z' '']");
  EXPECT_EQ(run(key::HashDelete{"h", {""}}), ":1");
  EXPECT_EQ(run(key::HashExists{"h", ""}), ":0");
}

TEST_P(KeyspaceHashesContract, DeletingTheLastFieldRemovesTheKey) {
  hset("h", {{"a", "1"}, {"b", "2"}});
  EXPECT_EQ(run(key::HashDelete{"h", {"a", "x", "a"}}), ":1");
  EXPECT_EQ(run(key::HashDelete{"h", {"x"}}), ":0");
  EXPECT_EQ(run(key::HashLength{"h"}), ":1");
  EXPECT_EQ(run(key::HashDelete{"h", {"b"}}), ":1");
  EXPECT_EQ(exists("h"), ":0");
  EXPECT_EQ(run(key::HashDelete{"h", {"b"}}), ":0");
}

TEST_P(KeyspaceHashesContract, IncrementsCountFromNothing) {
  EXPECT_EQ(run(key::HashIncrement{"h", "n", 5}), ":5");
  EXPECT_EQ(run(key::HashIncrement{"h", "n", -7}), ":-2");
  EXPECT_EQ(run(key::HashGet{"h", "n"}), "'-2'");
  hset("h", {{"t", "text"}, {"m", "9223372036854775807"}, {"e", ""}, {"p", "+007"}, {"l", "99999999999999999999"}});
  EXPECT_EQ(run(key::HashIncrement{"h", "t"}), "!Protocol error: Hash field is not an integer: invalid digit found in string");
  EXPECT_EQ(run(key::HashIncrement{"h", "e"}),
            "!Protocol error: Hash field is not an integer: cannot parse integer from empty string");
  EXPECT_EQ(run(key::HashIncrement{"h", "l"}),
            "!Protocol error: Hash field is not an integer: number too large to fit in target type");
  EXPECT_EQ(run(key::HashIncrement{"h", "m"}), "!Protocol error: Integer overflow in HINCRBY");
  EXPECT_EQ(run(key::HashGet{"h", "m"}), "'9223372036854775807'");
  EXPECT_EQ(run(key::HashIncrement{"h", "p"}), ":8");
}

TEST_P(KeyspaceHashesContract, RealIncrementsAreWrittenAsPeopleWriteThem) {
  EXPECT_EQ(run(key::HashIncrementReal{"h", "r", 0.1}), "'0.1'");
  EXPECT_EQ(run(key::HashIncrementReal{"h", "r", 0.2}), "'0.3'");
  hset("h", {{"t", "text"}});
  EXPECT_EQ(run(key::HashIncrementReal{"h", "t", 1}), "!hash value is not a float");
  EXPECT_EQ(run(key::HashIncrementReal{"h", "r", std::numeric_limits<double>::infinity()}),
            "!increment would produce NaN or Infinity");
}

TEST_P(KeyspaceHashesContract, TooLargeIsRefusedWhole) {
  const std::string name(1024 * 1024 + 1, 'n');
  const std::string value(10 * 1024 * 1024 + 1, 'v');
  EXPECT_EQ(hset("h", {{"a", "1"}, {name, "1"}}), "!Protocol error: Field name too large: 1048577 bytes (max: 1048576)");
  EXPECT_EQ(hset("h", {{"a", "1"}, {"b", value}}), "!Protocol error: Field value too large: 10485761 bytes (max: 10485760)");
  EXPECT_EQ(exists("h"), ":0");
}

TEST_P(KeyspaceHashesContract, TenThousandFieldsAreTheMost) {
  std::vector<KeyPair> fields;
  for (int i = 0; i < 10'000; ++i) fields.push_back({fmt::format("f{:05}", i), "v"});
  EXPECT_EQ(hset("h", fields), ":10000");
  EXPECT_EQ(hset("h", {{"f00007", "w"}}), ":0");
  EXPECT_EQ(hset("h", {{"f00008", "w"}, {"one more", "v"}}), "!Protocol error: Hash field limit exceeded: 10001 (max: 10000)");
  EXPECT_EQ(run(key::HashGet{"h", "f00008"}), "'v'");
  EXPECT_EQ(run(key::HashIncrement{"h", "one more"}), "!Protocol error: Hash field limit exceeded: 10001 (max: 10000)");
  const KeyAnswer all = answer_of(key::HashAll{"h", key::HashPart::fields});
  ASSERT_EQ(all.list.size(), 10'000u);
  EXPECT_EQ(all.list.back().text, "f09999");
}

TEST_P(KeyspaceHashesContract, AScanMeetsEveryFieldOnce) {
  std::vector<KeyPair> fields;
  for (int i = 0; i < 250; ++i) fields.push_back({fmt::format("f{:03}", i), "v"});
  hset("h", fields);
  std::vector<std::string> met;
  std::string after;
  do {
    const KeyAnswer page = answer_of(key::HashScan{.key = "h", .after = after, .limit = 40});
    ASSERT_FALSE(page.list.empty());
    after = page.list.front().text;
    for (std::size_t i = 1; i < page.list.size(); i += 2) met.push_back(page.list[i].text);
    // What comes and goes meanwhile changes nothing for the others.
    run(key::HashDelete{"h", {"f000"}});
    hset("h", {{"a new one at the front", "v"}});
  } while (!after.empty());
  ASSERT_EQ(met.size(), 250u);
  for (int i = 0; i < 250; ++i) EXPECT_EQ(met[static_cast<std::size_t>(i)], fields[static_cast<std::size_t>(i)].first);
  EXPECT_EQ(run(key::HashScan{.key = "h", .pattern = "f24[89]"}), "['' 'f248' 'v' 'f249' 'v']");
  EXPECT_EQ(run(key::HashScan{.key = "none"}), "['']");
}

TEST_P(KeyspaceHashesContract, OtherTypesAreRefusedAndStay) {
  set("t", "x");
  const std::vector<KeyCommand> commands{key::HashSet{"t", {{"a", "b"}}},
                                         key::HashGet{"t", "a"},
                                         key::HashGetMany{"t", {"a"}},
                                         key::HashDelete{"t", {"a"}},
                                         key::HashAll{"t"},
                                         key::HashExists{"t", "a"},
                                         key::HashLength{"t"},
                                         key::HashIncrement{"t", "a"},
                                         key::HashIncrementReal{"t", "a", 1},
                                         key::HashScan{"t"}};
  for (const KeyCommand& command : commands) EXPECT_EQ(run(command), kWrongTypeShown) << command.index();
  EXPECT_EQ(get("t"), "'x'");
}

INSTANTIATE_TEST_SUITE_P(Stores, KeyspaceHashesContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
