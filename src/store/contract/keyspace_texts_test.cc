// Contract: keys that hold a text.
#include <limits>

#include "store/contract/keyspace_testing.h"

namespace muster::store::contract {
namespace {

class KeyspaceTextsContract : public KeyspaceContract {
 protected:
  static std::string binary() {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
    return all;
  }
};

TEST_P(KeyspaceTextsContract, AValueIsReadBackAsItWasWritten) {
  EXPECT_EQ(get("k"), "nil");
  EXPECT_EQ(set("k", "v"), "OK");
  EXPECT_EQ(get("k"), "'v'");
  EXPECT_EQ(set("k", "other"), "OK");
  EXPECT_EQ(get("k"), "'other'");
  EXPECT_EQ(set("k", ""), "OK");
  EXPECT_EQ(get("k"), "''");
  EXPECT_EQ(exists("k"), ":1");
}

TEST_P(KeyspaceTextsContract, EveryByteIsAllowedInNamesAndValues) {
  set("bytes", binary());
  EXPECT_EQ(get("bytes"), "'" + binary() + "'");
  const std::string name("a\0b\xff", 4);
  set(name, "v");
  EXPECT_EQ(get(name), "'v'");
  EXPECT_EQ(get("a"), "nil");
}

TEST_P(KeyspaceTextsContract, TheEmptyNameIsAName) {
  set("", "v");
  EXPECT_EQ(get(""), "'v'");
  EXPECT_EQ(names(""), std::vector<std::string>{""});
  EXPECT_EQ(remove(""), ":1");
  EXPECT_EQ(get(""), "nil");
}

TEST_P(KeyspaceTextsContract, TenMegabytesAreAValueAndOneByteMoreIsNot) {
  const std::string largest(10 * 1024 * 1024, 'x');
  EXPECT_EQ(set("k", largest), "OK");
  EXPECT_EQ(answer_of(key::Get{"k"}).text, largest);
  EXPECT_EQ(set("k", largest + "x"), "!Element size 10485761 exceeds maximum 10485760");
  EXPECT_EQ(run(key::Append{"k", "x"}), "!Element size 10485761 exceeds maximum 10485760");
  EXPECT_EQ(run(key::Length{"k"}), ":10485760");
}

TEST_P(KeyspaceTextsContract, ANameOfAMegabyteIsANameAndOneByteMoreIsNot) {
  const std::string longest(1024 * 1024, 'n');
  EXPECT_EQ(set(longest, "v"), "OK");
  EXPECT_EQ(get(longest), "'v'");
  const std::string refused = "!Key length 1048577 exceeds maximum 1048576";
  EXPECT_EQ(set(longest + "n", "v"), refused);
  EXPECT_EQ(get(longest + "n"), refused);
  EXPECT_EQ(push(longest + "n", {"v"}), refused);
  EXPECT_EQ(run(key::Rename{longest, longest + "n"}), refused);
  EXPECT_EQ(run(key::Count{}), ":1");
}

TEST_P(KeyspaceTextsContract, LongNamesThatBeginAlikeAreDifferentKeys) {
  const std::string begin(5'000, 'a');
  set(begin + "1", "one");
  set(begin + "2", "two");
  EXPECT_EQ(get(begin + "1"), "'one'");
  EXPECT_EQ(get(begin + "2"), "'two'");
  EXPECT_EQ(names(""), (std::vector<std::string>{begin + "1", begin + "2"}));
}

TEST_P(KeyspaceTextsContract, SetHonoursItsConditions) {
  EXPECT_EQ(run(key::Set{.key = "k", .value = "1", .when = key::SetWhen::if_present}), "nil");
  EXPECT_EQ(get("k"), "nil");
  EXPECT_EQ(run(key::Set{.key = "k", .value = "1", .when = key::SetWhen::if_missing}), "OK");
  EXPECT_EQ(run(key::Set{.key = "k", .value = "2", .when = key::SetWhen::if_missing}), "nil");
  EXPECT_EQ(get("k"), "'1'");
  EXPECT_EQ(run(key::Set{.key = "k", .value = "3", .when = key::SetWhen::if_present}), "OK");
  EXPECT_EQ(get("k"), "'3'");
}

TEST_P(KeyspaceTextsContract, SetAnswersTheOldValueWhenAsked) {
  EXPECT_EQ(run(key::Set{.key = "k", .value = "1", .answer_old = true}), "nil");
  EXPECT_EQ(run(key::Set{.key = "k", .value = "2", .answer_old = true}), "'1'");
  EXPECT_EQ(run(key::Set{.key = "k", .value = "3", .when = key::SetWhen::if_missing, .answer_old = true}), "'2'");
  EXPECT_EQ(get("k"), "'2'");
  push("l", {"x"});
  EXPECT_EQ(run(key::Set{.key = "l", .value = "v", .answer_old = true}), kWrongTypeShown);
  EXPECT_EQ(list("l"), "['x']");
}

TEST_P(KeyspaceTextsContract, SetReplacesAnyTypeAndItsElements) {
  push("k", {"a", "b"});
  EXPECT_EQ(set("k", "v"), "OK");
  EXPECT_EQ(get("k"), "'v'");
  remove("k");
  push("k", {"c"});
  EXPECT_EQ(list("k"), "['c']");
}

TEST_P(KeyspaceTextsContract, SetForgetsTheExpiryUnlessItKeepsIt) {
  set_for("k", "v", 10s);
  EXPECT_EQ(run(key::Set{.key = "k", .value = "w", .keep_expiry = true}), "OK");
  EXPECT_EQ(time_left("k"), ":10000");
  EXPECT_EQ(set("k", "w"), "OK");
  EXPECT_EQ(time_left("k"), ":-1");
}

TEST_P(KeyspaceTextsContract, AnExpiryThatHasPassedLeavesNoKey) {
  set("k", "old");
  EXPECT_EQ(run(key::Set{.key = "k", .value = "v", .expires_at = now() - 1ms}), "OK");
  EXPECT_EQ(get("k"), "nil");
  EXPECT_EQ(set_for("k", "v", 0ms), "OK");
  EXPECT_EQ(exists("k"), ":0");
}

TEST_P(KeyspaceTextsContract, ManyKeysAreSetAndReadTogether) {
  push("l", {"x"});
  EXPECT_EQ(run(key::SetMany{{{"a", "1"}, {"b", "2"}, {"a", "3"}}}), "OK");
  EXPECT_EQ(run(key::GetMany{{"a", "none", "l", "b", "a"}}), "['3' nil nil '2' '3']");
  EXPECT_EQ(run(key::SetMany{.pairs = {{"c", "1"}, {"b", "9"}}, .only_if_all_missing = true}), ":0");
  EXPECT_EQ(exists("c"), ":0");
  EXPECT_EQ(run(key::SetMany{.pairs = {{"c", "1"}, {"d", "2"}}, .only_if_all_missing = true}), ":1");
  EXPECT_EQ(run(key::GetMany{{"c", "d"}}), "['1' '2']");
}

TEST_P(KeyspaceTextsContract, AValueTooLargeAmongManyRefusesThemAll) {
  EXPECT_EQ(run(key::SetMany{{{"a", "1"}, {"b", std::string(10 * 1024 * 1024 + 1, 'x')}}}),
            "!Element size 10485761 exceeds maximum 10485760");
  EXPECT_EQ(exists("a"), ":0");
}

TEST_P(KeyspaceTextsContract, GetDeleteTakesTheValueAway) {
  EXPECT_EQ(run(key::GetDelete{"k"}), "nil");
  set("k", "v");
  EXPECT_EQ(run(key::GetDelete{"k"}), "'v'");
  EXPECT_EQ(exists("k"), ":0");
}

TEST_P(KeyspaceTextsContract, GetExpireChangesTheExpiryOnly) {
  set("k", "v");
  EXPECT_EQ(run(key::GetExpire{.key = "k"}), "'v'");
  EXPECT_EQ(time_left("k"), ":-1");
  EXPECT_EQ(run(key::GetExpire{.key = "k", .expires_at = Instant(5s), .relative = true}), "'v'");
  EXPECT_EQ(time_left("k"), ":5000");
  EXPECT_EQ(run(key::GetExpire{.key = "k"}), "'v'");
  EXPECT_EQ(time_left("k"), ":5000");
  EXPECT_EQ(run(key::GetExpire{.key = "k", .persist = true}), "'v'");
  EXPECT_EQ(time_left("k"), ":-1");
  EXPECT_EQ(run(key::GetExpire{.key = "k", .expires_at = now()}), "'v'");
  EXPECT_EQ(exists("k"), ":0");
  EXPECT_EQ(run(key::GetExpire{.key = "k", .persist = true}), "nil");
}

TEST_P(KeyspaceTextsContract, AppendAndLengthCountBytes) {
  EXPECT_EQ(run(key::Length{"k"}), ":0");
  EXPECT_EQ(run(key::Append{"k", "ab"}), ":2");
  EXPECT_EQ(run(key::Append{"k", std::string("\0c", 2)}), ":4");
  EXPECT_EQ(run(key::Length{"k"}), ":4");
  EXPECT_EQ(get("k"), std::string("'ab\0c'", 6));
}

TEST_P(KeyspaceTextsContract, RangesCountFromBothEnds) {
  set("k", "hello world");
  EXPECT_EQ(run(key::GetRange{"k", 0, 4}), "'hello'");
  EXPECT_EQ(run(key::GetRange{"k", -5, -1}), "'world'");
  EXPECT_EQ(run(key::GetRange{"k", 0, -1}), "'hello world'");
  EXPECT_EQ(run(key::GetRange{"k", -100, 100}), "'hello world'");
  EXPECT_EQ(run(key::GetRange{"k", 5, 3}), "''");
  EXPECT_EQ(run(key::GetRange{"k", 11, 20}), "''");
  EXPECT_EQ(run(key::GetRange{"none", 0, -1}), "''");
}

TEST_P(KeyspaceTextsContract, SetRangePadsWithZeroBytes) {
  EXPECT_EQ(run(key::SetRange{"k", 3, ""}), ":0");
  EXPECT_EQ(exists("k"), ":0");
  EXPECT_EQ(run(key::SetRange{"k", 2, "ab"}), ":4");
  EXPECT_EQ(get("k"), std::string("'\0\0ab'", 6));
  EXPECT_EQ(run(key::SetRange{"k", 1, "x"}), ":4");
  EXPECT_EQ(get("k"), std::string("'\0xab'", 6));
  EXPECT_EQ(run(key::SetRange{"k", 10 * 1024 * 1024, "x"}), "!Element size 10485761 exceeds maximum 10485760");
  EXPECT_EQ(run(key::Length{"k"}), ":4");
}

TEST_P(KeyspaceTextsContract, IncrementsCountAndKeepTheExpiry) {
  EXPECT_EQ(run(key::Increment{"n"}), ":1");
  EXPECT_EQ(run(key::Increment{"n", 41}), ":42");
  EXPECT_EQ(run(key::Increment{"n", -50}), ":-8");
  EXPECT_EQ(get("n"), "'-8'");
  set_for("n", "1", 10s);
  run(key::Increment{"n"});
  EXPECT_EQ(time_left("n"), ":10000");
}

TEST_P(KeyspaceTextsContract, WhatIsNotAnIntegerIsNotIncremented) {
  for (const char* text : {"x", "", "1.5", " 1", "1 ", "+1", "01", "-0", "9223372036854775808"}) {
    set("n", text);
    EXPECT_EQ(run(key::Increment{"n"}), "!value is not an integer or out of range") << text;
    EXPECT_EQ(get("n"), fmt::format("'{}'", text));
  }
}

TEST_P(KeyspaceTextsContract, AnIncrementNeverOverflows) {
  set("n", "9223372036854775807");
  EXPECT_EQ(run(key::Increment{"n"}), "!increment or decrement would overflow");
  EXPECT_EQ(get("n"), "'9223372036854775807'");
  EXPECT_EQ(run(key::Increment{"n", -7}), ":9223372036854775800");
  set("n", "-9223372036854775808");
  EXPECT_EQ(run(key::Increment{"n", -1}), "!increment or decrement would overflow");
}

TEST_P(KeyspaceTextsContract, RealIncrementsAreWrittenAsPeopleWriteThem) {
  EXPECT_EQ(run(key::IncrementReal{"r", 10.5}), "'10.5'");
  EXPECT_EQ(run(key::IncrementReal{"r", 0.1}), "'10.6'");
  EXPECT_EQ(run(key::IncrementReal{"r", -10.6}), "'0'");
  set("r", "0.1");
  EXPECT_EQ(run(key::IncrementReal{"r", 0.2}), "'0.3'");
  set("r", "5.0e3");
  EXPECT_EQ(run(key::IncrementReal{"r", 200}), "'5200'");
  set("r", "x");
  EXPECT_EQ(run(key::IncrementReal{"r", 1}), "!value is not a valid float");
  set("r", "1");
  EXPECT_EQ(run(key::IncrementReal{"r", std::numeric_limits<double>::infinity()}), "!increment would produce NaN or Infinity");
  EXPECT_EQ(get("r"), "'1'");
}

TEST_P(KeyspaceTextsContract, OtherTypesAreRefusedAndStay) {
  push("l", {"x"});
  const std::vector<KeyCommand> commands{key::Get{"l"},
                                         key::GetDelete{"l"},
                                         key::GetExpire{.key = "l", .persist = true},
                                         key::Append{"l", "x"},
                                         key::Length{"l"},
                                         key::GetRange{"l"},
                                         key::SetRange{"l", 0, "x"},
                                         key::Increment{"l"},
                                         key::IncrementReal{"l", 1}};
  for (const KeyCommand& command : commands) EXPECT_EQ(run(command), kWrongTypeShown) << command.index();
  EXPECT_EQ(list("l"), "['x']");
}

INSTANTIATE_TEST_SUITE_P(Stores, KeyspaceTextsContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
