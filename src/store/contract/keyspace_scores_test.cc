// Contract: keys that hold a sorted set.
#include <limits>

#include "store/contract/keyspace_testing.h"

namespace muster::store::contract {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class KeyspaceScoresContract : public KeyspaceContract {
 protected:
  static ScoreRange between(std::optional<ScoreBound> min, std::optional<ScoreBound> max) { return {min, max}; }
  std::string range(std::variant<key::RankRange, ScoreRange, LexRange> what, bool reverse = false) {
    return run(key::ScoresRange{.key = "z", .range = std::move(what), .reverse = reverse});
  }
  void five() { zadd("z", {{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}, {"e", 5}}); }
};

TEST_P(KeyspaceScoresContract, MembersStandByScoreThenByName) {
  EXPECT_EQ(zadd("z", {{"c", 1}, {"a", 2}, {"b", 1}}), ":3");
  EXPECT_EQ(scores("z"), "['b' ,1 'c' ,1 'a' ,2]");
  EXPECT_EQ(zadd("z", {{"a", 0.5}, {"d", -1}}), ":1");
  EXPECT_EQ(scores("z"), "['d' ,-1 'a' ,0.5 'b' ,1 'c' ,1]");
  EXPECT_EQ(run(key::ScoreOf{"z", {"a"}}), ",0.5");
  EXPECT_EQ(run(key::ScoreOf{"z", {"x"}}), "nil");
  EXPECT_EQ(run(key::ScoreOf{"none", {"x"}}), "nil");
  EXPECT_EQ(run(key::ScoreOf{"z", {"d", "x"}, true}), "[,-1 nil]");
  EXPECT_EQ(run(key::ScoresCount{"z"}), ":4");
  EXPECT_EQ(run(key::ScoresCount{"none"}), ":0");
}

TEST_P(KeyspaceScoresContract, NamesWithColonsDoNotRunIntoOneAnother) {
  zadd("a", {{"b:m", 1}});
  zadd("a:b", {{"m", 2}});
  EXPECT_EQ(scores("a"), "['b:m' ,1]");
  EXPECT_EQ(scores("a:b"), "['m' ,2]");
}

TEST_P(KeyspaceScoresContract, InfinitiesAreScoresAndNotANumberIsNone) {
  EXPECT_EQ(zadd("z", {{"low", -kInfinity}, {"high", kInfinity}, {"mid", 0}}), ":3");
  EXPECT_EQ(range(key::RankRange{}), "['low' 'mid' 'high']");
  EXPECT_EQ(run(key::ScoreOf{"z", {"high"}}), ",inf");
  EXPECT_EQ(range(between(std::nullopt, ScoreBound{0, true})), "['low']");
  EXPECT_EQ(range(between(ScoreBound{-kInfinity, true}, ScoreBound{kInfinity, true})), "['mid']");
  EXPECT_EQ(zadd("z", {{"x", 1}, {"y", std::numeric_limits<double>::quiet_NaN()}}), "!Score must be a finite number");
  EXPECT_EQ(run(key::ScoresCount{"z"}), ":3");
  EXPECT_EQ(run(key::ScoresAdd{.key = "z", .members = {{"high", -kInfinity}}, .increment = true}),
            "!resulting score is not a number (NaN)");
}

TEST_P(KeyspaceScoresContract, ScoresKeepEveryDigit) {
  zadd("z", {{"third", 1.0 / 3}, {"big", 9007199254740993.0}, {"tiny", 5e-324}, {"huge", 1.7976931348623157e308}});
  EXPECT_EQ(answer_of(key::ScoreOf{"z", {"third"}}).real, 1.0 / 3);
  EXPECT_EQ(answer_of(key::ScoreOf{"z", {"big"}}).real, 9007199254740993.0);
  EXPECT_EQ(answer_of(key::ScoreOf{"z", {"tiny"}}).real, 5e-324);
  EXPECT_EQ(answer_of(key::ScoreOf{"z", {"huge"}}).real, 1.7976931348623157e308);
}

TEST_P(KeyspaceScoresContract, AddHonoursItsConditions) {
  zadd("z", {{"a", 5}});
  EXPECT_EQ(run(key::ScoresAdd{.key = "z", .members = {{"a", 1}, {"b", 1}}, .only_new = true}), ":1");
  EXPECT_EQ(run(key::ScoresAdd{.key = "z", .members = {{"b", 2}, {"c", 2}}, .only_old = true}), ":0");
  EXPECT_EQ(scores("z"), "['b' ,2 'a' ,5]");
  EXPECT_EQ(
      run(key::ScoresAdd{.key = "z", .members = {{"a", 4}, {"b", 3}, {"n", 1}}, .only_greater = true, .count_changed = true}),
      ":2");
  EXPECT_EQ(scores("z"), "['n' ,1 'b' ,3 'a' ,5]");
  EXPECT_EQ(run(key::ScoresAdd{.key = "z", .members = {{"a", 4}, {"b", 9}}, .only_less = true, .count_changed = true}), ":1");
  EXPECT_EQ(run(key::ScoresAdd{.key = "z", .members = {{"a", 4}}, .count_changed = true}), ":0");
  EXPECT_EQ(run(key::ScoresAdd{.key = "none", .members = {{"a", 4}}, .only_old = true}), ":0");
  EXPECT_EQ(exists("none"), ":0");
}

TEST_P(KeyspaceScoresContract, IncrementAnswersTheScore) {
  EXPECT_EQ(run(key::ScoresAdd{.key = "z", .members = {{"a", 1.5}}, .increment = true}), ",1.5");
  EXPECT_EQ(run(key::ScoresAdd{.key = "z", .members = {{"a", -2}}, .increment = true}), ",-0.5");
  EXPECT_EQ(run(key::ScoresAdd{.key = "z", .members = {{"a", 0}}, .increment = true}), ",-0.5");
  EXPECT_EQ(run(key::ScoresAdd{.key = "z", .members = {{"a", 2}}, .only_new = true, .increment = true}), "nil");
  EXPECT_EQ(run(key::ScoresAdd{.key = "z", .members = {{"x", 2}}, .only_old = true, .increment = true}), "nil");
  EXPECT_EQ(run(key::ScoresCount{"z"}), ":1");
}

TEST_P(KeyspaceScoresContract, RemovingTheLastMemberRemovesTheKey) {
  zadd("z", {{"a", 1}, {"b", 2}});
  EXPECT_EQ(run(key::ScoresRemove{"z", {"a", "x", "a"}}), ":1");
  EXPECT_EQ(run(key::ScoresRemove{"z", {"b"}}), ":1");
  EXPECT_EQ(exists("z"), ":0");
  EXPECT_EQ(run(key::ScoresRemove{"z", {"b"}}), ":0");
}

TEST_P(KeyspaceScoresContract, RangesByRankCountFromBothEnds) {
  five();
  EXPECT_EQ(range(key::RankRange{0, 1}), "['a' 'b']");
  EXPECT_EQ(range(key::RankRange{-2, -1}), "['d' 'e']");
  EXPECT_EQ(range(key::RankRange{-100, 100}), "['a' 'b' 'c' 'd' 'e']");
  EXPECT_EQ(range(key::RankRange{5, 9}), "[]");
  EXPECT_EQ(range(key::RankRange{0, 1}, true), "['e' 'd']");
  EXPECT_EQ(run(key::ScoresRange{.key = "z", .range = key::RankRange{1, 1}, .reverse = true, .with_scores = true}), "['d' ,4]");
  EXPECT_EQ(run(key::ScoresRange{.key = "none", .range = key::RankRange{}}), "[]");
}

TEST_P(KeyspaceScoresContract, RangesByScore) {
  five();
  EXPECT_EQ(range(between(ScoreBound{2}, ScoreBound{4})), "['b' 'c' 'd']");
  EXPECT_EQ(range(between(ScoreBound{2, true}, ScoreBound{4, true})), "['c']");
  EXPECT_EQ(range(between(std::nullopt, ScoreBound{2})), "['a' 'b']");
  EXPECT_EQ(range(between(ScoreBound{4}, std::nullopt)), "['d' 'e']");
  EXPECT_EQ(range(between(ScoreBound{4}, ScoreBound{2})), "[]");
  EXPECT_EQ(range(between(ScoreBound{2}, ScoreBound{4}), true), "['d' 'c' 'b']");
  EXPECT_EQ(run(key::ScoresRange{.key = "z", .range = between(ScoreBound{2}, std::nullopt), .skip = 1, .limit = 2}), "['c' 'd']");
  EXPECT_EQ(
      run(key::ScoresRange{
          .key = "z", .range = between(std::nullopt, std::nullopt), .reverse = true, .skip = 1, .limit = 2, .with_scores = true}),
      "['d' ,4 'c' ,3]");
  EXPECT_EQ(run(key::ScoresRange{.key = "z", .range = between(std::nullopt, std::nullopt), .skip = 9}), "[]");
  EXPECT_EQ(run(key::ScoresRange{.key = "z", .range = between(std::nullopt, std::nullopt), .limit = 0}), "[]");
}

TEST_P(KeyspaceScoresContract, CountsByScore) {
  five();
  EXPECT_EQ(run(key::ScoresCount{"z", between(ScoreBound{2}, ScoreBound{4})}), ":3");
  EXPECT_EQ(run(key::ScoresCount{"z", between(ScoreBound{2, true}, ScoreBound{4, true})}), ":1");
  EXPECT_EQ(run(key::ScoresCount{"z", between(ScoreBound{9}, std::nullopt)}), ":0");
}

TEST_P(KeyspaceScoresContract, RangesByNameAmongEqualScores) {
  zadd("z", {{"a", 0}, {"b", 0}, {"c", 0}, {"ca", 0}, {"d", 0}});
  EXPECT_EQ(range(LexRange{}), "['a' 'b' 'c' 'ca' 'd']");
  EXPECT_EQ(range(LexRange{LexBound{"b"}, LexBound{"c"}}), "['b' 'c']");
  EXPECT_EQ(range(LexRange{LexBound{"b", true}, LexBound{"d", true}}), "['c' 'ca']");
  EXPECT_EQ(range(LexRange{std::nullopt, LexBound{"b", true}}), "['a']");
  EXPECT_EQ(range(LexRange{LexBound{"c", true}, std::nullopt}, true), "['d' 'ca']");
  EXPECT_EQ(run(key::ScoresRange{.key = "z", .range = LexRange{LexBound{"b"}, std::nullopt}, .skip = 1, .limit = 2}),
            "['c' 'ca']");
}

TEST_P(KeyspaceScoresContract, RanksCountThoseBefore) {
  zadd("z", {{"a", 1}, {"b", 1}, {"c", 2}});
  EXPECT_EQ(run(key::RankOf{"z", "a"}), ":0");
  EXPECT_EQ(run(key::RankOf{"z", "b"}), ":1");
  EXPECT_EQ(run(key::RankOf{"z", "c"}), ":2");
  EXPECT_EQ(run(key::RankOf{"z", "a", true}), ":2");
  EXPECT_EQ(run(key::RankOf{"z", "x"}), "nil");
  EXPECT_EQ(run(key::RankOf{"none", "x"}), "nil");
}

TEST_P(KeyspaceScoresContract, PopsTakeFromOneEnd) {
  five();
  EXPECT_EQ(run(key::ScoresPop{"z"}), "['a' ,1]");
  EXPECT_EQ(run(key::ScoresPop{"z", true, 2}), "['e' ,5 'd' ,4]");
  EXPECT_EQ(run(key::ScoresPop{"z", false, 0}), "[]");
  EXPECT_EQ(run(key::ScoresCount{"z"}), ":2");
  EXPECT_EQ(run(key::ScoresPop{"z", false, 9}), "['b' ,2 'c' ,3]");
  EXPECT_EQ(exists("z"), ":0");
  EXPECT_EQ(run(key::ScoresPop{"z"}), "[]");
}

TEST_P(KeyspaceScoresContract, RangesAreRemoved) {
  five();
  EXPECT_EQ(run(key::ScoresRemoveRange{"z", key::RankRange{0, 0}}), ":1");
  EXPECT_EQ(run(key::ScoresRemoveRange{"z", between(ScoreBound{2, true}, ScoreBound{3})}), ":1");
  EXPECT_EQ(range(key::RankRange{}), "['b' 'd' 'e']");
  EXPECT_EQ(run(key::ScoresRemoveRange{"z", LexRange{LexBound{"e"}, std::nullopt}}), ":1");
  EXPECT_EQ(run(key::ScoresRemoveRange{"z", between(ScoreBound{100}, std::nullopt)}), ":0");
  EXPECT_EQ(run(key::ScoresRemoveRange{"z", key::RankRange{}}), ":2");
  EXPECT_EQ(exists("z"), ":0");
  EXPECT_EQ(run(key::ScoresRemoveRange{"z", key::RankRange{}}), ":0");
}

TEST_P(KeyspaceScoresContract, AScanMeetsEveryMemberOnce) {
  const std::string bytes("\0\xff", 2);
  std::vector<ScoredMember> all{{"", 7}, {bytes, 8}};
  for (int i = 0; i < 100; ++i) all.push_back({fmt::format("m{:03}", i), 100.0 - i});
  zadd("z", all);
  std::vector<std::string> met;
  std::string after;
  do {
    const KeyAnswer page = answer_of(key::ScoresScan{.key = "z", .after = after, .limit = 30});
    ASSERT_FALSE(page.list.empty());
    after = page.list.front().text;
    for (std::size_t i = 1; i < page.list.size(); i += 2) met.push_back(page.list[i].text);
  } while (!after.empty());
  std::vector<std::string> expected;
  for (const ScoredMember& member : all) expected.push_back(member.member);
  EXPECT_EQ(met, expected);
  EXPECT_EQ(run(key::ScoresScan{.key = "z", .pattern = "m09?", .limit = 5}).substr(0, 5), "['m00");
  EXPECT_EQ(run(key::ScoresScan{.key = "z", .pattern = "m098"}), "['' 'm098' ,2]");
}

TEST_P(KeyspaceScoresContract, OtherTypesAreRefusedAndStay) {
  set("t", "x");
  const std::vector<KeyCommand> commands{key::ScoresAdd{.key = "t", .members = {{"a", 1}}},
                                         key::ScoresRemove{"t", {"a"}},
                                         key::ScoreOf{"t", {"a"}},
                                         key::ScoresCount{"t"},
                                         key::ScoresRange{.key = "t", .range = key::RankRange{}},
                                         key::ScoresRemoveRange{"t", key::RankRange{}},
                                         key::RankOf{"t", "a"},
                                         key::ScoresPop{"t"},
                                         key::ScoresScan{"t"}};
  for (const KeyCommand& command : commands) EXPECT_EQ(run(command), kWrongTypeShown) << command.index();
  EXPECT_EQ(get("t"), "'x'");
}

INSTANTIATE_TEST_SUITE_P(Stores, KeyspaceScoresContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
