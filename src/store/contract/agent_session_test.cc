// Contract: sessions hold messages in one strict order; a fork copies, a delete takes everything below along.
#include "store/contract/agent_testing.h"

namespace muster::store::contract {
namespace {

class AgentSessionContract : public AgentContract {
 protected:
  static std::vector<AgentSessionId> ids(const SessionPage& page) {
    std::vector<AgentSessionId> out;
    for (const AgentSession& one : page.sessions) out.push_back(one.id);
    return out;
  }
};

using Ids = std::vector<AgentSessionId>;

TEST_P(AgentSessionContract, ANewOneIsThereAsItWasGiven) {
  AgentSession given = a_session(R"({"user": "\"x\""})");
  given.variables = R"({"note":"ä 🦊"})";
  given.depth = 9;
  const AgentSession made = must(client().create_session({given}));
  EXPECT_EQ(made.id, given.id);
  EXPECT_EQ(made.metadata, given.metadata);
  EXPECT_EQ(made.variables, given.variables);
  EXPECT_EQ(made.depth, 0u) << "nobody is above it";
  EXPECT_EQ(made.created_at, now());
  EXPECT_EQ(made.updated_at, now());
  EXPECT_GT(made.revision, 0u);
  restart();
  crash();
  EXPECT_EQ(session_now(made), made);
  EXPECT_EQ(client().create_session({given}).code(), Code::already_exists);
  EXPECT_TRUE(messages_of(made).empty());
}

TEST_P(AgentSessionContract, AreAsDeepAsTheirParentAndOne) {
  AgentSession at = make_session();
  for (std::uint32_t depth = 1; depth <= limits::kSessionDepthMax; ++depth) {
    at = make_below(at);
    EXPECT_EQ(at.depth, depth);
  }
  AgentSession deeper = a_session();
  deeper.parent = at.id;
  EXPECT_EQ(client().create_session({deeper}).code(), Code::exhausted);
  EXPECT_EQ(client().get_session(kDefault, deeper.id).code(), Code::not_found);
}

TEST_P(AgentSessionContract, WhatIsNotThereIsNotFound) {
  const AgentSessionId none{fresh()};
  EXPECT_EQ(client().get_session(kDefault, none).code(), Code::not_found);
  EXPECT_EQ(client().delete_session(kDefault, none).code(), Code::not_found);
  EXPECT_EQ(client().list_messages({.session = none}).code(), Code::not_found);
  EXPECT_EQ(client().list_compactions({.session = none}).code(), Code::not_found);
  AgentSession orphan = a_session();
  EXPECT_EQ(client().update_session(orphan).code(), Code::not_found);
  orphan.parent = none;
  EXPECT_EQ(client().create_session({orphan}).code(), Code::not_found);
  EXPECT_EQ(client().create_session({.session = a_session(), .fork = SessionFork{none, 1}}).code(), Code::not_found);
  AgentSession lost = a_session();
  lost.ns = NamespaceName("nowhere");
  EXPECT_EQ(client().create_session({lost}).code(), Code::not_found);
  EXPECT_EQ(client().list_sessions({.ns = NamespaceName("nowhere")}).code(), Code::not_found);
  must(client().create_namespace({.name = NamespaceName("team")}));
  const AgentSession here = make_session();
  EXPECT_EQ(client().get_session(NamespaceName("team"), here.id).code(), Code::not_found) << "it is another namespace's";
  AgentSession across = a_session();
  across.ns = NamespaceName("team");
  across.parent = here.id;
  EXPECT_EQ(client().create_session({across}).code(), Code::not_found);
  across.parent.reset();
  EXPECT_EQ(client().create_session({.session = across, .fork = SessionFork{here.id, 1}}).code(), Code::not_found);
}

TEST_P(AgentSessionContract, AnUpdateReplacesWhatWasReadAndNothingNewer) {
  const AgentSession made = make_session(R"({"a":1})");
  advance(1s);
  AgentSession changed = made;
  changed.metadata = R"({"a":2})";
  changed.variables = R"({"v":1})";
  changed.created_at = now();
  changed.depth = 5;
  changed.compactions = 7;
  const AgentSession after = must(client().update_session(changed));
  EXPECT_GT(after.revision, made.revision);
  EXPECT_EQ(after.metadata, changed.metadata);
  EXPECT_EQ(after.variables, changed.variables);
  EXPECT_EQ(after.created_at, made.created_at);
  EXPECT_EQ(after.updated_at, now());
  EXPECT_EQ(after.depth, 0u);
  EXPECT_EQ(after.compactions, 0u);
  EXPECT_EQ(session_now(made), after);
  changed.metadata = "{}";
  EXPECT_EQ(client().update_session(changed).code(), Code::conflict);
  EXPECT_EQ(session_now(made), after);
}

TEST_P(AgentSessionContract, AreListedNewestFirstInPages) {
  Ids made;
  for (int i = 0; i < 5; ++i) made.push_back(make_session(i % 2 == 0 ? R"({"kind":"even"})" : R"({"kind":"odd","n":1})").id);
  const AgentSession parent = session_now({.id = made[0], .ns = kDefault});
  const Ids below{make_below(parent).id, make_below(parent).id};
  Ids seen;
  SessionQuery query{.ns = kDefault, .limit = 3};
  for (int page = 0; page < 3; ++page) {
    const SessionPage found = must(client().list_sessions(query));
    EXPECT_EQ(found.total, page == 0 ? 7u : 8u);
    for (const AgentSessionId& id : ids(found)) seen.push_back(id);
    EXPECT_EQ(found.next.empty(), page == 2);
    query.cursor = found.next;
    if (page == 0) make_session();  // newer than the cursor: not on the pages behind it
  }
  EXPECT_EQ(seen, (Ids{below[1], below[0], made[4], made[3], made[2], made[1], made[0]}));
  const auto found = [&](SessionQuery q) {
    const SessionPage page = must(client().list_sessions(q));
    EXPECT_EQ(page.total, page.sessions.size());
    return ids(page);
  };
  EXPECT_EQ(found({.ns = kDefault, .metadata = R"({"kind":"odd"})"}), (Ids{made[3], made[1]}));
  EXPECT_EQ(found({.ns = kDefault, .metadata = R"({"kind":"even"})", .parent = parent.id}), Ids{});
  EXPECT_EQ(found({.ns = kDefault, .parent = parent.id}), (Ids{below[1], below[0]}));
  EXPECT_EQ(found({.ns = {}, .parent = parent.id}), (Ids{below[1], below[0]}));
  EXPECT_EQ(client().list_sessions({.ns = kDefault, .cursor = "nonsense"}).code(), Code::invalid_argument);
}

TEST_P(AgentSessionContract, AForkBeginsWithCopiesUpToAMessage) {
  const Agent agent = make_agent();
  const AgentSession source = make_session(R"({"of":"source"})");
  AgentRun run = start(source, agent);
  run = say(run, {"one", "two"}).run;
  const AgentRun child = start_child(run, agent);
  say(child, {"deeper"});
  const AgentRunWritten last = say(run, {"three", "four"});
  const std::vector<AgentMessage> before = messages_of(source);
  ASSERT_EQ(before.size(), 5u);
  advance(1s);
  const AgentSession fork =
      must(client().create_session({.session = a_session(), .fork = SessionFork{source.id, last.messages[0]}}));
  EXPECT_EQ(fork.metadata, "{}") << "its own, not the source's";
  const std::vector<AgentMessage> copies = messages_of(fork);
  ASSERT_EQ(copies.size(), 3u);
  EXPECT_EQ(numbers_of(copies), (Numbers{1, 2, 3}));
  const std::vector<AgentMessage> originals{before[0], before[1], before[3]};
  for (std::size_t i = 0; i < copies.size(); ++i) {
    EXPECT_EQ(copies[i].blocks, originals[i].blocks);
    EXPECT_EQ(copies[i].role, originals[i].role);
    EXPECT_EQ(copies[i].created_at, originals[i].created_at);
    EXPECT_NE(copies[i].id, originals[i].id);
    EXPECT_EQ(copies[i].session, fork.id);
    EXPECT_FALSE(copies[i].run) << "that run is not one of this session";
    EXPECT_EQ(copies[i].run_depth, 0u);
  }
  EXPECT_EQ(messages_of(source), before);
  // What is said in one of them is not heard in the other.
  const AgentRun second = start(fork, agent);
  EXPECT_EQ(say(second, {"more"}).messages, Numbers{4});
  EXPECT_EQ(messages_of(fork, second.id).size(), 4u);
  EXPECT_EQ(messages_of(source).size(), 5u);
  crash();
  EXPECT_EQ(messages_of(fork).size(), 4u);
}

TEST_P(AgentSessionContract, ADeletedOneTakesEverythingBelowAlong) {
  const Agent agent = make_agent();
  const AgentSession top = make_session();
  const AgentSession below = make_below(make_below(top));
  const AgentSession other = make_session();
  const Uuid blob = fresh();
  AgentRun run = start(below, agent);
  const Iteration iteration = an_iteration();
  const ToolExecution execution = an_execution(iteration);
  AgentRunWrite all = with_iteration(run, iteration);
  all.messages = {said(MessageRole::user, "x"), said(MessageRole::assistant, "y")};
  all.executions = {{execution}};
  all.blobs = {{blob, "whole"}};
  all.spent = {{.input = 5}, 5};
  run = write(std::move(all)).run;
  say(start(other, agent), {"kept"});
  EXPECT_EQ(client().delete_session(kDefault, below.id).code(), Code::conflict) << "its run is unfinished";
  EXPECT_EQ(client().delete_session(kDefault, top.id).code(), Code::conflict) << "so is one below it";
  EXPECT_EQ(messages_of(below).size(), 2u);
  run = end(run);
  const AgentSession as_it_was = session_now(top);
  EXPECT_EQ(must(client().delete_session(kDefault, top.id)), as_it_was);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(must(client().list_sessions({.ns = kDefault})).total, 1u);
    EXPECT_EQ(client().get_session(kDefault, below.id).code(), Code::not_found);
    EXPECT_EQ(client().get_agent_run(run.id).code(), Code::not_found);
    EXPECT_EQ(client().view_agent_run(run.id).code(), Code::not_found);
    EXPECT_EQ(client().list_iterations({run.id}).code(), Code::not_found);
    EXPECT_TRUE(must(client().list_executions({.ns = kDefault})).executions.empty());
    EXPECT_EQ(client().list_messages({.session = below.id}).code(), Code::not_found);
    EXPECT_EQ(client().get_blob(blob).code(), Code::not_found);
    EXPECT_EQ(messages_of(other).size(), 1u);
    crash();
  }
  EXPECT_EQ(must(client().get_spending({.ns = kDefault, .session = below.id, .agent = agent.id, .day = now()})).session,
            Spending());
  EXPECT_EQ(must(client().get_spending({.ns = kDefault, .agent = agent.id, .day = now()})).agent_today.usage.input, 5u);
  // The very same ids may come again.
  AgentSession again = a_session();
  again.id = below.id;
  EXPECT_TRUE(messages_of(must(client().create_session({again}))).empty());
}

// More than one commit deletes, of every kind.
TEST_P(AgentSessionContract, ADeletedOneMayBeLong) {
  const Agent agent = make_agent();
  const AgentSession top = make_session();
  const AgentSession below = make_below(top);
  const AgentSession other = make_session();
  AgentRun kept = start(other, agent);
  kept = say(kept, {"kept"}).run;
  constexpr std::size_t kMany = kSessionDeleteRowsMax + 20;
  std::vector<AgentRun> runs;
  std::vector<Uuid> blobs;
  for (const AgentSession& session : {top, below}) {
    const Iteration iteration = an_iteration();
    AgentRunWrite all = with_iteration(start(session, agent), iteration);
    for (std::size_t i = 0; i < kMany; ++i) {
      all.messages.push_back(said(MessageRole::user, std::to_string(i)));
      ToolExecution execution = an_execution(iteration, static_cast<std::uint32_t>(i));
      execution.state = ToolExecutionState::completed;
      execution.completed_at = now();
      all.executions.push_back({execution});
    }
    blobs.push_back(fresh());
    all.blobs = {{blobs.back(), "whole"}};
    AgentRun run = write(std::move(all)).run;
    const AgentRun child = end(start_child(run, agent));
    runs.push_back(end(run));
    runs.push_back(child);
    Compaction compaction;
    compaction.event.id = fresh();
    compaction.event.session = session.id;
    compaction.event.strategy = "hybrid";
    compaction.revision = session_now(session).revision;
    const std::vector<AgentMessage> messages = messages_of(session);
    for (std::size_t i = 0; i + 5 < messages.size(); ++i) compaction.archived.push_back(messages[i].id);
    must(client().compact_session(compaction));
  }
  const AgentSession as_it_was = session_now(top);
  EXPECT_EQ(must(client().delete_session(kDefault, top.id)), as_it_was);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(must(client().list_sessions({.ns = kDefault})).total, 1u);
    for (const AgentSession& gone : {top, below}) EXPECT_EQ(client().get_session(kDefault, gone.id).code(), Code::not_found);
    for (const AgentRun& gone : runs) EXPECT_EQ(client().get_agent_run(gone.id).code(), Code::not_found);
    for (const Uuid& gone : blobs) EXPECT_EQ(client().get_blob(gone).code(), Code::not_found);
    EXPECT_TRUE(must(client().list_executions({.ns = kDefault})).executions.empty());
    EXPECT_EQ(messages_of(other).size(), 1u);
    EXPECT_EQ(run_now(kept), kept);
    crash();
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, AgentSessionContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
