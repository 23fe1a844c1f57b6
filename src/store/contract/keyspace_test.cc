// Contract: what holds for keys of every type. Expiry, names, batches, spaces, notification, sweeps, durability.
#include <set>

#include "store/contract/keyspace_testing.h"

namespace muster::store::contract {
namespace {

class KeyspaceAnyContract : public KeyspaceContract {
 protected:
  void SetUp() override {
    KeyspaceContract::SetUp();
    harness().listen(&recorder);
  }
  // One key of each type.
  void one_of_each() {
    set("text", "v");
    push("list", {"a", "b"});
    hset("hash", {{"f", "v"}});
    sadd("set", {"m"});
    zadd("scores", {{"m", 1}});
  }
  std::string expire(std::string key, Duration in, key::ExpireWhen when = key::ExpireWhen::always) {
    return run(key::Expire{std::move(key), Instant(in), true, when});
  }
  std::vector<std::string> pushed() {
    recorder.catch_up(client());
    std::vector<std::string> out;
    for (const KeyPushed& key : recorder.keys()) out.push_back(key.ns.text() + "/" + key.key);
    return out;
  }
  static KeyBatch in_space(KeySpace space, std::vector<KeyCommand> commands) {
    KeyBatch batch;
    batch.space = space;
    batch.commands = std::move(commands);
    return batch;
  }
  static KeyBatch in_namespace(std::string ns, std::vector<KeyCommand> commands) {
    KeyBatch batch;
    batch.ns = NamespaceName(std::move(ns));
    batch.commands = std::move(commands);
    return batch;
  }

  Recorder recorder;
};
using Texts = std::vector<std::string>;
const Texts kEach{"text", "list", "hash", "set", "scores"};

// --- being there ---

TEST_P(KeyspaceAnyContract, EachTypeHasItsName) {
  one_of_each();
  EXPECT_EQ(run(key::TypeOf{"text"}), "'string'");
  EXPECT_EQ(run(key::TypeOf{"list"}), "'list'");
  EXPECT_EQ(run(key::TypeOf{"hash"}), "'hash'");
  EXPECT_EQ(run(key::TypeOf{"set"}), "'set'");
  EXPECT_EQ(run(key::TypeOf{"scores"}), "'zset'");
  EXPECT_EQ(run(key::TypeOf{"none"}), "nil");
}

TEST_P(KeyspaceAnyContract, KeysAreCountedAndDeletedWithWhatIsInThem) {
  one_of_each();
  EXPECT_EQ(run(key::Exists{{"text", "list", "none", "text"}}), ":3");
  EXPECT_EQ(run(key::Count{}), ":5");
  EXPECT_EQ(run(key::Delete{{"text", "list", "hash", "set", "scores", "none", "text"}}), ":5");
  EXPECT_EQ(run(key::Count{}), ":0");
  // Nothing of the old contents comes back with the name.
  push("list", {"new"});
  hset("hash", {{"g", "new"}});
  sadd("set", {"n"});
  zadd("scores", {{"n", 2}});
  EXPECT_EQ(list("list"), "['new']");
  EXPECT_EQ(hash("hash"), "['g' 'new']");
  EXPECT_EQ(members("set"), "['n']");
  EXPECT_EQ(scores("scores"), "['n' ,2]");
}

TEST_P(KeyspaceAnyContract, ClearRemovesEverythingOfItsSpace) {
  one_of_each();
  batch(in_space(KeySpace::internal, {key::Set{"kept", "v"}}));
  EXPECT_EQ(run(key::Clear{}), "OK");
  EXPECT_EQ(run(key::Count{}), ":0");
  for (const std::string& key : kEach) EXPECT_EQ(exists(key), ":0") << key;
  EXPECT_EQ(batch(in_space(KeySpace::internal, {key::Get{"kept"}})), Texts{"'v'"});
  push("list", {"new"});
  EXPECT_EQ(list("list"), "['new']");
}

// --- time ---

TEST_P(KeyspaceAnyContract, AKeyIsGoneAtTheInstantItExpires) {
  one_of_each();
  for (const std::string& key : kEach) EXPECT_EQ(expire(key, 1s), ":1") << key;
  advance(999ms);
  for (const std::string& key : kEach) EXPECT_EQ(time_left(key), ":1") << key;
  advance(1ms);
  for (const std::string& key : kEach) {
    EXPECT_EQ(exists(key), ":0") << key;
    EXPECT_EQ(time_left(key), ":-2") << key;
    EXPECT_EQ(run(key::TypeOf{key}), "nil") << key;
  }
  EXPECT_EQ(run(key::Count{}), ":0");
  EXPECT_EQ(names(""), Texts{});
  EXPECT_EQ(run(key::RandomKey{}), "nil");
}

TEST_P(KeyspaceAnyContract, AnExpiredKeyIsReplacedByANewOneOfAnyType) {
  one_of_each();
  for (const std::string& key : kEach) expire(key, 1s);
  advance(1s);
  EXPECT_EQ(push("text", {"x"}), ":1");
  EXPECT_EQ(hset("list", {{"f", "v"}}), ":1");
  EXPECT_EQ(sadd("hash", {"m"}), ":1");
  EXPECT_EQ(zadd("set", {{"m", 1}}), ":1");
  EXPECT_EQ(run(key::Increment{"scores"}), ":1");
  EXPECT_EQ(time_left("text"), ":-1");
  EXPECT_EQ(list("text"), "['x']");
  EXPECT_EQ(hash("list"), "['f' 'v']");
}

TEST_P(KeyspaceAnyContract, WhatExpiredIsNotThereToChange) {
  set_for("k", "v", 1s);
  advance(1s);
  EXPECT_EQ(run(key::Persist{"k"}), ":0");
  EXPECT_EQ(expire("k", 10s), ":0");
  EXPECT_EQ(run(key::Rename{"k", "other"}), "!no such key");
  EXPECT_EQ(remove("k"), ":0");
  EXPECT_EQ(run(key::Set{.key = "k", .value = "w", .when = key::SetWhen::if_present}), "nil");
  EXPECT_EQ(run(key::Set{.key = "k", .value = "w", .when = key::SetWhen::if_missing}), "OK");
}

TEST_P(KeyspaceAnyContract, TimeLeftIsInMilliseconds) {
  set("k", "v");
  EXPECT_EQ(time_left("k"), ":-1");
  EXPECT_EQ(time_left("none"), ":-2");
  set_for("k", "v", 10s);
  EXPECT_EQ(time_left("k"), ":10000");
  advance(2500ms);
  EXPECT_EQ(time_left("k"), ":7500");
  const Instant at = now() + 1h;
  EXPECT_EQ(run(key::Expire{"k", at}), ":1");
  EXPECT_EQ(run(key::TimeLeft{"k", true}), fmt::format(":{}", to_ms(at)));
  EXPECT_EQ(run(key::TimeLeft{"none", true}), ":-2");
}

TEST_P(KeyspaceAnyContract, ExpireHonoursItsConditions) {
  EXPECT_EQ(expire("k", 10s), ":0");
  set("k", "v");
  EXPECT_EQ(expire("k", 10s, key::ExpireWhen::if_some), ":0");
  EXPECT_EQ(expire("k", 10s, key::ExpireWhen::if_later), ":0");
  EXPECT_EQ(expire("k", 10s, key::ExpireWhen::if_none), ":1");
  EXPECT_EQ(expire("k", 20s, key::ExpireWhen::if_none), ":0");
  EXPECT_EQ(expire("k", 5s, key::ExpireWhen::if_later), ":0");
  EXPECT_EQ(expire("k", 20s, key::ExpireWhen::if_later), ":1");
  EXPECT_EQ(expire("k", 30s, key::ExpireWhen::if_earlier), ":0");
  EXPECT_EQ(expire("k", 15s, key::ExpireWhen::if_earlier), ":1");
  EXPECT_EQ(expire("k", 16s, key::ExpireWhen::if_some), ":1");
  EXPECT_EQ(time_left("k"), ":16000");
  run(key::Persist{"k"});
  EXPECT_EQ(expire("k", 15s, key::ExpireWhen::if_earlier), ":1");
}

TEST_P(KeyspaceAnyContract, AnExpiryInThePastDeletes) {
  push("l", {"x"});
  EXPECT_EQ(run(key::Expire{"l", now() - 1s}), ":1");
  EXPECT_EQ(exists("l"), ":0");
  push("l", {"x"});
  EXPECT_EQ(expire("l", -5s), ":1");
  EXPECT_EQ(exists("l"), ":0");
}

TEST_P(KeyspaceAnyContract, AnInstantBeyondCountingIsRefused) {
  set("k", "v");
  EXPECT_EQ(expire("k", Duration(std::numeric_limits<std::int64_t>::max())), "!invalid expire time");
  EXPECT_EQ(time_left("k"), ":-1");
}

TEST_P(KeyspaceAnyContract, PersistForgetsTheExpiry) {
  set_for("k", "v", 1s);
  EXPECT_EQ(run(key::Persist{"k"}), ":1");
  EXPECT_EQ(run(key::Persist{"k"}), ":0");
  advance(1h);
  EXPECT_EQ(get("k"), "'v'");
}

TEST_P(KeyspaceAnyContract, ChangingAContainerKeepsItsExpiry) {
  one_of_each();
  for (const std::string& key : kEach) expire(key, 10s);
  run(key::Append{"text", "w"});
  push("list", {"c"});
  pop("list");
  hset("hash", {{"g", "w"}});
  sadd("set", {"n"});
  zadd("scores", {{"n", 2}});
  for (const std::string& key : kEach) EXPECT_EQ(time_left(key), ":10000") << key;
}

// --- names ---

TEST_P(KeyspaceAnyContract, RenameCarriesValueAndExpiry) {
  one_of_each();
  expire("list", 10s);
  EXPECT_EQ(run(key::Rename{"list", "moved"}), "OK");
  EXPECT_EQ(list("moved"), "['a' 'b']");
  EXPECT_EQ(time_left("moved"), ":10000");
  EXPECT_EQ(exists("list"), ":0");
  EXPECT_EQ(run(key::Rename{"moved", "hash"}), "OK");
  EXPECT_EQ(list("hash"), "['a' 'b']");
  EXPECT_EQ(run(key::Rename{"text", "text"}), "OK");
  EXPECT_EQ(get("text"), "'v'");
  EXPECT_EQ(run(key::Rename{"none", "x"}), "!no such key");
}

TEST_P(KeyspaceAnyContract, RenameIfMissingKeepsWhatIsThere) {
  set("a", "1");
  set("b", "2");
  EXPECT_EQ(run(key::Rename{"a", "b", true}), ":0");
  EXPECT_EQ(run(key::Rename{"a", "a", true}), ":0");
  EXPECT_EQ(get("a"), "'1'");
  EXPECT_EQ(run(key::Rename{"a", "c", true}), ":1");
  EXPECT_EQ(run(key::GetMany{{"a", "b", "c"}}), "[nil '2' '1']");
}

TEST_P(KeyspaceAnyContract, NamesAreListedInByteOrder) {
  for (const std::string name : {"b", "a", "ab", "B", "\xff", "a\x01"}) set(name, "v");
  EXPECT_EQ(names(""), (Texts{"B", "a", "a\x01", "ab", "b", "\xff"}));
  EXPECT_EQ(names("", 1), (Texts{"B", "a", "a\x01", "ab", "b", "\xff"}));
  EXPECT_EQ(names("", 2).size(), 6u);
}

TEST_P(KeyspaceAnyContract, PatternsSelectNames) {
  for (const std::string name : {"user:1", "user:2", "user:10", "user", "job:1", "us[er"}) set(name, "v");
  EXPECT_EQ(names("user:*"), (Texts{"user:1", "user:10", "user:2"}));
  EXPECT_EQ(names("user:*", 1), (Texts{"user:1", "user:10", "user:2"}));
  EXPECT_EQ(names("user:?"), (Texts{"user:1", "user:2"}));
  EXPECT_EQ(names("*:1"), (Texts{"job:1", "user:1"}));
  EXPECT_EQ(names("user:[^1]"), (Texts{"user:2"}));
  EXPECT_EQ(names("[ju]*:[0-9]"), (Texts{"job:1", "user:1", "user:2"}));
  EXPECT_EQ(names("us\\[er"), (Texts{"us[er"}));
  EXPECT_EQ(names("user"), Texts{"user"});
  EXPECT_EQ(names("nobody*"), Texts{});
  EXPECT_EQ(answer_of(key::Names{.pattern = std::string(1'025, 'x')}).text, "Pattern length 1025 exceeds maximum 1024");
}

TEST_P(KeyspaceAnyContract, NamesAreSelectedByType) {
  one_of_each();
  EXPECT_EQ(run(key::Names{.type = KeyType::hash}), "['' 'hash']");
  EXPECT_EQ(run(key::Names{.pattern = "*s*", .type = KeyType::set}), "['' 'set']");
}

TEST_P(KeyspaceAnyContract, ScanStability) {
  // Whoever is there during the whole walk is met exactly once, whatever comes and goes around it.
  std::vector<KeyPair> pairs;
  for (int i = 0; i < 200; ++i) pairs.push_back({fmt::format("stay:{:03}", i), "v"});
  run(key::SetMany{pairs});
  std::multiset<std::string> met;
  std::string after;
  int round = 0;
  do {
    const KeyAnswer page = answer_of(key::Names{.after = after, .limit = 17});
    ASSERT_FALSE(page.list.empty());
    after = page.list.front().text;
    for (std::size_t i = 1; i < page.list.size(); ++i) met.insert(page.list[i].text);
    set(fmt::format("come:{}", round), "v");
    set(fmt::format("stay:{:03}:go", 10 * round), "v");
    remove(fmt::format("stay:{:03}:go", 10 * (round - 1)));
    ++round;
  } while (!after.empty());
  for (const KeyPair& pair : pairs) EXPECT_EQ(met.count(pair.first), 1u) << pair.first;
}

TEST_P(KeyspaceAnyContract, ARandomKeyIsOneOfThem) {
  EXPECT_EQ(run(key::RandomKey{}), "nil");
  set("a", "1");
  set("b", "2");
  std::set<std::string> drawn;
  for (int i = 0; i < 200 && drawn.size() < 2; ++i) drawn.insert(run(key::RandomKey{}));
  EXPECT_EQ(drawn, (std::set<std::string>{"'a'", "'b'"}));
}

// --- batches ---

TEST_P(KeyspaceAnyContract, CommandsOfABatchRunInOrderAndSeeEachOther) {
  EXPECT_EQ(batch({key::Set{"k", "1"}, key::Get{"k"}, key::Increment{"k"}, key::Get{"k"}, key::Delete{{"k"}}, key::Get{"k"},
                   key::Push{"k", ListEnd::left, {"a"}}, key::Pop{{"k"}}, key::Exists{{"k"}}}),
            (Texts{"OK", "'1'", ":2", "'2'", ":1", "nil", ":1", "'a'", ":0"}));
}

TEST_P(KeyspaceAnyContract, ARefusedCommandChangesNothingAndTheOthersGoOn) {
  set("text", "x");
  EXPECT_EQ(batch({key::Set{"a", "1"}, key::Push{"text", ListEnd::left, {"v"}}, key::Increment{"text"}, key::Set{"b", "2"}}),
            (Texts{"OK", kWrongTypeShown, "!value is not an integer or out of range", "OK"}));
  EXPECT_EQ(run(key::GetMany{{"a", "text", "b"}}), "['1' 'x' '2']");
}

TEST_P(KeyspaceAnyContract, AnEmptyBatchHasNoAnswers) { EXPECT_EQ(batch(std::vector<KeyCommand>{}), Texts{}); }

TEST_P(KeyspaceAnyContract, ALargeBatchIsAnsweredWhole) {
  std::vector<KeyCommand> commands;
  for (int i = 0; i < 2'000; ++i) {
    commands.push_back(key::Increment{fmt::format("n{}", i % 10)});
  }
  const Texts answers = batch(std::move(commands));
  ASSERT_EQ(answers.size(), 2'000u);
  EXPECT_EQ(answers.back(), ":200");
}

// --- spaces and namespaces ---

TEST_P(KeyspaceAnyContract, SpacesDoNotSeeEachOther) {
  set("k", "clients");
  batch(in_space(KeySpace::internal, {key::Push{"k", ListEnd::left, {"mine"}}}));
  EXPECT_EQ(get("k"), "'clients'");
  EXPECT_EQ(batch(in_space(KeySpace::internal, {key::ListRange{"k"}, key::Count{}, key::Names{}})),
            (Texts{"['mine']", ":1", "['' 'k']"}));
  EXPECT_EQ(run(key::Count{}), ":1");
}

TEST_P(KeyspaceAnyContract, NamespacesDoNotSeeEachOther) {
  must(client().create_namespace({.name = NamespaceName("other")}));
  set("k", "here");
  EXPECT_EQ(batch(in_namespace("other", {key::Get{"k"}, key::Set{"k", "there"}, key::Get{"k"}})),
            (Texts{"nil", "OK", "'there'"}));
  EXPECT_EQ(get("k"), "'here'");
}

TEST_P(KeyspaceAnyContract, AnUnknownNamespaceIsNotFound) {
  EXPECT_EQ(client().keyspace(in_namespace("nowhere", {key::Get{"k"}})).code(), Code::not_found);
  EXPECT_EQ(client().keyspace(in_namespace("nowhere", {key::Set{"k", "v"}})).code(), Code::not_found);
}

TEST_P(KeyspaceAnyContract, ADeletedNamespaceTakesItsKeysAlong) {
  must(client().create_namespace({.name = NamespaceName("other")}));
  batch(in_namespace("other", {key::Set{"k", "v"}, key::Push{"l", ListEnd::left, {"a"}}, key::HashSet{"h", {{"f", "v"}}},
                               key::ScoresAdd{.key = "z", .members = {{"m", 1}}}}));
  set("k", "stays");
  must(client().delete_namespace(NamespaceName("other")));
  EXPECT_EQ(client().keyspace(in_namespace("other", {key::Get{"k"}})).code(), Code::not_found);
  must(client().create_namespace({.name = NamespaceName("other")}));
  EXPECT_EQ(batch(in_namespace("other", {key::Count{}, key::Get{"k"}, key::ListRange{"l"}})), (Texts{":0", "nil", "[]"}));
  EXPECT_EQ(get("k"), "'stays'");
}

// --- notification ---

TEST_P(KeyspaceAnyContract, EveryWayToFillAListIsTold) {
  push("a", {"1", "2"});
  EXPECT_EQ(pushed(), Texts{"default/a"});
  recorder.forget();
  run(key::Move{"a", "b"});
  EXPECT_EQ(pushed(), Texts{"default/b"});
  recorder.forget();
  run(key::ListInsert{"a", true, "1", "0"});
  EXPECT_EQ(pushed(), Texts{"default/a"});
  recorder.forget();
  run(key::Rename{"a", "c"});
  EXPECT_EQ(pushed(), Texts{"default/c"});
}

TEST_P(KeyspaceAnyContract, WhatFillsNoListTellsNothing) {
  push("a", {"1"});
  set("t", "x");
  pushed();
  recorder.forget();
  pop("a");
  push("t", {"refused"});
  run(key::Push{.key = "none", .values = {"x"}, .only_if_exists = true});
  run(key::Move{"none", "b"});
  set("k", "v");
  hset("h", {{"f", "v"}});
  batch(in_space(KeySpace::internal, {key::Push{"mine", ListEnd::left, {"x"}}}));
  EXPECT_EQ(pushed(), Texts{});
}

TEST_P(KeyspaceAnyContract, APushInAnotherNamespaceNamesIt) {
  must(client().create_namespace({.name = NamespaceName("other")}));
  batch(in_namespace("other", {key::Push{"l", ListEnd::left, {"x"}}}));
  EXPECT_EQ(pushed(), Texts{"other/l"});
}

// --- glances ---

TEST_P(KeyspaceAnyContract, AGlanceNeverKnowsBetterThanARead) {
  // A store may know nothing; what it claims to know must be what a read would say after each acknowledged write.
  const auto agrees = [this](const std::string& key) {
    const std::string read = get(key);
    const KeyGlance glance = harness().store().glance(key);
    if (!glance.known) return true;
    return read == (glance.text ? fmt::format("'{}'", *glance.text) : "nil");
  };
  const std::vector<KeyCommand> commands{key::Get{"k"},
                                         key::Set{"k", "1"},
                                         key::Increment{"k", 5},
                                         key::Append{"k", "0"},
                                         key::SetRange{"k", 0, "7"},
                                         key::Rename{"k", "j"},
                                         key::Rename{"j", "k"},
                                         key::Delete{{"k"}},
                                         key::SetMany{{{"k", "2"}, {"j", "3"}}},
                                         key::Expire{"k", Instant(10s), true},
                                         key::Persist{"k"},
                                         key::GetExpire{.key = "k", .expires_at = Instant(5s), .relative = true},
                                         key::GetDelete{"j"},
                                         key::Set{.key = "k", .value = "4", .when = key::SetWhen::if_missing},
                                         key::Clear{},
                                         key::Set{.key = "k", .value = "5", .expires_at = Instant(10s), .relative = true}};
  for (std::size_t i = 0; i < commands.size(); ++i) {
    run(commands[i]);
    for (const std::string key : {"k", "j"}) EXPECT_TRUE(agrees(key)) << key << " after command " << i;
  }
  advance(10s);
  EXPECT_TRUE(agrees("k"));
  const KeyGlance after = harness().store().glance("k");
  EXPECT_TRUE(!after.known || !after.text);
  sweep(&Store::expire_keys);
  EXPECT_TRUE(agrees("k"));
  push("k", {"a list now"});
  EXPECT_FALSE(harness().store().glance("k").known);
}

TEST_P(KeyspaceAnyContract, AGlanceIsJudgedByItsSpaceAndNamespace) {
  must(client().create_namespace({.name = NamespaceName("other")}));
  set("k", "mine");
  get("k");
  batch(in_space(KeySpace::internal, {key::Set{"k", "internal"}, key::Get{"k"}}));
  batch(in_space(KeySpace::internal, {key::Get{"k"}}));
  batch(in_namespace("other", {key::Set{"k", "other"}}));
  batch(in_namespace("other", {key::Get{"k"}}));
  const KeyGlance glance = harness().store().glance("k");
  EXPECT_TRUE(!glance.known || (glance.text && *glance.text == "mine"));
}

// --- sweeps ---

TEST_P(KeyspaceAnyContract, TheSweepRemovesWhatExpired) {
  one_of_each();
  for (const std::string& key : kEach) expire(key, 1s);
  set_for("later", "v", 1h);
  set("always", "v");
  sweep_moves(&Store::expire_keys, 0);
  advance(1s);
  batch(in_space(KeySpace::internal, {key::Set{.key = "mine", .value = "v", .expires_at = Instant(1s), .relative = true}}));
  sweep_moves(&Store::expire_keys, 5);
  EXPECT_EQ(run(key::Count{}), ":2");
  advance(1s);
  sweep_moves(&Store::expire_keys, 1);
  advance(1h);
  sweep_moves(&Store::expire_keys, 1);
  EXPECT_EQ(names(""), Texts{"always"});
}

TEST_P(KeyspaceAnyContract, TheSweepSaysWhenItIsNeededNext) {
  const SweepReport none = must(client().sweep(&Store::expire_keys, kSweepLimit));
  EXPECT_FALSE(none.next_due);
  EXPECT_FALSE(none.more);
  set_for("a", "v", 10s);
  set_for("b", "v", 20s);
  const Instant start = now();
  EXPECT_EQ(must(client().sweep(&Store::expire_keys, kSweepLimit)).next_due, start + 10s);
  advance(10s);
  const SweepReport swept = must(client().sweep(&Store::expire_keys, kSweepLimit));
  EXPECT_EQ(swept.next_due, start + 20s);
  EXPECT_FALSE(swept.more);
}

TEST_P(KeyspaceAnyContract, TheSweepGoesInSteps) {
  for (int i = 0; i < 5; ++i) set_for(fmt::format("k{}", i), "v", 1s);
  advance(1s);
  const SweepReport first = must(client().sweep(&Store::expire_keys, 3));
  const bool in_doubt = client().in_doubt();
  EXPECT_TRUE(in_doubt || first.moved == 3u) << first.moved;
  EXPECT_TRUE(in_doubt || first.more);
  sweep(&Store::expire_keys);
  EXPECT_EQ(run(key::Count{}), ":0");
}

// --- durability ---

TEST_P(KeyspaceAnyContract, KeysOfEveryTypeSurviveARestartAndACrash) {
  one_of_each();
  expire("list", 1h);
  const std::string bytes("\0\xff", 2);
  set(bytes, bytes);
  for (int round = 0; round < 2; ++round) {
    if (round == 0)
      restart();
    else
      crash();
    EXPECT_EQ(get("text"), "'v'");
    EXPECT_EQ(list("list"), "['a' 'b']");
    EXPECT_EQ(hash("hash"), "['f' 'v']");
    EXPECT_EQ(members("set"), "['m']");
    EXPECT_EQ(scores("scores"), "['m' ,1]");
    EXPECT_EQ(time_left("list"), ":3600000");
    EXPECT_EQ(get(bytes), "'" + bytes + "'");
    EXPECT_EQ(run(key::Count{}), ":6");
  }
  EXPECT_EQ(push("list", {"c"}), ":3");
  EXPECT_EQ(list("list"), "['a' 'b' 'c']");
}

TEST_P(KeyspaceAnyContract, WhatWasDeletedStaysDeletedAfterACrash) {
  one_of_each();
  run(key::Delete{kEach});
  crash();
  EXPECT_EQ(run(key::Count{}), ":0");
  push("list", {"new"});
  EXPECT_EQ(list("list"), "['new']");
}

INSTANTIATE_TEST_SUITE_P(Stores, KeyspaceAnyContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
