// Contract: a long random walk over few names, side by side with the same rules over rows in memory. What differs is the
// database.
#include "store/contract/keyspace_testing.h"
#include "store/keyspace/keyspace.h"
#include "store/keyspace/memory_rows_testing.h"

namespace muster::store::contract {
namespace {

// Commands at random; the same ones for the same seed.
class Walk {
 public:
  explicit Walk(std::uint64_t seed) : state_(seed) {}

  KeyCommand command() {
    switch (draw(48)) {
      case 0: return key::Set{name(), value()};
      case 1: return key::Set{.key = name(), .value = value(), .expires_at = Instant(Duration(draw(50))), .relative = true};
      case 2: return key::Set{.key = name(), .value = value(), .keep_expiry = true, .answer_old = draw(2) == 0};
      case 3: return key::Get{name()};
      case 4: return key::GetMany{{name(), name(), name()}};
      case 5: return key::SetMany{{{name(), value()}, {name(), value()}}, draw(2) == 0};
      case 6: return key::Append{name(), value()};
      case 7: return key::SetRange{name(), draw(6), value()};
      case 8: return key::Increment{name(), index()};
      case 9: return key::Push{name(), end(), {value(), value()}, draw(4) == 0};
      case 10: return key::Push{name(), end(), {value()}};
      case 11: return key::Pop{{name(), name()}, end(), std::nullopt, draw(2) == 0};
      case 12: return key::Pop{{name()}, end(), draw(4)};
      case 13: return key::Move{name(), name(), end(), end()};
      case 14: return key::ListRange{name(), index(), index()};
      case 15: return key::ListAt{name(), index()};
      case 16: return key::ListSet{name(), index(), value()};
      case 17: return key::ListInsert{name(), draw(2) == 0, value(), value()};
      case 18: return key::ListRemove{name(), index(), value()};
      case 19: return key::ListTrim{name(), index(), index()};
      case 20: return key::ListPosition{name(), value()};
      case 21: return key::HashSet{name(), {{value(), value()}, {value(), value()}}};
      case 22: return key::HashGetMany{name(), {value(), value()}};
      case 23: return key::HashDelete{name(), {value(), value()}};
      case 24: return key::HashAll{name(), static_cast<key::HashPart>(draw(3))};
      case 25: return key::HashIncrement{name(), value(), index()};
      case 26: return key::HashScan{name(), value(), "", 1 + draw(3)};
      case 27: return key::SetAdd{name(), {value(), value()}};
      case 28: return key::SetRemove{name(), {value(), value()}};
      case 29: return key::SetMembers{name()};
      case 30: return key::SetMove{name(), name(), value()};
      case 31: return key::SetCombine{algebra(), {name(), name()}, std::nullopt};
      case 32: return key::SetCombine{algebra(), {name(), name()}, name()};
      case 33: return key::SetScan{name(), "", "", 1 + draw(3)};
      case 34: return key::ScoresAdd{.key = name(), .members = {{value(), score()}, {value(), score()}}};
      case 35:
        return key::ScoresAdd{.key = name(), .members = {{value(), score()}}, .only_greater = true, .increment = draw(2) == 0};
      case 36: return key::ScoresRemove{name(), {value()}};
      case 37: return key::ScoresRange{.key = name(), .range = range(), .reverse = draw(2) == 0, .with_scores = true};
      case 38: return key::ScoresRange{.key = name(), .range = range(), .skip = draw(3), .limit = draw(3)};
      case 39: return key::ScoresRemoveRange{name(), range()};
      case 40: return key::RankOf{name(), value(), draw(2) == 0};
      case 41: return key::ScoresPop{name(), draw(2) == 0, draw(3)};
      case 42: return key::ScoresScan{name(), value(), "", 1 + draw(3)};
      case 43: return key::ScoresCount{name(), std::get<ScoreRange>(scores())};
      case 44: return key::Rename{name(), name(), draw(2) == 0};
      case 45: return key::Expire{name(), Instant(Duration(draw(50))), true, static_cast<key::ExpireWhen>(draw(5))};
      case 46: return key::Names{.after = draw(2) == 0 ? "" : name(), .pattern = draw(2) == 0 ? "" : "n*", .limit = 1 + draw(5)};
      default: break;
    }
    switch (draw(7)) {
      case 0: return key::Delete{{name(), name()}};
      case 1: return key::Persist{name()};
      case 2: return key::TimeLeft{name()};
      case 3: return key::Count{};
      case 4: return key::TypeOf{name()};
      case 5: return key::GetExpire{.key = name(), .expires_at = Instant(Duration(draw(50))), .relative = true};
      default: return draw(10) == 0 ? KeyCommand(key::Clear{}) : KeyCommand(key::GetDelete{name()});
    }
  }
  std::uint64_t draw(std::uint64_t below) {
    state_ = state_ * 6'364'136'223'846'793'005ULL + 1'442'695'040'888'963'407ULL;
    return (state_ >> 33) % below;
  }

 private:
  std::string name() {
    static const std::vector<std::string> kNames{"n", "n1", "n2", "m", "", std::string("\0\xff", 2)};
    return kNames[draw(kNames.size())];
  }
  std::string value() {
    static const std::vector<std::string> kValues{"", "a", "b", "10", "-3", std::string("\0", 1), "\xff"};
    return kValues[draw(kValues.size())];
  }
  std::int64_t index() { return static_cast<std::int64_t>(draw(9)) - 4; }
  ListEnd end() { return draw(2) == 0 ? ListEnd::left : ListEnd::right; }
  key::Algebra algebra() { return static_cast<key::Algebra>(draw(3)); }
  double score() { return static_cast<double>(draw(5)) / 2 - 1; }
  using Range = std::variant<key::RankRange, ScoreRange, LexRange>;
  Range scores() {
    ScoreRange out;
    if (draw(3) != 0) out.min = ScoreBound{score(), draw(2) == 0};
    if (draw(3) != 0) out.max = ScoreBound{score(), draw(2) == 0};
    return out;
  }
  Range range() {
    const std::uint64_t kind = draw(3);
    if (kind == 0) return key::RankRange{index(), index()};
    if (kind == 1) return scores();
    LexRange out;
    if (draw(3) != 0) out.min = LexBound{value(), draw(2) == 0};
    if (draw(3) != 0) out.max = LexBound{value(), draw(2) == 0};
    return out;
  }

  std::uint64_t state_;
};

class KeyspaceWalkContract : public KeyspaceContract {};

TEST_P(KeyspaceWalkContract, AnswersAreThoseOfTheRulesOverPlainRows) {
  constexpr int kBatches = 150;
  constexpr std::size_t kCommandsMax = 30;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    Walk walk(seed);
    keyspace::MemoryRows rows;
    run(key::Clear{});
    for (int round = 0; round < kBatches; ++round) {
      std::vector<KeyCommand> commands;
      for (std::size_t i = 0; i <= walk.draw(kCommandsMax); ++i) commands.push_back(walk.command());
      const auto expected = keyspace::run(rows, {.commands = commands, .now = now()}).answers;
      const std::vector<std::string> answers = batch(commands);
      ASSERT_EQ(answers.size(), expected.size());
      for (std::size_t i = 0; i < answers.size(); ++i)
        ASSERT_EQ(answers[i], show(expected[i]))
            << "seed " << seed << " batch " << round << " command " << i << " of type " << commands[i].index();
      if (walk.draw(4) == 0) advance(Duration(walk.draw(30)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, KeyspaceWalkContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
