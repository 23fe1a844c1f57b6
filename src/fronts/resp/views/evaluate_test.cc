#include "fronts/resp/views/evaluate.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "fronts/resp/views/read.h"

namespace muster::resp::views {
namespace {

using store::KeyAnswer;
using store::KeyCommand;
using store::KeyType;
namespace key = store::key;

const Instant kNow = from_ms(1'000'000);

KeyAnswer ask(const KeyCommand& command, const std::vector<View>& views) {
  EXPECT_TRUE(want_of(command).has_value());
  return evaluate(command, views, kNow);
}

std::vector<std::string> texts(const KeyAnswer& answer) {
  std::vector<std::string> out;
  for (const KeyAnswer& each : answer.list)
    out.push_back(each.kind == KeyAnswer::Kind::real ? "score " + std::to_string(static_cast<int>(each.real)) : each.text);
  return out;
}

using Texts = std::vector<std::string>;

View list_of(Texts items) {
  View view = list_view(items.size());
  view.items = std::move(items);
  return view;
}

View set_of(Texts items) {
  View view = absent({KeyType::set});
  view.exists = !items.empty();
  view.count = items.size();
  view.items = std::move(items);
  return view;
}

TEST(Evaluate, WritesAreNotEvaluated) {
  EXPECT_FALSE(want_of(key::Set{}).has_value());
  EXPECT_FALSE(want_of(key::Push{}).has_value());
  EXPECT_FALSE(want_of(key::Expire{}).has_value());
  EXPECT_FALSE(want_of(key::SetCombine{.how = key::Algebra::unite, .keys = {}, .into = "x"}).has_value());
}

TEST(Evaluate, AnotherFormIsTheWrongType) {
  const View text = text_view("x");
  EXPECT_EQ(ask(key::HashGet{"k", "f"}, {text}).text, kWrongType);
  EXPECT_EQ(ask(key::ListLength{"k"}, {text}).text, kWrongType);
  EXPECT_EQ(ask(key::Get{"k"}, {hash_view({})}).text, kWrongType);
  // What is not there has no type.
  EXPECT_EQ(ask(key::ListLength{"k"}, {absent({KeyType::text})}).number, 0);
  // MGET has no such answer.
  EXPECT_EQ(ask(key::GetMany{{"k"}}, {hash_view({})}).list.at(0).kind, KeyAnswer::Kind::nothing);
}

TEST(Evaluate, TextsAreReadInWholeAndInPart) {
  const View view = text_view("hello");
  EXPECT_EQ(ask(key::Get{"k"}, {view}).text, "hello");
  EXPECT_EQ(ask(key::Length{"k"}, {view}).number, 5);
  EXPECT_EQ(ask(key::GetRange{"k", 1, -2}, {view}).text, "ell");
  EXPECT_EQ(ask(key::GetRange{"k", 9, 12}, {view}).text, "");
  EXPECT_EQ(ask(key::Get{"k"}, {absent({KeyType::text})}).kind, KeyAnswer::Kind::nothing);
}

TEST(Evaluate, TimesAreThoseOfTheView) {
  View view = text_view("x");
  EXPECT_EQ(ask(key::TimeLeft{"k", false}, {view}).number, -1);
  view.expires_at = kNow + Duration(90'000);
  EXPECT_EQ(ask(key::TimeLeft{"k", false}, {view}).number, 90'000);
  EXPECT_EQ(ask(key::TimeLeft{"k", true}, {view}).number, 1'090'000);
  EXPECT_EQ(ask(key::TimeLeft{"k", false}, {absent({KeyType::text})}).number, -2);
}

TEST(Evaluate, TypeAndExistenceCountWhatIsThere) {
  EXPECT_EQ(ask(key::TypeOf{"k"}, {scores_view({{"a", 1}})}).text, "zset");
  EXPECT_EQ(ask(key::TypeOf{"k"}, {absent({KeyType::text})}).kind, KeyAnswer::Kind::nothing);
  EXPECT_EQ(ask(key::Exists{{"a", "b"}}, {text_view(""), absent({KeyType::text})}).number, 1);
}

TEST(Evaluate, HashesAreSorted) {
  const View view = hash_view({{"b", "2"}, {"a", "1"}});
  EXPECT_EQ(texts(ask(key::HashAll{"k", key::HashPart::pairs}, {view})), (Texts{"a", "1", "b", "2"}));
  EXPECT_EQ(texts(ask(key::HashAll{"k", key::HashPart::fields}, {view})), (Texts{"a", "b"}));
  EXPECT_EQ(texts(ask(key::HashAll{"k", key::HashPart::values}, {view})), (Texts{"1", "2"}));
  EXPECT_EQ(ask(key::HashGet{"k", "b"}, {view}).text, "2");
  EXPECT_EQ(ask(key::HashGet{"k", "c"}, {view}).kind, KeyAnswer::Kind::nothing);
  EXPECT_EQ(ask(key::HashExists{"k", "a"}, {view}).number, 1);
  EXPECT_EQ(ask(key::HashLength{"k"}, {view}).number, 2);
  EXPECT_EQ(texts(ask(key::HashScan{"k", {}, "b*", 10}, {view})), (Texts{"", "b", "2"}));
}

TEST(Evaluate, ListsAreReadByPlaceAlsoWhenOnlyAPartWasRead) {
  const View whole = list_of({"e", "d", "c", "b", "a"});
  EXPECT_EQ(texts(ask(key::ListRange{"k", 1, 2}, {whole})), (Texts{"d", "c"}));
  EXPECT_EQ(texts(ask(key::ListRange{"k", -2, -1}, {whole})), (Texts{"b", "a"}));
  EXPECT_EQ(texts(ask(key::ListRange{"k", 5, 9}, {whole})), Texts{});
  EXPECT_EQ(ask(key::ListAt{"k", -1}, {whole}).text, "a");
  EXPECT_EQ(ask(key::ListAt{"k", 5}, {whole}).kind, KeyAnswer::Kind::nothing);
  EXPECT_EQ(ask(key::ListPosition{"k", "c"}, {whole}).number, 2);
  View part = list_view(5);
  part.first = 3;
  part.items = {"b", "a"};
  EXPECT_EQ(texts(ask(key::ListRange{"k", -2, -1}, {part})), (Texts{"b", "a"}));
  EXPECT_EQ(ask(key::ListLength{"k"}, {part}).number, 5);
}

TEST(Evaluate, SetsCombine) {
  const View a = set_of({"x", "y"});
  const View b = set_of({"y", "z"});
  EXPECT_EQ(texts(ask(key::SetCombine{key::Algebra::intersect, {}, {}}, {a, b})), (Texts{"y"}));
  EXPECT_EQ(texts(ask(key::SetCombine{key::Algebra::unite, {}, {}}, {a, b})), (Texts{"x", "y", "z"}));
  EXPECT_EQ(texts(ask(key::SetCombine{key::Algebra::subtract, {}, {}}, {a, b})), (Texts{"x"}));
  EXPECT_EQ(ask(key::SetHas{"k", {"x"}, false}, {a}).number, 1);
  EXPECT_EQ(ask(key::SetHas{"k", {"z", "x"}, true}, {a}).list.at(0).number, 0);
  EXPECT_EQ(ask(key::SetCount{"k"}, {a}).number, 2);
}

TEST(Evaluate, MembersByLotAreMembers) {
  const View view = set_of({"x", "y", "z"});
  EXPECT_TRUE(ask(key::SetRandom{"k", {}}, {view}).kind == KeyAnswer::Kind::text);
  Texts drawn = texts(ask(key::SetRandom{"k", 9}, {view}));
  std::sort(drawn.begin(), drawn.end());
  EXPECT_EQ(drawn, (Texts{"x", "y", "z"}));
  EXPECT_EQ(ask(key::SetRandom{"k", -7}, {view}).list.size(), 7U);
  EXPECT_EQ(ask(key::SetRandom{"k", {}}, {set_of({})}).kind, KeyAnswer::Kind::nothing);
  EXPECT_EQ(ask(key::SetRandom{"k", -9'000'000'000}, {view}).kind, KeyAnswer::Kind::refused);
}

// Taken out one by one from the middle, and looked for one by one, these would be thousands of millions of moves.
TEST(Evaluate, LargeViewsAreDrawnFromAndLookedUpInOneGo) {
  Texts members;
  View scored = absent({KeyType::scores});
  scored.exists = true;
  for (int i = 0; i < 100'000; ++i) {
    members.push_back(std::to_string(1'000'000 + i));
    scored.scores.push_back({members.back(), static_cast<double>(i)});
  }
  const Texts drawn = texts(ask(key::SetRandom{"k", 100'000}, {set_of(members)}));
  EXPECT_EQ(std::set<std::string>(drawn.begin(), drawn.end()).size(), members.size());
  const KeyAnswer scores = ask(key::ScoreOf{"k", members, true}, {scored});
  ASSERT_EQ(scores.list.size(), members.size());
  EXPECT_EQ(scores.list.back().real, 99'999);
}

TEST(Evaluate, SortedSetsAreReadByRankScoreAndName) {
  const View view = scores_view({{"late", 30}, {"b", 10}, {"a", 10}});
  key::ScoresRange range{.key = "k", .range = key::RankRange{0, -1}};
  EXPECT_EQ(texts(ask(range, {view})), (Texts{"a", "b", "late"}));
  range.reverse = true;
  range.with_scores = true;
  EXPECT_EQ(texts(ask(range, {view})), (Texts{"late", "score 30", "b", "score 10", "a", "score 10"}));
  key::ScoresRange due{.key = "k", .range = store::ScoreRange{.min = store::ScoreBound{10, true}, .max = std::nullopt}};
  EXPECT_EQ(texts(ask(due, {view})), (Texts{"late"}));
  key::ScoresRange named{.key = "k", .range = store::LexRange{.min = store::LexBound{"b", false}, .max = std::nullopt}};
  named.skip = 1;
  EXPECT_EQ(texts(ask(named, {view})), (Texts{"late"}));
  EXPECT_EQ(ask(key::ScoreOf{"k", {"late"}, false}, {view}).real, 30);
  EXPECT_EQ(ask(key::RankOf{"k", "late", false}, {view}).number, 2);
  EXPECT_EQ(ask(key::RankOf{"k", "late", true}, {view}).number, 0);
  EXPECT_EQ(ask(key::ScoresCount{"k", {}}, {view}).number, 3);
  EXPECT_EQ(ask(key::ScoresCount{"k", {.min = {}, .max = store::ScoreBound{10, false}}}, {view}).number, 2);
}

TEST(Stretch, CountsAsRedisDoes) {
  EXPECT_FALSE(stretch(0, -1, 0));
  EXPECT_FALSE(stretch(3, 1, 5));
  EXPECT_EQ(stretch(-100, 1, 5)->count, 2U);
  EXPECT_EQ(stretch(3, 100, 5)->count, 2U);
  EXPECT_FALSE(stretch(0, -6, 5));
}

}  // namespace
}  // namespace muster::resp::views
