// What commands cost, counted in the elements that the rows pass by or hand out.
#include <gtest/gtest.h>

#include <set>

#include <fmt/format.h>

#include "store/keyspace/memory_rows_testing.h"
#include "store/keyspace/stage.h"

namespace muster::store::keyspace {
namespace {

using Kind = KeyAnswer::Kind;

class KeyspaceCost : public ::testing::Test {
 protected:
  static constexpr std::size_t kMany = 20'000;

  Ran run(keyspace::Run what, const std::vector<KeyCommand>& commands) {
    what.commands = commands;
    what.now = from_ms(1'700'000'000'000);
    what.random = ++random;
    return keyspace::run(rows, what);
  }
  KeyAnswer one(KeyCommand command) {
    const std::uint64_t before = rows.visited();
    KeyAnswer answer = run({}, {std::move(command)}).answers.at(0);
    cost = rows.visited() - before;
    return answer;
  }
  static std::vector<std::string> names(std::size_t count) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(fmt::format("m{:07}", i));
    return out;
  }
  void given_set(const std::string& key, std::size_t count) {
    for (std::size_t done = 0; done < count; done += kMany) {
      std::vector<std::string> members;
      for (std::size_t i = done; i < std::min(count, done + kMany); ++i) members.push_back(fmt::format("m{:07}", i));
      ASSERT_EQ(one(key::SetAdd{key, members}).kind, Kind::number);
    }
  }
  void given_list(const std::string& key, std::size_t count) {
    for (std::size_t done = 0; done < count; done += kMany)
      ASSERT_EQ(one(key::Push{key, ListEnd::right, names(std::min(kMany, count - done))}).kind, Kind::number);
  }
  void given_scores(const std::string& key, std::size_t count) {
    for (std::size_t done = 0; done < count; done += kMany) {
      key::ScoresAdd add{.key = key};
      for (std::size_t i = done; i < std::min(count, done + kMany); ++i)
        add.members.push_back({fmt::format("m{:07}", i), static_cast<double>(i)});
      ASSERT_EQ(one(add).kind, Kind::number);
    }
  }

  MemoryRows rows;
  std::uint64_t random = 0;
  std::uint64_t cost = 0;  // of the last one()
};

TEST_F(KeyspaceCost, MembersDrawnWithRepeatsCostOneWalkOfTheSet) {
  given_set("s", kMany);
  const KeyAnswer drawn = one(key::SetRandom{"s", -100'000});
  EXPECT_EQ(drawn.list.size(), 100'000u);
  EXPECT_LE(cost, kMany + 1);
  std::set<std::string> different;
  for (const KeyAnswer& member : drawn.list) different.insert(member.text);
  EXPECT_GT(different.size(), kMany / 2);  // by lot, not one of them again and again
}

TEST_F(KeyspaceCost, DifferentMembersByLotCostOneWalkOfTheSet) {
  given_set("s", kMany);
  const KeyAnswer drawn = one(key::SetRandom{"s", 10'000});
  std::set<std::string> different;
  for (const KeyAnswer& member : drawn.list) different.insert(member.text);
  EXPECT_EQ(different.size(), 10'000u);
  EXPECT_LE(cost, kMany + 1);
  EXPECT_EQ(one(key::SetPop{"s", 10'000}).list.size(), 10'000u);
  EXPECT_LE(cost, kMany + 1);
  EXPECT_EQ(one(key::SetCount{"s"}).number, 10'000);
}

TEST_F(KeyspaceCost, ALotFromALargeSetIsDrawnFromItsFirstMembers) {
  given_set("s", Bounds::kDrawnFromMax + kMany);
  EXPECT_EQ(one(key::SetPop{"s"}).kind, Kind::text);
  EXPECT_LE(cost, Bounds::kDrawnFromMax);
  EXPECT_EQ(one(key::SetRandom{"s", -50'000}).list.size(), 50'000u);
  EXPECT_LE(cost, Bounds::kDrawnFromMax);
}

TEST_F(KeyspaceCost, AListIsReadInOneWalk) {
  given_list("l", 5 * kMany);
  EXPECT_EQ(one(key::ListRange{"l"}).list.size(), 5 * kMany);
  EXPECT_EQ(cost, 5 * kMany);
}

TEST_F(KeyspaceCost, AnIndexOfAListWithoutGapsIsFoundWithoutCounting) {
  given_list("l", 5 * kMany);
  EXPECT_EQ(one(key::ListAt{"l", static_cast<std::int64_t>(2 * kMany)}).text, "m0000000");
  EXPECT_EQ(cost, 1u);
  EXPECT_EQ(one(key::ListSet{"l", -3, "x"}).kind, Kind::done);
  EXPECT_EQ(cost, 1u);
  EXPECT_EQ(one(key::ListRange{"l", static_cast<std::int64_t>(3 * kMany), static_cast<std::int64_t>(3 * kMany + 9)}).list.size(),
            10u);
  EXPECT_EQ(cost, 10u);
}

TEST_F(KeyspaceCost, ASortedSetIsReadInOneWalk) {
  given_scores("z", 5 * kMany);
  EXPECT_EQ(one(key::ScoresRange{.key = "z", .range = ScoreRange{}}).list.size(), 5 * kMany);
  EXPECT_EQ(cost, 5 * kMany);
  EXPECT_EQ(one(key::ScoresRange{.key = "z", .range = key::RankRange{}, .reverse = true}).list.size(), 5 * kMany);
  EXPECT_EQ(cost, 5 * kMany);
}

TEST_F(KeyspaceCost, AnElementGoesInOnTheShorterSide) {
  given_list("l", 5 * kMany);
  ASSERT_EQ(one(key::ListSet{"l", -3, "pivot"}).kind, Kind::done);
  EXPECT_EQ(one(key::ListInsert{"l", true, "pivot", "new"}).number, static_cast<std::int64_t>(5 * kMany + 1));
  EXPECT_LE(cost, 5 * kMany + 10);  // the search, and three elements that move
  EXPECT_EQ(one(key::ListAt{"l", -4}).text, "new");
  EXPECT_EQ(one(key::ListAt{"l", -3}).text, "pivot");
}

// --- at the bounds: refused by name, and nothing has changed ---

TEST_F(KeyspaceCost, WhatChangesTooMuchIsRefusedByTheNameOfTheLimit) {
  const std::size_t more = Bounds::kChangedRowsMax + 1;
  given_set("s", 3 * kMany);
  given_list("l", 3 * kMany);
  given_scores("z", 3 * kMany);
  key::ScoresAdd add{.key = "z"};
  key::HashSet set{.key = "h", .fields = {}};
  for (const std::string& name : names(more)) {
    add.members.push_back({name, -1});
    set.fields.push_back({name, "v"});
  }
  const std::vector<KeyCommand> refused{
      key::SetAdd{"t", names(more)},
      key::SetRemove{"s", names(more)},
      key::SetPop{"s", more},
      key::SetCombine{key::Algebra::unite, {"s"}, "t"},
      key::Push{"l", ListEnd::left, names(more)},
      key::Pop{{"l"}, ListEnd::left, more},
      key::ListTrim{"l", 0, static_cast<std::int64_t>(more)},
      key::ListInsert{"l", true, fmt::format("m{:07}", kMany - 1), "x"},
      set,
      key::HashDelete{"h2", names(more)},
      add,
      key::ScoresRemove{"z", names(more)},
      key::ScoresPop{"z", false, more},
      key::ScoresRemoveRange{"z", key::RankRange{0, static_cast<std::int64_t>(more)}},
      key::ScoresRemoveRange{"z", ScoreRange{{}, ScoreBound{static_cast<double>(more)}}},
  };
  one(key::HashSet{.key = "h2", .fields = {{"f", "v"}}});
  one(key::ListSet{"l", static_cast<std::int64_t>(kMany + kMany / 2), "middle"});
  for (const KeyCommand& command : refused) {
    const Ran ran = run({}, {command});
    // The pivot of the insertion stands near the left end: it is the one that goes through.
    if (std::holds_alternative<key::ListInsert>(command)) continue;
    EXPECT_EQ(ran.answers[0].kind, Kind::refused) << command.index();
    EXPECT_NE(ran.answers[0].text.find("kChangedRowsMax (20000)"), std::string::npos) << ran.answers[0].text;
    EXPECT_FALSE(ran.wrote) << command.index();
  }
  const KeyAnswer inserted = one(key::ListInsert{"l", true, "middle", "x"});
  EXPECT_NE(inserted.text.find("kChangedRowsMax"), std::string::npos) << inserted.text;
}

TEST_F(KeyspaceCost, AWriteThatSearchesTooFarIsRefusedByTheNameOfTheLimit) {
  given_list("l", Bounds::kSearchedRowsMax + kMany);
  given_set("s", Bounds::kSearchedRowsMax + kMany);
  const std::vector<KeyCommand> refused{key::ListRemove{"l", 0, "absent"}, key::ListInsert{"l", true, "absent", "x"},
                                        key::SetCombine{key::Algebra::intersect, {"s", "s"}, "t"}};
  for (const KeyCommand& command : refused) {
    const Ran ran = run({}, {command});
    EXPECT_NE(ran.answers[0].text.find("kSearchedRowsMax (100000)"), std::string::npos) << ran.answers[0].text;
    EXPECT_FALSE(ran.wrote);
  }
  // One that is found on the way is removed.
  EXPECT_EQ(one(key::ListRemove{"l", 2, "m0000007"}).number, 2);
}

TEST_F(KeyspaceCost, MoreKeysThanACommandMayNameAreRefused) {
  for (const KeyCommand& command :
       std::vector<KeyCommand>{key::GetMany{names(Bounds::kKeysNamedMax + 1)}, key::Delete{names(Bounds::kKeysNamedMax + 1)}})
    EXPECT_NE(run({}, {command}).answers[0].text.find("kKeysNamedMax"), std::string::npos);
}

TEST_F(KeyspaceCost, AShortPartOfALongListIsKeptAndTheRestIsLeftToTheSweep) {
  given_list("l", 5 * kMany);
  EXPECT_EQ(one(key::ListTrim{"l", -10, -1}).kind, Kind::done);
  EXPECT_LE(cost, 20u);
  EXPECT_EQ(one(key::ListLength{"l"}).number, 10);
  EXPECT_EQ(one(key::ListAt{"l", -1}).text, fmt::format("m{:07}", kMany - 1));
}

// --- slices ---

TEST_F(KeyspaceCost, AReadThatIsNotQuickEndsTheRunBeforeIt) {
  given_set("s", kMany);
  const Ran ran = run({.quick = true}, {key::Set{"a", "1"}, key::SetMembers{"s"}, key::Set{"b", "1"}});
  EXPECT_EQ(ran.answers.size(), 1u);
  EXPECT_TRUE(ran.long_read);
  EXPECT_TRUE(rows.find("a"));
  EXPECT_FALSE(rows.find("b"));
}

TEST_F(KeyspaceCost, ADivisibleRunEndsAfterASlice) {
  std::vector<KeyCommand> commands;
  for (int i = 0; i < 10; ++i) commands.push_back(key::SetAdd{fmt::format("s{}", i), names(3'000)});
  EXPECT_EQ(run({.divisible = true}, commands).answers.size(), 4u);
  EXPECT_EQ(run({}, commands).answers.size(), 10u);
  std::vector<KeyCommand> large;
  for (int i = 0; i < 10; ++i) large.push_back(key::Append{"t", std::string(1'000'000, 'x')});
  EXPECT_LT(run({.divisible = true}, large).answers.size(), 5u);
}

TEST_F(KeyspaceCost, AWholeRunThatReadsOrRemovesTooMuchIsRefusedBeforeItIsDone) {
  constexpr std::size_t kTooMany = Bounds::kWholeRowsMax + 2 * Bounds::kSliceRowsMax;
  given_set("s", kTooMany);
  const std::uint64_t before = rows.visited();
  EXPECT_EQ(run({.whole = true}, {key::SetMembers{"s"}}).refused.code(), Code::exhausted);
  EXPECT_LE(rows.visited() - before, Bounds::kWholeRowsMax + Bounds::kSliceRowsMax);
  for (std::size_t i = 0; i < kTooMany; ++i) rows.create(fmt::format("k{}", i), KeyType::text, std::nullopt);
  EXPECT_EQ(run({.whole = true}, {key::Clear{}}).refused.code(), Code::exhausted);
  EXPECT_GT(rows.names("", kTooMany).size(), 0u) << "what the caller rolls back is bounded too";
}

}  // namespace
}  // namespace muster::store::keyspace
