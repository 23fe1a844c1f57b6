// Contract: keys that hold a list.
#include <limits>

#include "store/contract/keyspace_testing.h"

namespace muster::store::contract {
namespace {

class KeyspaceListsContract : public KeyspaceContract {};

TEST_P(KeyspaceListsContract, BothEndsGrow) {
  EXPECT_EQ(push("l", {"a", "b"}), ":2");
  EXPECT_EQ(push("l", {"c", "d"}, ListEnd::left), ":4");
  EXPECT_EQ(list("l"), "['d' 'c' 'a' 'b']");
  EXPECT_EQ(run(key::ListLength{"l"}), ":4");
  EXPECT_EQ(run(key::ListLength{"none"}), ":0");
}

TEST_P(KeyspaceListsContract, PushIfThereNeedsAList) {
  EXPECT_EQ(run(key::Push{.key = "l", .values = {"a"}, .only_if_exists = true}), ":0");
  EXPECT_EQ(exists("l"), ":0");
  push("l", {"a"});
  EXPECT_EQ(run(key::Push{.key = "l", .end = ListEnd::left, .values = {"b"}, .only_if_exists = true}), ":2");
}

TEST_P(KeyspaceListsContract, PopsTakeFromTheirEndAndTheEmptyListVanishes) {
  push("l", {"a", "b", "c"});
  EXPECT_EQ(pop("l", ListEnd::left), "'a'");
  EXPECT_EQ(pop("l"), "'c'");
  EXPECT_EQ(pop("l"), "'b'");
  EXPECT_EQ(exists("l"), ":0");
  EXPECT_EQ(pop("l"), "nil");
  push("l", {"again"}, ListEnd::left);
  EXPECT_EQ(list("l"), "['again']");
}

TEST_P(KeyspaceListsContract, PopsWithACountAnswerAList) {
  push("l", {"a", "b", "c", "d"});
  EXPECT_EQ(run(key::Pop{{"l"}, ListEnd::left, 2}), "['a' 'b']");
  EXPECT_EQ(run(key::Pop{{"l"}, ListEnd::right, 0}), "[]");
  EXPECT_EQ(run(key::Pop{{"l"}, ListEnd::right, 9}), "['d' 'c']");
  EXPECT_EQ(exists("l"), ":0");
  EXPECT_EQ(run(key::Pop{{"l"}, ListEnd::right, 1}), "nil");
}

TEST_P(KeyspaceListsContract, PopTakesFromTheFirstListThatHasSomething) {
  push("b", {"1"});
  push("c", {"2"});
  EXPECT_EQ(run(key::Pop{.keys = {"a", "b", "c"}, .end = ListEnd::left, .with_key = true}), "['b' '1']");
  EXPECT_EQ(run(key::Pop{.keys = {"a", "b", "c"}, .end = ListEnd::left, .with_key = true}), "['c' '2']");
  EXPECT_EQ(run(key::Pop{.keys = {"a", "b", "c"}, .end = ListEnd::left, .with_key = true}), "nil");
}

TEST_P(KeyspaceListsContract, MoveCarriesOneElementOver) {
  push("s", {"a", "b", "c"});
  EXPECT_EQ(run(key::Move{"s", "d"}), "'c'");
  EXPECT_EQ(run(key::Move{"s", "d", ListEnd::left, ListEnd::right}), "'a'");
  EXPECT_EQ(list("s"), "['b']");
  EXPECT_EQ(list("d"), "['c' 'a']");
  EXPECT_EQ(run(key::Move{"s", "d", ListEnd::left, ListEnd::left}), "'b'");
  EXPECT_EQ(exists("s"), ":0");
  EXPECT_EQ(run(key::Move{"s", "d"}), "nil");
  EXPECT_EQ(list("d"), "['b' 'c' 'a']");
}

TEST_P(KeyspaceListsContract, MoveWithinOneListRotatesIt) {
  push("l", {"a", "b", "c"});
  EXPECT_EQ(run(key::Move{"l", "l"}), "'c'");
  EXPECT_EQ(list("l"), "['c' 'a' 'b']");
  EXPECT_EQ(run(key::Move{"l", "l", ListEnd::left, ListEnd::right}), "'c'");
  EXPECT_EQ(list("l"), "['a' 'b' 'c']");
  EXPECT_EQ(run(key::Move{"l", "l", ListEnd::left, ListEnd::left}), "'a'");
  EXPECT_EQ(list("l"), "['a' 'b' 'c']");
  push("one", {"x"});
  EXPECT_EQ(run(key::Move{"one", "one"}), "'x'");
  EXPECT_EQ(list("one"), "['x']");
  EXPECT_EQ(run(key::ListLength{"one"}), ":1");
}

TEST_P(KeyspaceListsContract, MoveOntoAnotherTypeTakesNothing) {
  push("s", {"a"});
  set("d", "text");
  EXPECT_EQ(run(key::Move{"s", "d"}), kWrongTypeShown);
  EXPECT_EQ(list("s"), "['a']");
  EXPECT_EQ(get("d"), "'text'");
}

TEST_P(KeyspaceListsContract, RangesCountFromBothEnds) {
  push("l", {"a", "b", "c", "d"});
  EXPECT_EQ(run(key::ListRange{"l", 1, 2}), "['b' 'c']");
  EXPECT_EQ(run(key::ListRange{"l", -2, -1}), "['c' 'd']");
  EXPECT_EQ(run(key::ListRange{"l", -100, 100}), "['a' 'b' 'c' 'd']");
  EXPECT_EQ(run(key::ListRange{"l", 4, 9}), "[]");
  EXPECT_EQ(run(key::ListRange{"l", 2, 1}), "[]");
  EXPECT_EQ(run(key::ListRange{"none", 0, -1}), "[]");
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(run(key::ListRange{"l", kLeast, kMost}), "['a' 'b' 'c' 'd']");
  EXPECT_EQ(run(key::ListAt{"l", kLeast}), "nil");
}

TEST_P(KeyspaceListsContract, ElementsAreFoundAndSetByIndex) {
  push("l", {"a", "b", "c"});
  EXPECT_EQ(run(key::ListAt{"l", 0}), "'a'");
  EXPECT_EQ(run(key::ListAt{"l", -1}), "'c'");
  EXPECT_EQ(run(key::ListAt{"l", 3}), "nil");
  EXPECT_EQ(run(key::ListAt{"none", 0}), "nil");
  EXPECT_EQ(run(key::ListSet{"l", 1, "B"}), "OK");
  EXPECT_EQ(run(key::ListSet{"l", -1, "C"}), "OK");
  EXPECT_EQ(list("l"), "['a' 'B' 'C']");
  EXPECT_EQ(run(key::ListSet{"l", 3, "x"}), "!index out of range");
  EXPECT_EQ(run(key::ListSet{"none", 0, "x"}), "!no such key");
}

TEST_P(KeyspaceListsContract, InsertFindsThePivotAndKeepsTheOrder) {
  push("l", {"a", "b", "c"});
  EXPECT_EQ(run(key::ListInsert{"l", true, "b", "1"}), ":4");
  EXPECT_EQ(run(key::ListInsert{"l", false, "b", "2"}), ":5");
  EXPECT_EQ(run(key::ListInsert{"l", true, "a", "0"}), ":6");
  EXPECT_EQ(run(key::ListInsert{"l", false, "c", "9"}), ":7");
  EXPECT_EQ(list("l"), "['0' 'a' '1' 'b' '2' 'c' '9']");
  EXPECT_EQ(run(key::ListInsert{"l", true, "none", "x"}), ":-1");
  EXPECT_EQ(run(key::ListInsert{"none", true, "a", "x"}), ":0");
  EXPECT_EQ(push("l", {"end"}), ":8");
  EXPECT_EQ(push("l", {"begin"}, ListEnd::left), ":9");
  EXPECT_EQ(list("l"), "['begin' '0' 'a' '1' 'b' '2' 'c' '9' 'end']");
}

TEST_P(KeyspaceListsContract, RemoveTakesFromTheSideItIsTold) {
  push("l", {"x", "a", "x", "b", "x", "c", "x"});
  EXPECT_EQ(run(key::ListRemove{"l", 1, "x"}), ":1");
  EXPECT_EQ(list("l"), "['a' 'x' 'b' 'x' 'c' 'x']");
  EXPECT_EQ(run(key::ListRemove{"l", -2, "x"}), ":2");
  EXPECT_EQ(list("l"), "['a' 'x' 'b' 'c']");
  EXPECT_EQ(run(key::ListRemove{"l", 0, "x"}), ":1");
  EXPECT_EQ(run(key::ListRemove{"l", 0, "x"}), ":0");
  EXPECT_EQ(list("l"), "['a' 'b' 'c']");
  EXPECT_EQ(run(key::ListRemove{"none", 0, "x"}), ":0");
}

TEST_P(KeyspaceListsContract, IndexesAreRightAfterRemovalsInTheMiddle) {
  push("l", {"a", "x", "x", "b", "x", "c"});
  run(key::ListRemove{"l", 0, "x"});
  EXPECT_EQ(run(key::ListAt{"l", 1}), "'b'");
  EXPECT_EQ(run(key::ListAt{"l", -2}), "'b'");
  EXPECT_EQ(run(key::ListPosition{"l", "c"}), ":2");
  EXPECT_EQ(run(key::ListInsert{"l", true, "b", "1"}), ":4");
  EXPECT_EQ(list("l"), "['a' '1' 'b' 'c']");
  EXPECT_EQ(run(key::ListTrim{"l", 1, 2}), "OK");
  EXPECT_EQ(list("l"), "['1' 'b']");
  EXPECT_EQ(run(key::Pop{{"l"}, ListEnd::left, 5}), "['1' 'b']");
}

TEST_P(KeyspaceListsContract, RemovingTheLastElementRemovesTheKey) {
  push("l", {"x", "x"});
  EXPECT_EQ(run(key::ListRemove{"l", 0, "x"}), ":2");
  EXPECT_EQ(exists("l"), ":0");
}

TEST_P(KeyspaceListsContract, TrimKeepsAStretch) {
  push("l", {"a", "b", "c", "d", "e"});
  EXPECT_EQ(run(key::ListTrim{"l", 1, -2}), "OK");
  EXPECT_EQ(list("l"), "['b' 'c' 'd']");
  EXPECT_EQ(push("l", {"z"}, ListEnd::left), ":4");
  EXPECT_EQ(run(key::ListTrim{"l", 0, 100}), "OK");
  EXPECT_EQ(list("l"), "['z' 'b' 'c' 'd']");
  EXPECT_EQ(run(key::ListTrim{"l", 4, 9}), "OK");
  EXPECT_EQ(exists("l"), ":0");
  EXPECT_EQ(run(key::ListTrim{"none", 0, 1}), "OK");
}

TEST_P(KeyspaceListsContract, PositionIsTheFirstIndex) {
  push("l", {"a", "b", "b"});
  EXPECT_EQ(run(key::ListPosition{"l", "b"}), ":1");
  EXPECT_EQ(run(key::ListPosition{"l", "x"}), "nil");
  EXPECT_EQ(run(key::ListPosition{"none", "x"}), "nil");
}

TEST_P(KeyspaceListsContract, ElementsMayBeEmptyBinaryAndLarge) {
  const std::string bytes("\0\xff\r\n", 4);
  const std::string large(10 * 1024 * 1024, 'x');
  EXPECT_EQ(push("l", {"", bytes, large}), ":3");
  EXPECT_EQ(answer_of(key::Pop{{"l"}, ListEnd::right}).text, large);
  EXPECT_EQ(answer_of(key::Pop{{"l"}, ListEnd::right}).text, bytes);
  EXPECT_EQ(pop("l"), "''");
  EXPECT_EQ(push("l", {"fine", large + "x"}), "!Element size 10485761 exceeds maximum 10485760");
  EXPECT_EQ(exists("l"), ":0");
}

TEST_P(KeyspaceListsContract, ALongListKeepsItsOrder) {
  std::vector<std::string> values;
  std::string shown = "[";
  for (int i = 0; i < 3'000; ++i) {
    values.push_back(fmt::format("{}", i));
    shown += fmt::format("{}'{}'", i == 0 ? "" : " ", i);
  }
  EXPECT_EQ(push("l", values), ":3000");
  EXPECT_EQ(list("l"), shown + "]");
  EXPECT_EQ(run(key::ListAt{"l", 2'000}), "'2000'");
  EXPECT_EQ(run(key::ListRange{"l", -2, -1}), "['2998' '2999']");
}

TEST_P(KeyspaceListsContract, OtherTypesAreRefusedAndStay) {
  set("t", "x");
  const std::vector<KeyCommand> commands{key::Push{"t", ListEnd::left, {"x"}},
                                         key::Pop{{"none", "t"}},
                                         key::Move{"t", "d"},
                                         key::ListLength{"t"},
                                         key::ListRange{"t"},
                                         key::ListAt{"t", 0},
                                         key::ListSet{"t", 0, "x"},
                                         key::ListInsert{"t", true, "x", "y"},
                                         key::ListRemove{"t", 0, "x"},
                                         key::ListTrim{"t", 0, 0},
                                         key::ListPosition{"t", "x"}};
  for (const KeyCommand& command : commands) EXPECT_EQ(run(command), kWrongTypeShown) << command.index();
  EXPECT_EQ(get("t"), "'x'");
  EXPECT_EQ(exists("d"), ":0");
}

INSTANTIATE_TEST_SUITE_P(Stores, KeyspaceListsContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
