// Contract: a run and the job that carries it out are started together; root runs of a session take turns.
#include "store/contract/agent_testing.h"

namespace muster::store::contract {
namespace {

class AgentRunContract : public AgentContract {
 protected:
  std::vector<JobId> listed(AgentRunQuery query, int line = __builtin_LINE()) {
    std::vector<JobId> out;
    for (const AgentRun& one : must(client().list_agent_runs(std::move(query)), line).runs) out.push_back(one.id);
    return out;
  }
  void complete_job(JobId id, int line = __builtin_LINE()) {
    const Grant grant = take_one("w1", line);
    if (grant.id != id) throw std::runtime_error(fmt::format("line {}: another job was waiting", line));
    must(complete(grant), line);
  }
};

using Jobs = std::vector<JobId>;

TEST_P(AgentRunContract, ARunAndItsJobAreStartedTogether) {
  const Agent agent = make_agent();
  const AgentSession session = make_session();
  advance(1s);
  AgentRunStart given = a_start(session, agent, std::string(1024 * 1024, 'q') + kOddText);
  given.run.mode = RunMode::streaming;
  given.run.created_by = "node-1";
  given.run.variables = R"({"x": 1})";
  given.run.budget = {.tokens_per_run = 9, .microdollars_per_run = 8};
  const AgentRunStarted started = must(client().start_agent_run(given));
  EXPECT_FALSE(started.existed);
  AgentRun expected = given.run;
  expected.id = started.run.id;
  expected.created_at = now();
  expected.revision = started.run.revision;
  EXPECT_EQ(started.run, expected);
  EXPECT_GT(started.run.revision, 0u);
  EXPECT_EQ(job(started.run.id).spec.type, JobType("agent.run"));
  EXPECT_EQ(state(started.run.id), JobState::ready);
  EXPECT_EQ(session_now(session).updated_at, now());
  crash();
  EXPECT_EQ(run_now(started.run), expected);
  EXPECT_EQ(state(started.run.id), JobState::ready);
  join_runtime();
  EXPECT_EQ(take_one().id, started.run.id);
}

TEST_P(AgentRunContract, WithoutAgentOrSessionNothingIsStarted) {
  const Agent agent = make_agent();
  const AgentSession session = make_session();
  AgentRunStart none = a_start(session, agent);
  none.run.agent = AgentId{fresh()};
  EXPECT_EQ(client().start_agent_run(none).code(), Code::not_found);
  none = a_start(session, agent);
  none.run.session = AgentSessionId{fresh()};
  EXPECT_EQ(client().start_agent_run(none).code(), Code::not_found);
  none = a_start(session, agent);
  none.run.ns = NamespaceName("nowhere");
  EXPECT_EQ(client().start_agent_run(none).code(), Code::not_found);
  must(client().create_namespace({.name = NamespaceName("team")}));
  none.run.ns = NamespaceName("team");
  EXPECT_EQ(client().start_agent_run(none).code(), Code::not_found) << "neither is of that namespace";
  none = a_start(session, agent);
  none.job.after = {JobId{{1, 2}}};
  EXPECT_EQ(client().start_agent_run(none).code(), Code::not_found);
  must(client().update_namespace({.name = kDefault, .enabled = false}));
  EXPECT_EQ(client().start_agent_run(a_start(session, agent)).code(), Code::conflict);
  EXPECT_TRUE(list_all({}).empty());
  EXPECT_TRUE(listed({.ns = kDefault}).empty());
}

TEST_P(AgentRunContract, WhatIsNotThereIsNotFound) {
  const JobId plain = add();
  for (const JobId id : {JobId{{1, 2}}, plain}) {
    EXPECT_EQ(client().get_agent_run(id).code(), Code::not_found);
    EXPECT_EQ(client().view_agent_run(id).code(), Code::not_found);
    EXPECT_EQ(client().list_iterations({id}).code(), Code::not_found);
    AgentRun run;
    run.id = id;
    EXPECT_EQ(client().write_agent_run({run}).code(), Code::not_found);
  }
  EXPECT_EQ(client().list_agent_runs({.ns = NamespaceName("nowhere")}).code(), Code::not_found);
  EXPECT_EQ(client().list_executions({.ns = NamespaceName("nowhere")}).code(), Code::not_found);
  EXPECT_EQ(client().get_spending({.ns = NamespaceName("nowhere"), .day = now()}).code(), Code::not_found);
}

TEST_P(AgentRunContract, AnIdempotencyKeyFindsTheRunThatWasStarted) {
  const Agent agent = make_agent();
  const AgentSession session = make_session();
  AgentRunStart given = a_start(session, agent);
  given.job.idempotency_key = "once";
  const AgentRunStarted first = must(client().start_agent_run(given));
  EXPECT_FALSE(first.existed);
  given.run.prompt = "another";
  const AgentRunStarted again = must(client().start_agent_run(given));
  EXPECT_TRUE(again.existed);
  EXPECT_EQ(again.run, first.run);
  EXPECT_EQ(list_all({}).size(), 1u);
  add([](JobSpec& j) { j.idempotency_key = "a plain job's"; });
  given.job.idempotency_key = "a plain job's";
  EXPECT_EQ(client().start_agent_run(given).code(), Code::conflict);
  EXPECT_EQ(listed({.ns = kDefault}).size(), 1u);
}

TEST_P(AgentRunContract, ARunWaitsForTheOneBeforeIt) {
  join_runtime();
  const Agent agent = make_agent();
  const AgentSession session = make_session();
  const AgentRun first = start(session, agent);
  const AgentRun second = start(session, agent);
  EXPECT_EQ(state(second.id), JobState::scheduled);
  const Grant grant = take_one();
  EXPECT_EQ(grant.id, first.id);
  EXPECT_TRUE(idle());
  EXPECT_EQ(must(client().explain(second.id)).waiting_for, Jobs{first.id});
  crash();
  EXPECT_TRUE(idle());
  end(first);
  EXPECT_TRUE(idle()) << "its job is not finished yet";
  must(complete(grant));
  EXPECT_EQ(take_one().id, second.id);
}

TEST_P(AgentRunContract, ARunGoesOnWhateverBecameOfTheOneBeforeIt) {
  join_runtime();
  const Agent agent = make_agent();
  const AgentSession session = make_session();
  start(session, agent);
  const AgentRun second = start(session, agent);
  const AgentRun third = start(session, agent);
  must(fail_for_good(take_one()));
  EXPECT_EQ(state(second.id), JobState::ready);
  must(cancel(second.id));
  EXPECT_EQ(take_one().id, third.id);
}

// The last one may be cancelled while it waits itself: that lets nobody past the one that works.
TEST_P(AgentRunContract, ARunWaitsForEveryOneBeforeIt) {
  join_runtime();
  const Agent agent = make_agent();
  const AgentSession session = make_session();
  const AgentRun first = start(session, agent);
  const AgentRun second = start(session, agent);
  const AgentRun third = start(session, agent);
  const Grant grant = take_one();
  EXPECT_EQ(grant.id, first.id);
  must(cancel(second.id));
  EXPECT_EQ(state(third.id), JobState::scheduled);
  EXPECT_TRUE(idle());
  const AgentRun fourth = start(session, agent);  // the second's row is not final, but its job is
  EXPECT_TRUE(idle());
  must(complete(grant));
  const Grant next = take_one();
  EXPECT_EQ(next.id, third.id);
  EXPECT_TRUE(idle());
  must(complete(next));
  EXPECT_EQ(take_one().id, fourth.id);
}

TEST_P(AgentRunContract, OnlyRootRunsOfOneSessionTakeTurns) {
  const Agent agent = make_agent();
  const AgentSession session = make_session();
  const AgentRun root = start(session, agent);
  const AgentRun child = start_child(root, agent);
  const AgentRun elsewhere = start(make_session(), agent);
  const AgentRun below = start(make_below(session), agent);
  for (const AgentRun& run : {root, child, elsewhere, below}) EXPECT_EQ(state(run.id), JobState::ready);
  end(root);
  EXPECT_EQ(state(start(session, agent).id), JobState::ready) << "a child is not waited for, nor a run that is final";
}

TEST_P(AgentRunContract, TheDepthOfARunSaysWhetherItHasAParent) {
  const Agent agent = make_agent();
  const AgentSession session = make_session();
  AgentRunStart orphan = a_start(session, agent);
  orphan.run.depth = 1;
  EXPECT_EQ(client().start_agent_run(orphan).code(), Code::invalid_argument);
  AgentRunStart flat = a_child(start(session, agent), agent);
  flat.run.depth = 0;
  EXPECT_EQ(client().start_agent_run(flat).code(), Code::invalid_argument);
  AgentRunStart ended = a_start(session, agent);
  ended.run.state = AgentRunState::completed;
  EXPECT_EQ(client().start_agent_run(ended).code(), Code::invalid_argument);
  EXPECT_EQ(list_all({}).size(), 1u);
}

TEST_P(AgentRunContract, AreListedNewestFirstInPages) {
  const Agent coder = make_agent("coder");
  const Agent critic = make_agent("critic");
  const AgentSession a = make_session();
  const AgentSession b = make_session();
  const AgentRun r0 = start(a, coder);
  const AgentRun r1 = start(b, critic);
  AgentRunStart streaming = a_start(a, critic);
  streaming.run.mode = RunMode::streaming;
  const AgentRun r2 = must(client().start_agent_run(streaming)).run;
  const AgentRun r3 = start_child(r0, critic);
  const AgentRun r4 = end(start(b, coder));
  Jobs seen;
  AgentRunQuery query{.ns = kDefault, .limit = 2};
  for (int page = 0; page < 3; ++page) {
    const AgentRunPage found = must(client().list_agent_runs(query));
    for (const AgentRun& one : found.runs) seen.push_back(one.id);
    EXPECT_EQ(found.next.empty(), page == 2);
    query.cursor = found.next;
    if (page == 0) start(b, coder);  // newer than the cursor
  }
  EXPECT_EQ(seen, (Jobs{r4.id, r3.id, r2.id, r1.id, r0.id}));
  EXPECT_EQ(listed({.ns = kDefault, .session = a.id}), (Jobs{r3.id, r2.id, r0.id}));
  EXPECT_EQ(listed({.ns = kDefault, .agent = critic.id}), (Jobs{r3.id, r2.id, r1.id}));
  EXPECT_EQ(listed({.ns = kDefault, .parent = r0.id}), Jobs{r3.id});
  EXPECT_EQ(listed({.ns = kDefault, .state = AgentRunState::completed}), Jobs{r4.id});
  EXPECT_EQ(listed({.ns = kDefault, .mode = RunMode::streaming}), Jobs{r2.id});
  EXPECT_EQ(listed({.ns = kDefault, .session = b.id, .unfinished = true}).size(), 2u);
  EXPECT_EQ(listed({.ns = {}, .session = a.id, .agent = coder.id}), Jobs{r0.id});
  EXPECT_EQ(listed({.ns = kDefault, .session = b.id, .parent = r0.id}), Jobs{});
  EXPECT_EQ(client().list_agent_runs({.ns = kDefault, .cursor = "nonsense"}).code(), Code::invalid_argument);
}

TEST_P(AgentRunContract, AViewIsEverythingThatWhoeverGoesOnMustKnow) {
  const Agent agent = make_agent();
  const AgentSession session = make_session(R"({"m":1})");
  const AgentRun run = start(session, agent);
  const AgentRunView fresh_view = must(client().view_agent_run(run.id));
  EXPECT_EQ(fresh_view.run, run);
  EXPECT_EQ(fresh_view.agent, agent);
  EXPECT_EQ(fresh_view.session, session_now(session));
  EXPECT_FALSE(fresh_view.iteration);
  EXPECT_TRUE(fresh_view.executions.empty());

  const Iteration first = an_iteration(1);
  AgentRunWrite one = with_iteration(run, first);
  one.executions = {{an_execution(first)}};
  const AgentRunWritten before = write(std::move(one));
  const Iteration second = an_iteration(2);
  AgentRunWrite two = with_iteration(before.run, second);
  two.executions = {{an_execution(second, 1)}, {an_execution(second, 0)}};
  const AgentRunWritten written = write(std::move(two));
  const AgentRunView view = must(client().view_agent_run(run.id));
  EXPECT_EQ(view.run, written.run);
  ASSERT_TRUE(view.iteration);
  EXPECT_EQ(view.iteration->id, second.id);
  ASSERT_EQ(view.executions.size(), 2u) << "those of the current iteration";
  EXPECT_EQ(view.executions[0], written.executions[1]) << "by place";
  EXPECT_EQ(view.executions[1], written.executions[0]);
}

TEST_P(AgentRunContract, ARunOutlivesItsJob) {
  join_runtime();
  const Agent agent = make_agent();
  const AgentSession session = make_session();
  const AgentRun run = end(say(start(session, agent), {"x"}).run);
  complete_job(run.id);
  const AgentRun stuck = start(session, agent);  // whoever worked on it never wrote its end
  must(fail_for_good(take_one()));
  advance(24h * 60);
  must(client().prune_finished(Retention{}, kSweepLimit));
  ASSERT_EQ(client().get_job(run.id).code(), Code::not_found);
  ASSERT_EQ(client().get_job(stuck.id).code(), Code::not_found);
  EXPECT_EQ(run_now(run), run);
  EXPECT_EQ(must(client().view_agent_run(stuck.id)).run, stuck);
  EXPECT_EQ(messages_of(session, run.id).size(), 1u);
  EXPECT_EQ(listed({.ns = kDefault, .session = session.id}), (Jobs{stuck.id, run.id}));
  const AgentRun next = start(session, agent);
  EXPECT_EQ(state(next.id), JobState::ready) << "a job that is gone is not waited for";
  const AgentRun ended = end(stuck, AgentRunState::failed);
  crash();
  EXPECT_EQ(run_now(stuck), ended);
}

TEST_P(AgentRunContract, ANamespaceWithUnfinishedRunsStays) {
  const NamespaceName team("team");
  must(client().create_namespace({.name = team}));
  Agent agent = an_agent();
  AgentSession session = a_session();
  agent.spec.ns = session.ns = team;
  agent = must(client().put_agent({agent}));
  session = must(client().create_session({session}));
  const AgentRun run = start(session, agent);
  must(cancel(run.id));
  advance(24h * 60);
  must(client().prune_finished(Retention{}, kSweepLimit));
  ASSERT_EQ(client().get_job(run.id).code(), Code::not_found);
  EXPECT_EQ(client().delete_namespace(team).code(), Code::conflict);
  end(run, AgentRunState::cancelled);
  must(client().delete_namespace(team));
  EXPECT_EQ(client().get_agent_run(run.id).code(), Code::not_found);
}

INSTANTIATE_TEST_SUITE_P(Stores, AgentRunContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
