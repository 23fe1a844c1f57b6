// Contract: keys that hold much. What is asked of them has a bounded cost, and others are served meanwhile.
#include <atomic>
#include <future>
#include <set>

#include <fmt/format.h>

#include "store/contract/keyspace_testing.h"
#include "store/keyspace/keyspace.h"

namespace muster::store::contract {
namespace {

using keyspace::Bounds;
using Texts = std::vector<std::string>;

class KeyspaceLargeContract : public KeyspaceContract {
 protected:
  static constexpr std::size_t kMany = 12'000;  // more than one pass of the sweep removes

  static Texts numbered(std::size_t count, std::size_t first = 0) {
    Texts out;
    for (std::size_t i = first; i < first + count; ++i) out.push_back(fmt::format("m{:06}", i));
    return out;
  }
  static std::vector<ScoredMember> scored(std::size_t count) {
    std::vector<ScoredMember> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back({fmt::format("m{:06}", i), static_cast<double>(i / 2)});
    return out;
  }
  void given_large_ones() {
    ASSERT_EQ(sadd("s", numbered(kMany)), fmt::format(":{}", kMany));
    ASSERT_EQ(push("l", numbered(kMany)), fmt::format(":{}", kMany));
    ASSERT_EQ(zadd("z", scored(kMany)), fmt::format(":{}", kMany));
  }
  // Passes until nothing is due.
  std::size_t passes() {
    std::size_t count = 0;
    for (bool more = true; more && count < 1'000; ++count) more = must(client().sweep(&Store::expire_keys, kSweepLimit)).more;
    return count;
  }
};

TEST_P(KeyspaceLargeContract, DrawingManyWithRepeatsIsOneWalk) {
  sadd("s", numbered(Bounds::kChangedRowsMax));
  const KeyAnswer drawn = answer_of(key::SetRandom{"s", -100'000});
  ASSERT_EQ(drawn.list.size(), 100'000u);
  std::set<std::string> different;
  for (const KeyAnswer& member : drawn.list) different.insert(member.text);
  EXPECT_GT(different.size(), Bounds::kChangedRowsMax / 2);
}

TEST_P(KeyspaceLargeContract, EverythingOfALargeKeyIsRead) {
  given_large_ones();
  EXPECT_EQ(answer_of(key::SetMembers{"s"}).list.size(), kMany);
  const KeyAnswer list = answer_of(key::ListRange{"l"});
  ASSERT_EQ(list.list.size(), kMany);
  EXPECT_EQ(list.list.back().text, fmt::format("m{:06}", kMany - 1));
  for (const bool reverse : {false, true}) {
    const KeyAnswer all = answer_of(key::ScoresRange{.key = "z", .range = ScoreRange{}, .reverse = reverse});
    ASSERT_EQ(all.list.size(), kMany);
    // Two have each score: a piece that ends between them leaves none out.
    std::set<std::string> different;
    for (const KeyAnswer& member : all.list) different.insert(member.text);
    EXPECT_EQ(different.size(), kMany);
    EXPECT_EQ(all.list.front().text, fmt::format("m{:06}", reverse ? kMany - 1 : 0));
  }
  EXPECT_EQ(answer_of(key::ScoresRange{.key = "z", .range = LexRange{}}).list.size(), kMany);
  EXPECT_EQ(run(key::RankOf{"z", "m011000"}), ":11000");
  EXPECT_EQ(run(key::ScoresCount{"z", ScoreRange{ScoreBound{1}, ScoreBound{4'000}}}), ":8000");
  EXPECT_EQ(run(key::ListAt{"l", 7'000}), "'m007000'");
  EXPECT_EQ(run(key::ListAt{"l", -1}), fmt::format("'m{:06}'", kMany - 1));
}

TEST_P(KeyspaceLargeContract, AListWithGapsIsReadAsOneWithout) {
  push("l", numbered(kMany));
  EXPECT_EQ(run(key::ListRemove{"l", 1, "m000010"}), ":1");
  EXPECT_EQ(run(key::ListAt{"l", 10}), "'m000011'");
  EXPECT_EQ(run(key::ListAt{"l", 6'000}), "'m006001'");
  EXPECT_EQ(run(key::ListInsert{"l", false, "m000020", "new"}), fmt::format(":{}", kMany));
  EXPECT_EQ(run(key::ListRange{"l", 18, 21}), "['m000019' 'm000020' 'new' 'm000021']");
  EXPECT_EQ(run(key::ListInsert{"l", true, fmt::format("m{:06}", kMany - 2), "late"}), fmt::format(":{}", kMany + 1));
  EXPECT_EQ(run(key::ListRange{"l", -3, -1}), fmt::format("['late' 'm{:06}' 'm{:06}']", kMany - 2, kMany - 1));
}

TEST_P(KeyspaceLargeContract, ALargeKeyIsGoneAtOnceAndSweptInParts) {
  given_large_ones();
  passes();
  EXPECT_EQ(run(key::Delete{{"s", "l", "z"}}), ":3");
  EXPECT_EQ(run(key::Exists{{"s", "l", "z"}}), ":0");
  EXPECT_EQ(run(key::Count{}), ":0");
  // What is made under the same names has nothing of them.
  sadd("s", {"a"});
  push("l", {"b"});
  zadd("z", {{"c", 1}});
  const std::size_t needed = passes();
  EXPECT_GT(needed, 3 * kMany / kSweptRowsMax);
  EXPECT_EQ(members("s"), "['a']");
  EXPECT_EQ(list("l"), "['b']");
  EXPECT_EQ(scores("z"), "['c' ,1]");
  EXPECT_FALSE(must(client().sweep(&Store::expire_keys, kSweepLimit)).next_due);
}

TEST_P(KeyspaceLargeContract, WhatIsLeftOfALargeKeyIsSweptAfterARestart) {
  sadd("s", numbered(kMany));
  run(key::Delete{{"s"}});
  restart();
  EXPECT_EQ(exists("s"), ":0");
  EXPECT_GE(passes(), 2u);
  EXPECT_FALSE(must(client().sweep(&Store::expire_keys, kSweepLimit)).next_due);
}

TEST_P(KeyspaceLargeContract, ALargeKeyThatExpiredIsNeverSeenInPart) {
  sadd("s", numbered(kMany));
  EXPECT_EQ(run(key::Expire{"s", Instant(1s), true}), ":1");
  advance(1s);
  const bool more = must(client().sweep(&Store::expire_keys, kSweepLimit)).more;
  EXPECT_TRUE(more || client().in_doubt());
  EXPECT_EQ(exists("s"), ":0");
  EXPECT_EQ(run(key::Persist{"s"}), ":0");
  EXPECT_EQ(sadd("s", {"a"}), ":1");
  passes();
  EXPECT_EQ(members("s"), "['a']");
}

TEST_P(KeyspaceLargeContract, AClearLeavesNothingInSight) {
  given_large_ones();
  set("t", "v");
  EXPECT_EQ(run(key::Clear{}), "OK");
  EXPECT_EQ(run(key::Count{}), ":0");
  EXPECT_EQ(run(key::Names{}), "['']");
  sadd("s", {"a"});
  passes();
  EXPECT_EQ(members("s"), "['a']");
}

TEST_P(KeyspaceLargeContract, AClearOfMoreKeysThanASliceChangesRemovesThemAll) {
  const std::size_t keys = 2 * Bounds::kSliceRowsMax + 1;
  for (std::size_t begin = 0; begin < keys;) {
    key::SetMany some;
    for (const std::size_t end = std::min(begin + Bounds::kKeysNamedMax, keys); begin < end; ++begin)
      some.pairs.emplace_back(fmt::format("k{}", begin), "v");
    run(some);
  }
  sadd("s", {"a"});
  EXPECT_EQ(run(key::Count{}), fmt::format(":{}", keys + 1));
  KeyBatch asked;
  asked.commands = {key::Set{"before", "v"}, key::Clear{}, key::Set{"behind", "v"}, key::Count{}};
  const auto answers = must(client().keyspace(std::move(asked)));
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_EQ(show(answers[1]), "OK");
  EXPECT_EQ(show(answers[3]), ":1");
  EXPECT_EQ(exists("behind"), ":1");
}

TEST_P(KeyspaceLargeContract, AShortPartOfALongListIsKept) {
  push("l", numbered(kMany));
  EXPECT_EQ(run(key::Expire{"l", Instant(1h), true}), ":1");
  EXPECT_EQ(run(key::ListTrim{"l", 5, 7}), "OK");
  EXPECT_EQ(list("l"), "['m000005' 'm000006' 'm000007']");
  EXPECT_NE(run(key::TimeLeft{"l"}), ":-1");
  passes();
  EXPECT_EQ(push("l", {"x"}), ":4");
  EXPECT_EQ(push("l", {"y"}, ListEnd::left), ":5");
  EXPECT_EQ(list("l"), "['y' 'm000005' 'm000006' 'm000007' 'x']");
}

TEST_P(KeyspaceLargeContract, OverItsBudgetACommandNamesTheLimitAndChangesNothing) {
  const Texts more = numbered(Bounds::kChangedRowsMax + 1);
  sadd("s", numbered(Bounds::kChangedRowsMax));
  sadd("s", {"one more"});
  const auto refusal = [this](KeyCommand command) { return answer_of(std::move(command)).text; };
  for (const std::string& text :
       {refusal(key::SetAdd{"t", more}), refusal(key::Push{"t", ListEnd::left, more}),
        refusal(key::SetCombine{key::Algebra::unite, {"s"}, "t"}), refusal(key::SetPop{"s", more.size()})})
    EXPECT_NE(text.find("kChangedRowsMax (20000)"), std::string::npos) << text;
  EXPECT_NE(refusal(key::GetMany{more}).find("kKeysNamedMax (20000)"), std::string::npos);
  EXPECT_EQ(exists("t"), ":0");
  EXPECT_EQ(run(key::SetCount{"s"}), fmt::format(":{}", more.size()));
}

// --- slices ---

TEST_P(KeyspaceLargeContract, ALongReadInADivisibleBatchSeesWhatIsBeforeItAndNothingBehind) {
  sadd("s", numbered(kMany));
  KeyBatch asked;
  asked.commands = {key::SetAdd{"s", {"new"}}, key::SetMembers{"s"}, key::Delete{{"s"}}, key::SetMembers{"s"},
                    key::Set{"t", "v"},        key::Get{"t"},        key::Count{},       key::ListRange{"none"}};
  auto answers = must(client().keyspace(std::move(asked)));
  ASSERT_EQ(answers.size(), 8u);
  EXPECT_EQ(answers[1].list.size(), kMany + 1);
  EXPECT_EQ(show(answers[2]), ":1");
  EXPECT_EQ(show(answers[3]), "[]");
  EXPECT_EQ(show(answers[5]), "'v'");
  EXPECT_EQ(show(answers[6]), ":1");
}

TEST_P(KeyspaceLargeContract, OthersAreServedBetweenTheSlicesOfALongBatch) {
  if (harness().faulty()) GTEST_SKIP() << "what is refused at random is not asked again here";
  KeyBatch asked;
  for (int i = 0; i < 12; ++i) asked.commands.emplace_back(key::SetAdd{fmt::format("s{}", i), numbered(4'000)});
  std::atomic<int> order{0};
  std::promise<std::pair<int, std::size_t>> whole;
  std::promise<int> other;
  Store& store = harness().store();
  store.keyspace(std::move(asked), [&](Result<std::vector<KeyAnswer>> answers) {
    whole.set_value({++order, answers.ok() ? answers->size() : 0});
  });
  KeyBatch small;
  small.commands.emplace_back(key::Set{"k", "v"});
  store.keyspace(std::move(small), [&](Result<std::vector<KeyAnswer>>) { other.set_value(++order); });
  auto whole_done = whole.get_future();
  auto other_done = other.get_future();
  while (harness().pump()) continue;
  EXPECT_EQ(other_done.get(), 1);
  const auto [place, answered] = whole_done.get();
  EXPECT_EQ(place, 2);
  EXPECT_EQ(answered, 12u);
}

INSTANTIATE_TEST_SUITE_P(Stores, KeyspaceLargeContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
