// AgentPG's channels, as its programs hear them. The numbers are those of its conformance cases.
#include <thread>

#include "store/postgres/agentpg_testing.h"
#include "store/postgres/statements.h"

namespace muster::store::postgres {
namespace {

using Words = std::vector<std::string>;

class AgentpgChannels : public AgentpgTest {
 protected:
  AgentpgChannels() : AgentpgTest(2) {}
  static Words keys_of(const Told& one) {
    Words out;
    for (const auto& member : one.payload.items()) out.push_back(member.key());
    return out;
  }
};

// Case 1.
TEST_F(AgentpgChannels, AStartedRunIsTold) {
  const Agent agent = make_agent();
  const AgentSession session = make_session();
  told();
  const AgentRun run = start(session, agent);
  const std::vector<Told> heard = told();
  ASSERT_EQ(heard.size(), 1u) << "and no run_state";
  EXPECT_EQ(heard[0].channel, "run_created");
  EXPECT_EQ(keys_of(heard[0]), (Words{"agent_id", "agent_name", "depth", "parent_run_id", "run_id", "run_mode", "session_id"}));
  EXPECT_EQ(heard[0].text("run_id"), run.id.text());
  EXPECT_EQ(heard[0].text("session_id"), session.id.text());
  EXPECT_EQ(heard[0].text("agent_id"), agent.id.text());
  EXPECT_EQ(heard[0].text("agent_name"), "coder");
  EXPECT_EQ(heard[0].text("run_mode"), "batch");
  EXPECT_EQ(heard[0].text("parent_run_id"), "null");
  EXPECT_EQ(heard[0].text("depth"), "0");
  EXPECT_EQ(shown("SELECT state || ' ' || depth FROM {agentpg}.agentpg_runs WHERE id = '" + run.id.text() + "'"), "pending 0");
}

// Case 2.
TEST_F(AgentpgChannels, ARunThatIsThereCompletedIsNotTold) {
  start(make_session(), make_agent());
  told();
  run(R"(INSERT INTO {schema}.agent_runs SELECT (jsonb_populate_record(r,
         '{"job": 999, "id": "00000000-0000-4000-8000-000000000001", "state": "completed", "finalized_at": 1}')).*
         FROM {schema}.agent_runs r)");
  EXPECT_EQ(channels_told(), Words());
}

// Case 14. Totals are those that were written.
TEST_F(AgentpgChannels, ToolsAreToldBeforeTheStateOfTheirRun) {
  AgentRun run = start(make_session(), make_agent());
  run.state = AgentRunState::streaming;
  run.usage = {10, 20, 30, 40};
  run = write({run}).run;
  told();
  const AgentRunWritten written = call_tools(run, {"lint", "test"});
  const std::vector<Told> heard = told();
  ASSERT_EQ(heard.size(), 3u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(heard[i].channel, "tool_pending");
    EXPECT_EQ(keys_of(heard[i]), (Words{"agent_id", "agent_name", "execution_id", "is_agent_tool", "run_id", "tool_name"}));
    EXPECT_EQ(heard[i].text("execution_id"), written.executions[i].id.text());
    EXPECT_EQ(heard[i].text("run_id"), run.id.text());
    EXPECT_EQ(heard[i].text("tool_name"), i == 0 ? "lint" : "test");
    EXPECT_EQ(heard[i].text("is_agent_tool"), "false");
  }
  EXPECT_EQ(heard[2].channel, "run_state");
  EXPECT_EQ(keys_of(heard[2]),
            (Words{"agent_id", "agent_name", "parent_run_id", "previous_state", "run_id", "session_id", "state"}));
  EXPECT_EQ(heard[2].text("state"), "pending_tools");
  EXPECT_EQ(heard[2].text("previous_state"), "streaming");
  EXPECT_EQ(shown("SELECT string_agg(state || ' ' || max_attempts, ',') FROM {agentpg}.agentpg_tool_executions"),
            "pending 2,pending 2");
  EXPECT_EQ(shown("SELECT state || ' ' || previous_state || ' ' || input_tokens || ' ' || cache_read_input_tokens FROM "
                  "{agentpg}.agentpg_runs"),
            "pending_tools streaming 10 40");
}

// The state before is the one that was, whatever the row says about it.
TEST_F(AgentpgChannels, TheStateBeforeIsTheOneThatWas) {
  AgentRun run = start(make_session(), make_agent());
  told();
  run.state = AgentRunState::batch_submitting;
  run.previous_state = AgentRunState::failed;
  run = write({run}).run;
  run.microdollars = 5;
  write({run});
  const std::vector<Told> heard = told();
  ASSERT_EQ(heard.size(), 1u) << "a write that leaves the state is not told";
  EXPECT_EQ(heard[0].text("previous_state"), "pending");
}

// Case 19.
TEST_F(AgentpgChannels, TheLastToolThatEndsIsTold) {
  const AgentRun run = start(make_session(), make_agent());
  AgentRunWritten now = call_tools(run, {"lint", "test"});
  told();
  const std::vector<ToolExecution> executions = now.executions;
  now = write({.run = now.run, .executions = {{ended(executions[1])}}});
  EXPECT_EQ(channels_told(), Words());
  now = write({.run = now.run, .executions = {{ended(executions[0], ToolExecutionState::failed)}}});
  const std::vector<Told> heard = told();
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].channel, "tools_complete");
  EXPECT_EQ(heard[0].payload.dump(), R"({"run_id":")" + run.id.text() + R"("})");
  // Those of an earlier call say nothing about a later one.
  now = call_tools(now.run, {"lint"});
  told();
  write({.run = now.run, .executions = {{ended(now.executions[0])}}});
  EXPECT_EQ(channels_told(), Words{"tools_complete"});
}

TEST_F(AgentpgChannels, ToolsThatEndInOneWriteAreToldOnce) {
  const AgentRunWritten now = call_tools(start(make_session(), make_agent()), {"lint", "test"});
  told();
  write({.run = now.run, .executions = {{ended(now.executions[0])}, {ended(now.executions[1])}}});
  EXPECT_EQ(channels_told(), Words{"tools_complete"});
}

// Case 20, where AgentPG loses it: the row of the run is held, so the second of two waits and sees what the first wrote.
TEST_F(AgentpgChannels, OfTwoTransactionsThatOverlapTheSecondTells) {
  const AgentRunWritten now = call_tools(start(make_session(), make_agent()), {"lint", "test"});
  told();
  std::vector<std::unique_ptr<Connection>> both;
  for (int i = 0; i < 2; ++i)
    both.push_back(std::move(*Connection::open({.url = url_, .application = schema_, .schema = schema_})));
  const auto end_tool = [&](std::size_t i) {
    return both[i]->script(
        with_schema("BEGIN; UPDATE {schema}.agent_executions SET state = 'completed', completed_at = 1 WHERE id = '" +
                        now.executions[i].id.text() + "'",
                    schema_));
  };
  ASSERT_TRUE(end_tool(0).ok());
  Status second;
  std::thread other([&] {
    second = end_tool(1);
    if (second.ok()) second = both[1]->script("COMMIT");
  });
  EXPECT_TRUE(eventually([&] {
    return shown("SELECT count(*) FROM pg_stat_activity WHERE application_name = '" + schema_ +
                 "' AND wait_event_type = 'Lock'") == "1";
  })) << "the second waits for the first";
  EXPECT_EQ(channels_told(), Words());
  ASSERT_TRUE(both[0]->script("COMMIT").ok());
  other.join();
  EXPECT_TRUE(second.ok()) << second.text();
  EXPECT_EQ(channels_told(), Words{"tools_complete"});
}

// The same by the verb, from two nodes: one of them is refused, looks again, and both results are there.
TEST_F(AgentpgChannels, OfTwoNodesThatEndTheLastToolsOneTells) {
  const AgentSession session = make_session();
  const Agent agent = make_agent();
  for (int round = 0; round < 10; ++round) {
    const AgentRunWritten now = call_tools(start(session, agent), {"lint", "test"});
    told();
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 2; ++i)
      threads.emplace_back([&, i] {
        AgentRun at = now.run;
        while (!try_write({.run = at, .executions = {{ended(now.executions[i])}}}, i).ok()) {
          const auto view = ask<AgentRunView>([&](auto reply) { nodes_[i]->view_agent_run(at.id, std::move(reply)); });
          ASSERT_TRUE(view.ok()) << view.status().text();
          at = view->run;
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(channels_told(), Words{"tools_complete"});
    end(must(ask<AgentRunView>([&](auto reply) { store().view_agent_run(now.run.id, std::move(reply)); })).run);
  }
}

// Cases 25 and 26.
TEST_F(AgentpgChannels, ARunThatIsAToolIsToldAndIsTheResult) {
  const Agent critic = make_agent("critic");
  const AgentRun root = start(make_session(), make_agent());
  told();
  const Delegated both = delegate(root, critic);
  std::vector<Told> heard = told();
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(heard[0].channel, "run_created");
  EXPECT_EQ(heard[0].text("parent_run_id"), root.id.text());
  EXPECT_EQ(heard[0].text("depth"), "1");
  EXPECT_EQ(heard[1].channel, "run_state") << "of the caller";

  AgentRun child = both.child;
  child.response_text = "looks good";
  end(child);
  heard = told();
  ASSERT_EQ(heard.size(), 3u);
  EXPECT_EQ(heard[0].channel, "tools_complete");
  EXPECT_EQ(heard[0].text("run_id"), root.id.text());
  EXPECT_EQ(heard[1].channel, "run_state");
  EXPECT_EQ(heard[1].text("run_id"), child.id.text());
  EXPECT_EQ(heard[2].channel, "run_finalized");
  EXPECT_EQ(keys_of(heard[2]), (Words{"parent_run_id", "parent_tool_execution_id", "run_id", "session_id", "state"}));
  EXPECT_EQ(heard[2].text("run_id"), child.id.text());
  EXPECT_EQ(heard[2].text("parent_run_id"), root.id.text());
  EXPECT_EQ(heard[2].text("parent_tool_execution_id"), both.execution.id.text());
  EXPECT_EQ(shown("SELECT state || ' ' || tool_output || ' ' || is_error || ' ' || is_agent_tool || ' ' || (child_run_id = '" +
                  child.id.text() + "') FROM {agentpg}.agentpg_tool_executions"),
            "completed looks good false true true");
}

TEST_F(AgentpgChannels, ARunThatFailsIsAToolThatFailed) {
  const Delegated both = delegate(start(make_session(), make_agent()), make_agent("critic"));
  AgentRun child = both.child;
  child.error_type = "streaming_error";
  child.error_message = "it broke";
  end(child, AgentRunState::failed);
  EXPECT_EQ(shown("SELECT state || ' ' || is_error || ' ' || error_message FROM {agentpg}.agentpg_tool_executions"),
            "failed true it broke");
  // Whoever had read it before does not open it again.
  write({.run = both.parent, .executions = {{both.execution}}});
  EXPECT_EQ(shown("SELECT state FROM {agentpg}.agentpg_tool_executions"), "failed");
}

// Case 28.
TEST_F(AgentpgChannels, AToolThatHasEndedIsLeftAsItIs) {
  const Delegated both = delegate(start(make_session(), make_agent()), make_agent("critic"));
  ToolExecution given_up = ended(both.execution, ToolExecutionState::failed);
  given_up.output = "given up";
  write({.run = both.parent, .executions = {{given_up}}});
  told();
  AgentRun child = both.child;
  child.response_text = "too late";
  end(child);
  EXPECT_EQ(channels_told(), (Words{"run_state", "run_finalized"}));
  EXPECT_EQ(shown("SELECT state || ' ' || tool_output FROM {agentpg}.agentpg_tool_executions"), "failed given up");
}

// Case 29, as it is here: a runtime that goes away hands its run back, and nothing fails.
TEST_F(AgentpgChannels, ARuntimeThatGoesFailsNothing) {
  const SessionId at = join("agents-n0", {"agent:runtime"});
  AgentRun run = start(make_session(), make_agent());
  ASSERT_EQ(take("agents-n0").size(), 1u);
  run.state = AgentRunState::batch_submitting;
  run.claimed_by = WorkerId("agents-n0");
  write({run});
  EXPECT_EQ(shown("SELECT active_run_count FROM {agentpg}.agentpg_instance_load WHERE instance_id = 'agents-n0'"), "1");
  told();
  const Unregister leave{kDefault, WorkerId("agents-n0"), at};
  must(ask<Each<Worker>>([&](auto reply) { store().unregister({leave}, std::move(reply)); }));
  EXPECT_EQ(channels_told(), Words());
  EXPECT_EQ(shown("SELECT count(*) FROM {agentpg}.agentpg_instances"), "0");
  EXPECT_EQ(shown("SELECT state || ' ' || claimed_by_instance_id FROM {agentpg}.agentpg_runs"), "batch_submitting agents-n0");
  join("agents-n1", {"agent:runtime"});
  EXPECT_EQ(take("agents-n1").size(), 1u);
}

// Case 42a, where AgentPG lets a zombie end a run twice.
TEST_F(AgentpgChannels, AnEndIsToldOnce) {
  AgentRun run = end(start(make_session(), make_agent()), AgentRunState::failed);
  const Words heard = channels_told();
  EXPECT_EQ(std::count(heard.begin(), heard.end(), "run_finalized"), 1);
  run.state = AgentRunState::completed;
  EXPECT_EQ(try_write({run}).status().code(), Code::conflict);
  EXPECT_NE(refused("UPDATE {schema}.agent_runs SET state = 'completed'"), "");
  EXPECT_EQ(channels_told(), Words());
  EXPECT_EQ(shown("SELECT state FROM {agentpg}.agentpg_runs"), "failed");
}

// Names that are as long and as hard to write as they may be.
TEST_F(AgentpgChannels, APayloadIsNeverTooLong) {
  std::string name;
  for (int i = 0; i < 255; ++i) name += '\x01';
  const AgentRun run = start(make_session(), make_agent(name));
  call_tools(run, {std::string(1'000'000, 'x')}, false);
  const std::vector<Told> heard = told();
  ASSERT_EQ(heard.size(), 3u);
  EXPECT_EQ(heard[0].text("agent_name"), name);
  EXPECT_EQ(heard[1].text("tool_name"), std::string(255, 'x'));
}

}  // namespace
}  // namespace muster::store::postgres
