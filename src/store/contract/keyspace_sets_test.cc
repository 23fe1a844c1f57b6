// Contract: keys that hold a set.
#include <algorithm>
#include <set>

#include "store/contract/keyspace_testing.h"

namespace muster::store::contract {
namespace {

class KeyspaceSetsContract : public KeyspaceContract {
 protected:
  static std::set<std::string> texts(const KeyAnswer& answer) {
    std::set<std::string> out;
    for (const KeyAnswer& element : answer.list) out.insert(element.text);
    return out;
  }
  std::string combine(key::Algebra how, std::vector<std::string> keys, std::optional<std::string> into = std::nullopt) {
    return run(key::SetCombine{how, std::move(keys), std::move(into)});
  }
};

TEST_P(KeyspaceSetsContract, MembersAreThereOnceAndInByteOrder) {
  EXPECT_EQ(sadd("s", {"b", "a", "b"}), ":2");
  EXPECT_EQ(sadd("s", {"a", "c"}), ":1");
  EXPECT_EQ(members("s"), "['a' 'b' 'c']");
  EXPECT_EQ(members("none"), "[]");
  EXPECT_EQ(run(key::SetCount{"s"}), ":3");
  EXPECT_EQ(run(key::SetCount{"none"}), ":0");
  EXPECT_EQ(run(key::SetHas{"s", {"a"}}), ":1");
  EXPECT_EQ(run(key::SetHas{"s", {"x"}}), ":0");
  EXPECT_EQ(run(key::SetHas{"none", {"x"}}), ":0");
  EXPECT_EQ(run(key::SetHas{"s", {"a", "x", "c"}, true}), "[:1 :0 :1]");
  EXPECT_EQ(run(key::SetHas{"none", {"a", "x"}, true}), "[:0 :0]");
}

TEST_P(KeyspaceSetsContract, RemovingTheLastMemberRemovesTheKey) {
  sadd("s", {"a", "b"});
  EXPECT_EQ(run(key::SetRemove{"s", {"a", "x", "a"}}), ":1");
  EXPECT_EQ(run(key::SetCount{"s"}), ":1");
  EXPECT_EQ(run(key::SetRemove{"s", {"b"}}), ":1");
  EXPECT_EQ(exists("s"), ":0");
  EXPECT_EQ(run(key::SetRemove{"s", {"b"}}), ":0");
}

TEST_P(KeyspaceSetsContract, MembersMayBeEmptyAndBinary) {
  const std::string bytes("\0\xff", 2);
  EXPECT_EQ(sadd("s", {"", bytes}), ":2");
  EXPECT_EQ(members("s"), "['' '" + bytes + "']");
  EXPECT_EQ(run(key::SetScan{"s"}), "['' '' '" + bytes + "']");
  EXPECT_EQ(run(key::SetHas{"s", {""}}), ":1");
}

TEST_P(KeyspaceSetsContract, PopTakesEachMemberOnce) {
  sadd("s", {"a", "b", "c", "d"});
  std::set<std::string> taken;
  taken.insert(answer_of(key::SetPop{"s"}).text);
  EXPECT_EQ(run(key::SetPop{"s", 0}), "[]");
  for (const std::string& member : texts(answer_of(key::SetPop{"s", 2}))) taken.insert(member);
  EXPECT_EQ(run(key::SetCount{"s"}), ":1");
  for (const std::string& member : texts(answer_of(key::SetPop{"s", 9}))) taken.insert(member);
  EXPECT_EQ(taken, (std::set<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(exists("s"), ":0");
  EXPECT_EQ(run(key::SetPop{"s"}), "nil");
  EXPECT_EQ(run(key::SetPop{"s", 3}), "[]");
}

TEST_P(KeyspaceSetsContract, RandomMembersStayWhereTheyAre) {
  sadd("s", {"a", "b", "c"});
  const std::set<std::string> all{"a", "b", "c"};
  EXPECT_TRUE(all.contains(answer_of(key::SetRandom{"s"}).text));
  const KeyAnswer two = answer_of(key::SetRandom{"s", 2});
  EXPECT_EQ(two.list.size(), 2u);
  EXPECT_EQ(texts(two).size(), 2u);
  EXPECT_EQ(texts(answer_of(key::SetRandom{"s", 9})), all);
  EXPECT_EQ(run(key::SetRandom{"s", 0}), "[]");
  const KeyAnswer many = answer_of(key::SetRandom{"s", -20});
  EXPECT_EQ(many.list.size(), 20u);
  for (const KeyAnswer& one : many.list) EXPECT_TRUE(all.contains(one.text));
  EXPECT_EQ(run(key::SetCount{"s"}), ":3");
  EXPECT_EQ(run(key::SetRandom{"none"}), "nil");
  EXPECT_EQ(run(key::SetRandom{"none", 2}), "[]");
}

TEST_P(KeyspaceSetsContract, EveryMemberCanBeDrawn) {
  sadd("s", {"a", "b", "c", "d"});
  std::set<std::string> drawn;
  for (int i = 0; i < 200 && drawn.size() < 4; ++i) drawn.insert(answer_of(key::SetRandom{"s"}).text);
  EXPECT_EQ(drawn.size(), 4u);
}

TEST_P(KeyspaceSetsContract, MoveCarriesOneMemberOver) {
  sadd("a", {"x", "y"});
  sadd("b", {"y"});
  EXPECT_EQ(run(key::SetMove{"a", "b", "none"}), ":0");
  EXPECT_EQ(run(key::SetMove{"a", "b", "y"}), ":1");
  EXPECT_EQ(run(key::SetMove{"a", "c", "x"}), ":1");
  EXPECT_EQ(exists("a"), ":0");
  EXPECT_EQ(members("b"), "['y']");
  EXPECT_EQ(run(key::SetCount{"b"}), ":1");
  EXPECT_EQ(members("c"), "['x']");
  EXPECT_EQ(run(key::SetMove{"c", "c", "x"}), ":1");
  EXPECT_EQ(members("c"), "['x']");
  EXPECT_EQ(run(key::SetMove{"a", "c", "x"}), ":0");
}

TEST_P(KeyspaceSetsContract, AlgebraOverSets) {
  sadd("a", {"1", "2", "3", "4"});
  sadd("b", {"3", "4", "5"});
  sadd("c", {"4", "6"});
  EXPECT_EQ(combine(key::Algebra::unite, {"a", "b", "none"}), "['1' '2' '3' '4' '5']");
  EXPECT_EQ(combine(key::Algebra::intersect, {"a", "b"}), "['3' '4']");
  EXPECT_EQ(combine(key::Algebra::intersect, {"a", "b", "c"}), "['4']");
  EXPECT_EQ(combine(key::Algebra::intersect, {"a", "none"}), "[]");
  EXPECT_EQ(combine(key::Algebra::subtract, {"a", "b"}), "['1' '2']");
  EXPECT_EQ(combine(key::Algebra::subtract, {"b", "a", "c"}), "['5']");
  EXPECT_EQ(combine(key::Algebra::subtract, {"none", "a"}), "[]");
}

TEST_P(KeyspaceSetsContract, AResultReplacesWhateverStoodThere) {
  sadd("a", {"1", "2"});
  sadd("b", {"2", "3"});
  set("d", "text");
  EXPECT_EQ(combine(key::Algebra::unite, {"a", "b"}, "d"), ":3");
  EXPECT_EQ(members("d"), "['1' '2' '3']");
  EXPECT_EQ(combine(key::Algebra::subtract, {"a", "b"}, "a"), ":1");
  EXPECT_EQ(members("a"), "['1']");
  EXPECT_EQ(combine(key::Algebra::intersect, {"a", "b"}, "d"), ":0");
  EXPECT_EQ(exists("d"), ":0");
}

TEST_P(KeyspaceSetsContract, AScanMeetsEveryMemberOnce) {
  std::vector<std::string> all;
  for (int i = 0; i < 100; ++i) all.push_back(fmt::format("m{:03}", i));
  sadd("s", all);
  std::vector<std::string> met;
  std::string after;
  do {
    const KeyAnswer page = answer_of(key::SetScan{.key = "s", .after = after, .limit = 33});
    ASSERT_FALSE(page.list.empty());
    after = page.list.front().text;
    for (std::size_t i = 1; i < page.list.size(); ++i) met.push_back(page.list[i].text);
  } while (!after.empty());
  EXPECT_EQ(met, all);
  EXPECT_EQ(run(key::SetScan{.key = "s", .pattern = "*99"}), "['' 'm099']");
}

TEST_P(KeyspaceSetsContract, OtherTypesAreRefusedAndStay) {
  set("t", "x");
  sadd("s", {"a"});
  const std::vector<KeyCommand> commands{
      key::SetAdd{"t", {"a"}},
      key::SetRemove{"t", {"a"}},
      key::SetMembers{"t"},
      key::SetHas{"t", {"a"}},
      key::SetCount{"t"},
      key::SetPop{"t"},
      key::SetRandom{"t"},
      key::SetMove{"t", "s", "a"},
      key::SetMove{"s", "t", "a"},
      key::SetCombine{key::Algebra::unite, {"s", "t"}, std::nullopt},
      key::SetCombine{key::Algebra::intersect, {"none", "t"}, "d"},
      key::SetScan{"t"},
  };
  for (const KeyCommand& command : commands) EXPECT_EQ(run(command), kWrongTypeShown) << command.index();
  EXPECT_EQ(get("t"), "'x'");
  EXPECT_EQ(members("s"), "['a']");
  EXPECT_EQ(exists("d"), ":0");
}

INSTANTIATE_TEST_SUITE_P(Stores, KeyspaceSetsContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
