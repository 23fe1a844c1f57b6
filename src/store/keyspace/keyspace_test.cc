// The rules over rows in memory: what the contract suite cannot see from outside. Everything else is proved there, on every
// store.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "store/keyspace/families.h"
#include "store/keyspace/memory_rows_testing.h"
#include "store/keyspace/stage.h"

namespace muster::store::keyspace {
namespace {

using Texts = std::vector<std::string>;
using Kind = KeyAnswer::Kind;

class KeyspaceRules : public ::testing::Test {
 protected:
  Ran run(std::vector<KeyCommand> commands) {
    return keyspace::run(rows, {.commands = commands, .now = now, .random = ++random});
  }
  KeyAnswer one(KeyCommand command) {
    std::vector<KeyCommand> commands;
    commands.push_back(std::move(command));
    return run(std::move(commands)).answers.at(0);
  }

  MemoryRows rows;
  Instant now = from_ms(1'700'000'000'000);
  std::uint64_t random = 0;
};

TEST_F(KeyspaceRules, TellsWhatWasTouchedAndPushed) {
  const Ran ran = run({key::Set{"a", "1"}, key::Increment{"a"}, key::Push{"l", ListEnd::left, {"x", "y"}},
                       key::Push{"l", ListEnd::left, {"z"}}, key::Get{"a"}, key::Rename{"a", "b"}});
  EXPECT_EQ(ran.touched, (Texts{"a", "l", "a", "b"}));
  EXPECT_EQ(ran.pushed, Texts{"l"});
  EXPECT_TRUE(ran.wrote);
  EXPECT_FALSE(ran.cleared);
}

TEST_F(KeyspaceRules, WhatOnlyReadsOrIsRefusedTouchesNothing) {
  run({key::Push{"l", ListEnd::left, {"x"}}});
  const Ran ran = run({key::Get{"l"}, key::Increment{"l"}, key::ListRange{"l"}, key::Delete{{"none"}}, key::Persist{"l"},
                       key::ListRemove{"l", 0, "y"}, key::Exists{{"l"}}});
  EXPECT_FALSE(ran.wrote);
  EXPECT_TRUE(ran.touched.empty());
  EXPECT_TRUE(ran.pushed.empty());
}

TEST_F(KeyspaceRules, ClearIsTold) { EXPECT_TRUE(run({key::Clear{}}).cleared); }

TEST_F(KeyspaceRules, AReadLeavesAnExpiredRowAndAWriteRemovesIt) {
  run({key::Set{.key = "k", .value = "v", .expires_at = now + std::chrono::seconds(1)}});
  now += std::chrono::seconds(1);
  EXPECT_EQ(one(key::Get{"k"}).kind, Kind::nothing);
  EXPECT_TRUE(rows.find("k"));
  const Ran ran = run({key::Delete{{"k"}}});
  EXPECT_EQ(ran.answers[0].number, 0);
  EXPECT_FALSE(rows.find("k"));
  EXPECT_EQ(ran.touched, Texts{"k"});
}

TEST_F(KeyspaceRules, EveryCommandSaysWhetherItWrites) {
  EXPECT_FALSE(writes(key::Get{"k"}));
  EXPECT_FALSE(writes(key::Names{}));
  EXPECT_FALSE(writes(key::SetRandom{"s"}));
  EXPECT_FALSE(writes(key::SetCombine{key::Algebra::unite, {"a"}, std::nullopt}));
  EXPECT_TRUE(writes(key::SetCombine{key::Algebra::unite, {"a"}, "b"}));
  EXPECT_TRUE(writes(key::GetExpire{.key = "k"}));
  EXPECT_TRUE(writes(key::SetPop{"s"}));
  EXPECT_TRUE(writes(key::Pop{{"l"}}));
  EXPECT_TRUE(writes(key::Clear{}));
}

TEST_F(KeyspaceRules, EveryKeyOfACommandIsNamed) {
  EXPECT_EQ(keys_of(key::Get{"a"}), Texts{"a"});
  EXPECT_EQ(keys_of(key::Delete{{"a", "b"}}), (Texts{"a", "b"}));
  EXPECT_EQ(keys_of(key::Rename{"a", "b"}), (Texts{"a", "b"}));
  EXPECT_EQ(keys_of(key::Move{"a", "b"}), (Texts{"a", "b"}));
  EXPECT_EQ(keys_of(key::SetMove{"a", "b", "member"}), (Texts{"a", "b"}));
  EXPECT_EQ(keys_of(key::SetMany{{{"a", "1"}, {"b", "2"}}}), (Texts{"a", "b"}));
  EXPECT_EQ(keys_of(key::SetCombine{key::Algebra::unite, {"a", "b"}, "c"}), (Texts{"a", "b", "c"}));
  EXPECT_TRUE(keys_of(key::Names{}).empty());
}

TEST_F(KeyspaceRules, AnAnswerLargerThanItsBoundIsRefusedAndTakesNothing) {
  const std::string large(Bounds::kValueBytesMax, 'x');
  for (int i = 0; i < 7; ++i) run({key::Push{"l", ListEnd::left, {large}}});
  EXPECT_EQ(one(key::ListRange{"l"}).kind, Kind::refused);
  EXPECT_EQ(one(key::Pop{{"l"}, ListEnd::left, 7}).kind, Kind::refused);
  EXPECT_EQ(one(key::ListLength{"l"}).number, 7);
  EXPECT_EQ(one(key::ListRange{"l", 0, 5}).list.size(), 6u);
}

TEST_F(KeyspaceRules, TheSameSeedDrawsTheSameLot) {
  run({key::SetAdd{"s", {"a", "b", "c", "d", "e"}}});
  const std::vector<KeyCommand> draw{key::SetRandom{"s", 3}};
  const auto texts = [&](std::uint64_t seed) {
    Texts out;
    const Ran ran = keyspace::run(rows, {.commands = draw, .now = now, .random = seed});
    for (const KeyAnswer& member : ran.answers[0].list) out.push_back(member.text);
    return out;
  };
  EXPECT_EQ(texts(7), texts(7));
}

// Random commands on few names, so that types, expiries and ends meet each other in every way.
TEST_F(KeyspaceRules, HeadsStayTrueUnderRandomCommands) {
  std::uint64_t state = 42;
  const auto draw = [&state](std::uint64_t below) {
    state = state * 6'364'136'223'846'793'005ULL + 1'442'695'040'888'963'407ULL;
    return (state >> 33) % below;
  };
  const auto name = [&draw] { return fmt::format("k{}", draw(4)); };
  const auto value = [&draw] { return fmt::format("v{}", draw(5)); };
  const auto end = [&draw] { return draw(2) == 0 ? ListEnd::left : ListEnd::right; };
  const auto index = [&draw] { return static_cast<std::int64_t>(draw(9)) - 4; };
  for (int step = 0; step < 8'000; ++step) {
    KeyCommand command = key::Get{name()};
    switch (draw(20)) {
      case 0: command = key::Set{name(), value()}; break;
      case 1: command = key::Push{name(), end(), {value(), value()}}; break;
      case 2: command = key::Pop{{name(), name()}, end(), draw(3)}; break;
      case 3: command = key::Move{name(), name(), end(), end()}; break;
      case 4: command = key::ListInsert{name(), draw(2) == 0, value(), value()}; break;
      case 5: command = key::ListRemove{name(), index(), value()}; break;
      case 6: command = key::ListTrim{name(), index(), index()}; break;
      case 7: command = key::ListSet{name(), index(), value()}; break;
      case 8: command = key::HashSet{name(), {{value(), value()}, {value(), value()}}}; break;
      case 9: command = key::HashDelete{name(), {value(), value()}}; break;
      case 10: command = key::SetAdd{name(), {value(), value()}}; break;
      case 11: command = key::SetPop{name(), draw(3)}; break;
      case 12: command = key::SetMove{name(), name(), value()}; break;
      case 13: command = key::SetCombine{static_cast<key::Algebra>(draw(3)), {name(), name()}, name()}; break;
      case 14: command = key::ScoresAdd{.key = name(), .members = {{value(), static_cast<double>(draw(3))}}}; break;
      case 15: command = key::ScoresPop{name(), draw(2) == 0, draw(3)}; break;
      case 16: command = key::ScoresRemoveRange{name(), key::RankRange{index(), index()}}; break;
      case 17: command = key::Rename{name(), name(), draw(2) == 0}; break;
      case 18: command = key::Expire{name(), Instant(Duration(draw(5))), true}; break;
      case 19:
        command = key::Delete{{name()}};
        now += Duration(1);
        break;
    }
    run({command});
    ASSERT_TRUE(rows.heads_are_right()) << "step " << step << " command " << command.index();
    ASSERT_FALSE(rows.has_leftovers()) << "step " << step << " command " << command.index();
  }
}

TEST(KeyspaceNumbers, OnlyTheWayANumberIsWrittenIsRead) {
  EXPECT_EQ(exact_integer("0"), 0);
  EXPECT_EQ(exact_integer("-9223372036854775808"), INT64_MIN);
  for (const char* text : {"", "-", "00", "-0", "+1", "1 ", " 1", "1.0", "9223372036854775808"})
    EXPECT_FALSE(exact_integer(text)) << text;
}

TEST(KeyspaceNumbers, RealsAreAddedInDecimal) {
  EXPECT_EQ(add_real("3.0e3", 0.5).text, "3000.5");
  EXPECT_EQ(add_real("-1", 1).text, "0");
  for (const char* text : {"", " 1", "0x10", "1.5.5", "nan", "abc"})
    EXPECT_EQ(add_real(text, 1).fault, RealSum::Fault::not_a_number) << text;
  EXPECT_EQ(add_real("inf", 1).fault, RealSum::Fault::not_finite);
}

TEST(KeyspaceSlices, EndsAreClampedToWhatIsThere) {
  EXPECT_EQ(slice(0, -1, 3)->count, 3u);
  EXPECT_EQ(slice(-100, 0, 3)->first, 0u);
  EXPECT_EQ(slice(1, 100, 3)->count, 2u);
  EXPECT_FALSE(slice(3, 5, 3));
  EXPECT_FALSE(slice(2, 1, 3));
  EXPECT_FALSE(slice(0, -4, 3));
  EXPECT_FALSE(slice(0, -1, 0));
  EXPECT_EQ(slice(INT64_MIN, INT64_MAX, 3)->count, 3u);
}

}  // namespace
}  // namespace muster::store::keyspace
