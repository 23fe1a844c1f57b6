// Contract: a compaction takes messages away and puts others into their places; restoring it brings back exactly what was there.
#include "store/contract/agent_testing.h"

namespace muster::store::contract {
namespace {

class AgentCompactionContract : public AgentContract {
 protected:
  void SetUp() override {
    AgentContract::SetUp();
    agent_ = make_agent();
    session_ = make_session();
  }
  // A finished run that said these.
  void talk(const std::vector<std::string>& texts, int line = __builtin_LINE()) {
    end(say(start(session_, agent_, "p", line), texts, line).run, AgentRunState::completed, line);
  }
  // The messages with these numbers go, and a summary stands where the first of them was.
  Compaction compaction_of(const Numbers& numbers, int line = __builtin_LINE()) {
    Compaction out;
    out.event.id = fresh();
    out.event.session = session_.id;
    out.event.strategy = "hybrid";
    out.event.original_tokens = 1'000;
    out.event.compacted_tokens = 100;
    out.event.messages_removed = numbers.size();
    out.event.summary = kOddText;
    out.event.model = "claude-x";
    out.event.took = 1500ms;
    out.revision = must(client().get_session(kDefault, session_.id), line).revision;
    for (const AgentMessage& one : messages_of(session_, std::nullopt, line)) {
      const bool goes = std::find(numbers.begin(), numbers.end(), one.number) != numbers.end();
      (goes ? out.archived : out.event.preserved).push_back(one.id);
    }
    AgentMessage summary = said(MessageRole::user, "summary");
    summary.number = numbers.front();
    summary.summary = true;
    summary.created_at = now() - 1h;
    out.replacements = {summary};
    return out;
  }
  CompactionEvent compact(const Numbers& numbers, int line = __builtin_LINE()) {
    return must(client().compact_session(compaction_of(numbers, line)), line);
  }

  Agent agent_;
  AgentSession session_;
};

TEST_P(AgentCompactionContract, AReplacementStandsInThePlaceOfWhatIsGone) {
  talk({"1", "2", "3", "4", "5"});
  const std::vector<AgentMessage> before = messages_of(session_);
  const AgentSession old = session_now(session_);
  advance(1s);
  const Compaction given = compaction_of({2, 3, 4});
  const CompactionEvent made = must(client().compact_session(given));
  CompactionEvent expected = given.event;
  expected.created_at = now();
  EXPECT_EQ(made, expected);
  const std::vector<AgentMessage> after = messages_of(session_);
  ASSERT_EQ(numbers_of(after), (Numbers{1, 2, 5}));
  EXPECT_EQ(after[0], before[0]);
  EXPECT_EQ(after[2], before[4]);
  AgentMessage summary = given.replacements[0];
  summary.session = session_.id;
  EXPECT_EQ(after[1], summary);
  const AgentSession changed = session_now(session_);
  EXPECT_EQ(changed.compactions, old.compactions + 1);
  EXPECT_NE(changed.revision, old.revision);
  EXPECT_EQ(changed.updated_at, now());
  crash();
  EXPECT_EQ(messages_of(session_), after);
  EXPECT_EQ(must(client().list_compactions({.session = session_.id})).events, std::vector<CompactionEvent>{expected});
  EXPECT_EQ(client().compact_session(given).code(), Code::conflict) << "the session was another one then";
}

TEST_P(AgentCompactionContract, WhatIsRestoredIsInItsPlacesAgain) {
  talk({"1", "2", "3", "4", "5"});
  const std::vector<AgentMessage> before = messages_of(session_);
  Compaction given = compaction_of({1, 2, 4, 5});
  AgentMessage pruned = before[4];  // the same message, shorter
  pruned.blocks = "[]";
  given.replacements.push_back(pruned);
  const CompactionEvent made = must(client().compact_session(given));
  EXPECT_EQ(numbers_of(messages_of(session_)), (Numbers{1, 3, 5}));
  EXPECT_EQ(messages_of(session_)[2], pruned);
  crash();
  advance(1s);
  const AgentSession compacted = session_now(session_);
  const CompactionEvent restored = must(client().restore_session(session_.id, made.id));
  EXPECT_TRUE(restored.restored);
  EXPECT_EQ(messages_of(session_), before);
  EXPECT_NE(session_now(session_).revision, compacted.revision);
  EXPECT_EQ(session_now(session_).updated_at, now());
  EXPECT_TRUE(must(client().list_compactions({.session = session_.id})).events.at(0).restored);
  EXPECT_EQ(client().restore_session(session_.id, made.id).code(), Code::conflict) << "once";
  crash();
  EXPECT_EQ(messages_of(session_), before);
  compact({1, 2});
  EXPECT_EQ(numbers_of(messages_of(session_)), (Numbers{1, 3, 4, 5}));
}

TEST_P(AgentCompactionContract, WhatIsSaidLaterStaysWhereItIs) {
  talk({"1", "2", "3"});
  Compaction all = compaction_of({1, 2, 3});
  all.replacements.clear();  // nothing is left, and no number comes again
  const CompactionEvent made = must(client().compact_session(all));
  EXPECT_TRUE(messages_of(session_).empty());
  talk({"4"});
  EXPECT_EQ(numbers_of(messages_of(session_)), Numbers{4});
  must(client().restore_session(session_.id, made.id));
  EXPECT_EQ(numbers_of(messages_of(session_)), (Numbers{1, 2, 3, 4}));
}

TEST_P(AgentCompactionContract, OfSeveralTheLastIsRestoredFirst) {
  talk({"1", "2", "3", "4"});
  const std::vector<AgentMessage> before = messages_of(session_);
  const CompactionEvent first = compact({1, 2});
  const std::vector<AgentMessage> between = messages_of(session_);
  advance(1s);
  const CompactionEvent second = compact({1, 3});  // the first one's summary among them
  EXPECT_EQ(numbers_of(messages_of(session_)), (Numbers{1, 4}));
  const CompactionPage listed = must(client().list_compactions({.session = session_.id}));
  ASSERT_EQ(listed.events.size(), 2u);
  EXPECT_EQ(listed.events[0].id, second.id) << "newest first";
  EXPECT_EQ(client().restore_session(session_.id, first.id).code(), Code::conflict);
  must(client().restore_session(session_.id, second.id));
  EXPECT_EQ(messages_of(session_), between);
  must(client().restore_session(session_.id, first.id));
  EXPECT_EQ(messages_of(session_), before);
}

TEST_P(AgentCompactionContract, TheyAreListedPageByPage) {
  talk({"1", "2", "3", "4"});
  std::vector<Uuid> made;
  for (int i = 0; i < 5; ++i) made.insert(made.begin(), compact({1, 2 + static_cast<std::uint64_t>(i % 3)}).id);
  std::vector<Uuid> seen;
  CompactionQuery query{.session = session_.id, .limit = 2};
  std::vector<std::size_t> sizes;
  do {
    const CompactionPage page = must(client().list_compactions(query));
    for (const CompactionEvent& one : page.events) seen.push_back(one.id);
    sizes.push_back(page.events.size());
    query.cursor = page.next;
  } while (!query.cursor.empty() && sizes.size() < 10);
  EXPECT_EQ(seen, made) << "newest first, each once";
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 2, 1}));
  query.cursor = "x";
  EXPECT_EQ(client().list_compactions(query).code(), Code::invalid_argument);
}

TEST_P(AgentCompactionContract, ASessionAtWorkIsLeftAlone) {
  talk({"1", "2", "3"});
  const CompactionEvent made = compact({1, 2});
  const AgentRun run = start(session_, agent_);
  const std::vector<AgentMessage> before = messages_of(session_);
  EXPECT_EQ(client().compact_session(compaction_of({3})).code(), Code::conflict);
  EXPECT_EQ(client().restore_session(session_.id, made.id).code(), Code::conflict);
  EXPECT_EQ(messages_of(session_), before);
  end(run);
  must(client().restore_session(session_.id, made.id));
}

TEST_P(AgentCompactionContract, ACompactionOfWhatChangedMeanwhileIsRefused) {
  talk({"1", "2"});
  const Compaction stale = compaction_of({1, 2});
  talk({"3"});
  EXPECT_EQ(client().compact_session(stale).code(), Code::conflict);
  const std::vector<AgentMessage> before = messages_of(session_);
  const auto refused = [&](Code code, auto spoil, int line = __builtin_LINE()) {
    Compaction one = compaction_of({1, 2});
    spoil(one);
    EXPECT_EQ(client().compact_session(one).code(), code) << "line " << line;
    EXPECT_EQ(messages_of(session_), before) << "line " << line;
  };
  refused(Code::not_found, [&](Compaction& c) { c.archived.push_back(MessageId{fresh()}); });
  refused(Code::not_found, [&](Compaction& c) { c.event.session = AgentSessionId{fresh()}; });
  refused(Code::invalid_argument, [](Compaction& c) { c.replacements[0].number = 3; });
  refused(Code::invalid_argument, [](Compaction& c) { c.replacements.push_back(c.replacements[0]); });
  refused(Code::invalid_argument, [](Compaction& c) { c.archived.push_back(c.archived[0]); });
  refused(Code::already_exists, [&](Compaction& c) { c.replacements[0].id = before[2].id; });
  EXPECT_TRUE(must(client().list_compactions({.session = session_.id})).events.empty());
  EXPECT_EQ(session_now(session_).compactions, 0u);
  EXPECT_EQ(client().restore_session(session_.id, fresh()).code(), Code::not_found);
  EXPECT_EQ(client().restore_session(AgentSessionId{fresh()}, fresh()).code(), Code::not_found);
}

TEST_P(AgentCompactionContract, GoesWithItsSession) {
  talk({"1", "2"});
  const CompactionEvent made = compact({1, 2});
  must(client().delete_session(kDefault, session_.id));
  EXPECT_EQ(client().list_compactions({.session = session_.id}).code(), Code::not_found);
  AgentSession again = a_session();
  again.id = session_.id;
  must(client().create_session({again}));
  EXPECT_EQ(client().restore_session(session_.id, made.id).code(), Code::not_found);
  EXPECT_TRUE(must(client().list_compactions({.session = session_.id})).events.empty());
}

INSTANTIATE_TEST_SUITE_P(Stores, AgentCompactionContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
