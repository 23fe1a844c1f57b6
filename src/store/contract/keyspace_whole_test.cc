// Contract: batches of clients' keys that happen as one or not at all, and only while what they rely on is as it was.
#include <fmt/format.h>

#include "store/contract/keyspace_testing.h"
#include "store/keyspace/keyspace.h"

namespace muster::store::contract {
namespace {

using keyspace::Bounds;

class KeyspaceWholeContract : public KeyspaceContract {
 protected:
  static std::vector<std::string> numbered(std::size_t count) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(fmt::format("m{:06}", i));
    return out;
  }
  Result<std::vector<KeyAnswer>> whole(std::vector<KeyCommand> commands, std::vector<KeyVersion> unchanged = {}) {
    KeyBatch batch;
    batch.commands = std::move(commands);
    batch.whole = true;
    batch.unchanged = std::move(unchanged);
    return client().keyspace(std::move(batch));
  }
  KeyVersion version(const std::string& key) {
    const KeyAnswer answer = answer_of(key::Version{key});
    return {key, answer.kind == KeyAnswer::Kind::text ? std::optional(answer.text) : std::nullopt};
  }
};

TEST_P(KeyspaceWholeContract, AllCommandsHappenAndEachIsAnswered) {
  const auto answers = must(whole({key::Set{"a", "1"}, key::Increment{"a", 1}, key::SetAdd{"s", {"x"}}, key::Get{"a"}}));
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_EQ(show(answers[1]), ":2");
  EXPECT_EQ(show(answers[3]), "'2'");
}

TEST_P(KeyspaceWholeContract, ACommandThatIsRefusedKeepsNoOtherFromHappening) {
  set("t", "v");
  const auto answers = must(whole({key::SetAdd{"t", {"x"}}, key::Set{"a", "1"}}));
  EXPECT_EQ(answers[0].kind, KeyAnswer::Kind::refused);
  EXPECT_EQ(get("a"), "'1'");
}

TEST_P(KeyspaceWholeContract, MoreThanOneMayBeAboutChangesNothing) {
  set("a", "before");
  std::vector<KeyCommand> commands{key::Set{"a", "after"}};
  for (std::size_t i = 0; i <= Bounds::kWholeRowsMax / Bounds::kChangedRowsMax; ++i)
    commands.emplace_back(key::SetAdd{fmt::format("s{}", i), numbered(Bounds::kChangedRowsMax)});
  const auto refused = whole(std::move(commands));
  EXPECT_EQ(refused.code(), Code::exhausted);
  EXPECT_NE(refused.status().message().find("kWholeRowsMax"), std::string::npos) << refused.status().text();
  EXPECT_EQ(get("a"), "'before'");
  EXPECT_EQ(exists("s0"), ":0");
}

TEST_P(KeyspaceWholeContract, EveryWriteOfAKeyIsSeen) {
  push("l", {"a", "b"});
  hset("h", {{"f", "1"}});
  zadd("z", {{"m", 1}});
  sadd("s", {"a"});
  set("t", "v");
  const std::vector<std::pair<std::string, KeyCommand>> writes{
      {"l", key::ListSet{"l", 0, "c"}},
      {"l", key::ListTrim{"l", 0, 0}},
      {"h", key::HashSet{.key = "h", .fields = {{"f", "2"}}}},
      {"z", key::ScoresAdd{.key = "z", .members = {{"m", 2}}}},
      {"s", key::SetAdd{"s", {"b"}}},
      {"t", key::Set{"t", "v"}},
      {"t", key::Append{"t", "w"}},
      {"t", key::Expire{"t", Instant(1h), true}},
      {"t", key::Persist{"t"}},
      {"t", key::Delete{{"t"}}},
      {"t", key::Set{"t", "v"}},
  };
  for (const auto& [key, write] : writes) {
    const KeyVersion before = version(key);
    EXPECT_TRUE(whole({key::Exists{{key}}}, {before}).ok()) << key;
    run(write);
    EXPECT_EQ(whole({key::Set{"done", "1"}}, {before}).code(), Code::conflict) << key;
  }
  EXPECT_EQ(exists("done"), ":0");
}

TEST_P(KeyspaceWholeContract, AKeyMadeAnewIsNotTheOneBefore) {
  set("k", "v");
  const KeyVersion before = version("k");
  run(key::Delete{{"k"}});
  set("k", "v");
  EXPECT_EQ(whole({key::Set{"done", "1"}}, {before}).code(), Code::conflict);
}

TEST_P(KeyspaceWholeContract, AKeyThatExpiredHasChanged) {
  set("k", "v");
  run(key::Expire{"k", Instant(1s), true});
  const KeyVersion before = version("k");
  advance(1s);
  EXPECT_EQ(whole({key::Set{"done", "1"}}, {before}).code(), Code::conflict);
}

TEST_P(KeyspaceWholeContract, WhatStandsSurvivesARestart) {
  must(whole({key::Set{"a", "1"}, key::Set{"b", "1"}}));
  const KeyVersion before = version("a");
  restart();
  EXPECT_EQ(get("a"), "'1'");
  EXPECT_EQ(get("b"), "'1'");
  EXPECT_TRUE(whole({key::Get{"a"}}, {before}).ok()) << "a restart is no write";
}

INSTANTIATE_TEST_SUITE_P(Stores, KeyspaceWholeContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
