// AgentPG's tables as its programs read them. The numbers are those of its conformance cases.
#include <algorithm>

#include <fmt/format.h>

#include "base/patience_testing.h"
#include "store/postgres/agentpg_testing.h"

namespace muster::store::postgres {
namespace {

struct Shape {
  const char* view;
  const char* columns;  // name and type, in AgentPG's order
};

constexpr Shape kShapes[] = {
    {"agentpg_sessions",
     "id uuid, parent_session_id uuid, depth integer, metadata jsonb, compaction_count integer, created_at timestamptz, "
     "updated_at timestamptz"},
    {"agentpg_agents",
     "id uuid, name text, description text, model text, system_prompt text, max_tokens integer, temperature real, top_k integer, "
     "top_p real, tool_names text[], agent_ids uuid[], metadata jsonb, config jsonb, created_at timestamptz, updated_at "
     "timestamptz"},
    {"agentpg_tools",
     "name text, description text, input_schema jsonb, is_agent_tool boolean, agent_id uuid, metadata jsonb, created_at "
     "timestamptz, "
     "updated_at timestamptz"},
    {"agentpg_runs",
     "id uuid, session_id uuid, agent_id uuid, run_mode agentpg_run_mode, parent_run_id uuid, parent_tool_execution_id uuid, "
     "depth "
     "integer, state agentpg_run_state, previous_state agentpg_run_state, prompt text, current_iteration integer, "
     "current_iteration_id uuid, response_text text, stop_reason text, input_tokens integer, output_tokens integer, "
     "cache_creation_input_tokens integer, cache_read_input_tokens integer, iteration_count integer, tool_iterations integer, "
     "error_message text, error_type text, created_by_instance_id text, claimed_by_instance_id text, claimed_at timestamptz, "
     "metadata jsonb, created_at timestamptz, started_at timestamptz, finalized_at timestamptz, rescue_attempts integer, "
     "last_rescue_at timestamptz"},
    {"agentpg_messages",
     "id uuid, session_id uuid, run_id uuid, role agentpg_message_role, usage jsonb, is_preserved boolean, is_summary boolean, "
     "metadata jsonb, created_at timestamptz, updated_at timestamptz"},
    {"agentpg_content_blocks",
     "id uuid, message_id uuid, block_index integer, type agentpg_content_type, text text, tool_use_id text, tool_name text, "
     "tool_input jsonb, tool_result_for_use_id text, tool_content text, is_error boolean, source jsonb, search_results jsonb, "
     "metadata jsonb, created_at timestamptz"},
    {"agentpg_iterations",
     "id uuid, run_id uuid, iteration_number integer, is_streaming boolean, batch_id text, batch_request_id text, batch_status "
     "agentpg_batch_status, batch_submitted_at timestamptz, batch_completed_at timestamptz, batch_expires_at timestamptz, "
     "batch_poll_count integer, batch_last_poll_at timestamptz, streaming_started_at timestamptz, streaming_completed_at "
     "timestamptz, "
     "trigger_type text, request_message_ids jsonb, stop_reason text, response_message_id uuid, has_tool_use boolean, "
     "tool_execution_count integer, input_tokens integer, output_tokens integer, cache_creation_input_tokens integer, "
     "cache_read_input_tokens integer, error_message text, error_type text, created_at timestamptz, started_at timestamptz, "
     "completed_at timestamptz"},
    {"agentpg_tool_executions",
     "id uuid, run_id uuid, iteration_id uuid, state agentpg_tool_execution_state, tool_use_id text, tool_name text, tool_input "
     "jsonb, "
     "is_agent_tool boolean, agent_id uuid, child_run_id uuid, tool_output text, is_error boolean, error_message text, "
     "claimed_by_instance_id text, claimed_at timestamptz, attempt_count integer, max_attempts integer, scheduled_at "
     "timestamptz, "
     "snooze_count integer, last_error text, created_at timestamptz, started_at timestamptz, completed_at timestamptz"},
    {"agentpg_instances",
     "id text, name text, hostname text, pid integer, version text, max_concurrent_runs integer, max_concurrent_tools integer, "
     "metadata jsonb, created_at timestamptz, last_heartbeat_at timestamptz"},
    {"agentpg_instance_tools", "instance_id text, tool_name text, registered_at timestamptz"},
    {"agentpg_instance_agents", "instance_id text, agent_name text, registered_at timestamptz"},
    {"agentpg_leader", "name text, leader_id text, elected_at timestamptz, expires_at timestamptz"},
    {"agentpg_compaction_events",
     "id uuid, session_id uuid, strategy text, original_tokens integer, compacted_tokens integer, messages_removed integer, "
     "summary_content text, preserved_message_ids jsonb, model_used text, duration_ms bigint, created_at timestamptz"},
    {"agentpg_message_archive",
     "id uuid, compaction_event_id uuid, session_id uuid, original_message jsonb, archived_at timestamptz"},
    {"agentpg_instance_load", "instance_id text, active_run_count integer, active_tool_count integer"},
};

constexpr Shape kTypes[] = {
    {"agentpg_run_mode", "batch, streaming"},
    {"agentpg_run_state",
     "pending, batch_submitting, batch_pending, batch_processing, streaming, pending_tools, awaiting_input, completed, "
     "cancelled, failed"},
    {"agentpg_batch_status", "in_progress, canceling, ended"},
    {"agentpg_tool_execution_state", "pending, running, completed, failed, skipped"},
    {"agentpg_content_type", "text, tool_use, tool_result, image, document, thinking, server_tool_use, web_search_result"},
    {"agentpg_message_role", "user, assistant, system"},
};

class AgentpgViews : public AgentpgTest {
 protected:
  AgentpgViews() : AgentpgTest(2) {}
  // What a message with these blocks is shown as.
  void say(const std::string& blocks) {
    AgentMessage message;
    message.id = MessageId{fresh()};
    message.role = MessageRole::assistant;
    message.blocks = blocks;
    message.usage = {1, 2, 3, 4};
    message_ = message.id.text();
    write({.run = start(make_session(), make_agent("speaker of " + message_)), .messages = {message}});
  }
  std::string block(int index, const std::string& columns) {
    return shown(fmt::format(
        "SELECT concat_ws(' ', {}) FROM {{agentpg}}.agentpg_content_blocks WHERE message_id = '{}' AND block_index = {}", columns,
        message_, index));
  }
  std::string message_;
};

TEST_F(AgentpgViews, HaveTheColumnsOfTheTablesInTheirOrder) {
  for (const Shape& shape : kShapes)
    EXPECT_EQ(
        shown(fmt::format(
            "SELECT string_agg(attname || ' ' || CASE WHEN t.typnamespace = '{{agentpg}}'::regnamespace THEN t.typname::text "
            "ELSE replace(format_type(atttypid, NULL), 'timestamp with time zone', 'timestamptz') END, ', ' ORDER BY attnum) "
            "FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid "
            "WHERE attrelid = '{{agentpg}}.{}'::regclass AND attnum > 0",
            shape.view)),
        shape.columns)
        << shape.view;
  EXPECT_EQ(shown("SELECT count(*) FROM pg_class WHERE relnamespace = '{agentpg}'::regnamespace AND relkind = 'v'"),
            std::to_string(std::size(kShapes)));
}

TEST_F(AgentpgViews, HaveTheTypesWithTheirWordsInTheirOrder) {
  for (const Shape& type : kTypes)
    EXPECT_EQ(shown(fmt::format("SELECT string_agg(enumlabel::text, ', ' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = "
                                "'{{agentpg}}.{}'::regtype",
                                type.view)),
              type.columns)
        << type.view;
}

TEST_F(AgentpgViews, AreForReadingOnly) {
  start(make_session(), make_agent());
  make_tool("lint");
  EXPECT_NE(refused("UPDATE {agentpg}.agentpg_runs SET prompt = 'x'").find("reading only"), std::string::npos);
  EXPECT_NE(refused("DELETE FROM {agentpg}.agentpg_sessions").find("reading only"), std::string::npos);
  EXPECT_NE(refused("INSERT INTO {agentpg}.agentpg_tools (name) VALUES ('x')").find("reading only"), std::string::npos);
  EXPECT_EQ(shown("SELECT count(*) FROM {agentpg}.agentpg_sessions"), "1");
}

// Case 10.
TEST_F(AgentpgViews, ARunThatEndsHasTheTimeOfItsEnd) {
  start(make_session(), make_agent());
  EXPECT_NE(refused("UPDATE {schema}.agent_runs SET state = 'failed'").find("run_finalized_consistency"), std::string::npos);
  EXPECT_NE(refused("UPDATE {schema}.agent_runs SET depth = 1").find("run_depth_consistency"), std::string::npos);
}

// Case 11.
TEST_F(AgentpgViews, ARunThatHasEndedDoesNotBeginAgain) {
  end(start(make_session(), make_agent()));
  EXPECT_NE(refused("UPDATE {schema}.agent_runs SET state = 'batch_pending'").find("run_finalized_consistency"),
            std::string::npos);
  EXPECT_NE(
      refused("UPDATE {schema}.agent_runs SET state = 'batch_pending', finalized_at = NULL").find("run_finalized_consistency"),
      std::string::npos);
}

// Case 13.
TEST_F(AgentpgViews, ARunHasOneIterationOfANumber) {
  call_tools(start(make_session(), make_agent()), {"lint"});
  EXPECT_NE(refused("INSERT INTO {schema}.agent_iterations SELECT (jsonb_populate_record(i, "
                    "'{\"id\": \"00000000-0000-4000-8000-000000000001\"}')).* FROM {schema}.agent_iterations i")
                .find("unique_iteration_per_run"),
            std::string::npos);
  EXPECT_NE(refused("UPDATE {schema}.agent_executions SET state = 'failed'").find("tool_exec_state_consistency"),
            std::string::npos);
  EXPECT_EQ(shown("SELECT iteration_number || ' ' || trigger_type || ' ' || is_streaming FROM {agentpg}.agentpg_iterations"),
            "1 user_prompt false");
}

// Case 17. While a job carries the execution out, the view says what that job does.
TEST_F(AgentpgViews, AnExecutionIsShownAsItsJobIs) {
  join("w1", {"tool:test"});
  call_tools(start(make_session(), make_agent()), {"test"});
  const auto seen = [&] {
    return shown(
        "SELECT concat_ws(' ', state, attempt_count, coalesce(claimed_by_instance_id, '-'), started_at IS NOT NULL, "
        "snooze_count, "
        "scheduled_at > now() + interval '59 minutes') FROM {agentpg}.agentpg_tool_executions");
  };
  EXPECT_EQ(seen(), "pending 0 - f 0 f");
  const std::vector<Grant> grants = take("w1");
  ASSERT_EQ(grants.size(), 1u);
  EXPECT_EQ(seen(), "running 1 w1 t 0 f");
  EXPECT_EQ(shown("SELECT active_tool_count FROM {agentpg}.agentpg_instance_load"), "1");
  const Snooze snooze{{grants[0].id, grants[0].fence}, std::chrono::hours(1)};
  must(must(ask<Each<Settled>>([&](auto reply) { store().snooze({snooze}, std::move(reply)); })).at(0));
  EXPECT_EQ(seen(), "pending 0 - f 1 t");
  EXPECT_TRUE(take("w1").empty());
}

// Case 42b: nobody waits for what a run left open.
TEST_F(AgentpgViews, WhatARunLeftOpenIsSkipped) {
  const AgentRunWritten now = call_tools(start(make_session(), make_agent()), {"test"});
  end(now.run, AgentRunState::cancelled);
  EXPECT_EQ(shown("SELECT state || ' ' || (completed_at IS NOT NULL) FROM {agentpg}.agentpg_tool_executions"), "skipped true");
}

// Case 35.
TEST_F(AgentpgViews, OneNodeLeads) {
  EXPECT_TRUE(nodes_[0]->leading());
  EXPECT_FALSE(nodes_[1]->leading());
  EXPECT_EQ(
      shown("SELECT string_agg(name || ' ' || leader_id || ' ' || (expires_at > now()), ',') FROM {agentpg}.agentpg_leader"),
      "default n0 true");
}

// Case 37.
TEST_F(AgentpgViews, NobodyLeadsAnythingElse) {
  EXPECT_NE(refused("INSERT INTO {schema}.leader (name, node, term, elected_at, expires_at) VALUES ('other', 'x', 1, 1, 1)"), "");
  EXPECT_NE(refused("INSERT INTO {agentpg}.agentpg_leader (name, leader_id) VALUES ('other', 'x')"), "");
}

// Case 40, what of it there is: an execution is an agent's exactly when it names one, and an instance has no unknown tools.
TEST_F(AgentpgViews, NamesAreOfTheirLength) {
  make_tool(std::string(127, 't'));
  const std::string longer = "jsonb_populate_record(t, jsonb_build_object('name', repeat('t', 128)))";
  EXPECT_NE(
      refused("INSERT INTO {schema}.agent_tools SELECT (" + longer + ").* FROM {schema}.agent_tools t").find("tool_name_valid"),
      std::string::npos);
  make_agent(std::string(255, 'a'));
  EXPECT_NE(refused("UPDATE {schema}.agents SET name = repeat('a', 256)").find("agent_name_valid"), std::string::npos);
  EXPECT_NE(refused("UPDATE {schema}.agents SET name = ''").find("agent_name_valid"), std::string::npos);
  join("w1", {"tool:unknown"});
  EXPECT_EQ(shown("SELECT count(*) FROM {agentpg}.agentpg_instances"), "1");
  EXPECT_EQ(shown("SELECT count(*) FROM {agentpg}.agentpg_instance_tools"), "0");
}

// Case 41.
TEST_F(AgentpgViews, ANameIsTakenTogetherWithItsMetadata) {
  EXPECT_TRUE(try_agent("coder", "null").ok());
  EXPECT_EQ(try_agent("coder", "null").status().code(), Code::already_exists);
  EXPECT_TRUE(try_agent("coder", "{}").ok());
  EXPECT_EQ(shown("SELECT string_agg(metadata::text, ' ' ORDER BY metadata::text) FROM {agentpg}.agentpg_agents"), "null {}");
  EXPECT_NE(refused("UPDATE {schema}.agents SET metadata_key = ''").find("agent_unique_name_metadata"), std::string::npos);
}

TEST_F(AgentpgViews, ShowAnAgentAndItsTools) {
  Agent agent;
  agent.id = AgentId{fresh()};
  agent.spec.name = "coder";
  agent.spec.model = "claude-x";
  agent.spec.max_tokens = std::int64_t{1} << 40;
  agent.spec.temperature = 0.25;
  agent.spec.tools = {ToolName("lint"), ToolName("test")};
  agent.spec.delegates = {AgentId{{1, 2}}};
  agent.spec.config = R"({"x":1})";
  must(ask<Agent>([&](auto reply) { store().put_agent({agent}, std::move(reply)); }));
  EXPECT_EQ(shown("SELECT concat_ws(' ', description = '', system_prompt = '', max_tokens, temperature, top_k IS NULL, "
                  "tool_names, agent_ids, "
                  "config) FROM {agentpg}.agentpg_agents"),
            "t t 2147483647 0.25 t {lint,test} {00000000-0000-0001-0000-000000000002} {\"x\": 1}");
  make_tool("lint");
  make_tool("test");
  join("agents-n0", {"agent:runtime"});
  join("w1", {"tool:lint"});
  join("plain", {"os:linux"});
  EXPECT_EQ(shown("SELECT string_agg(concat_ws(' ', id, hostname, version, max_concurrent_runs, last_heartbeat_at > now() - "
                  "interval '1 minute'), "
                  "',' ORDER BY id) FROM {agentpg}.agentpg_instances"),
            "agents-n0 host-1 1.2.3 5 t,w1 host-1 1.2.3 5 t");
  EXPECT_EQ(shown("SELECT string_agg(instance_id || ' ' || tool_name, ',') FROM {agentpg}.agentpg_instance_tools"), "w1 lint");
  EXPECT_EQ(shown("SELECT string_agg(instance_id || ' ' || agent_name, ',') FROM {agentpg}.agentpg_instance_agents"),
            "agents-n0 coder");
}

TEST_F(AgentpgViews, ShowTheBlocksOfAMessage) {
  say(R"([{"type":"text","text":"hi"},{"type":"thinking","thinking":"hm","signature":"s1"},
          {"type":"tool_use","id":"toolu_1","name":"lint","input":{"b":1}},
          {"type":"tool_result","tool_use_id":"toolu_1","content":"out","is_error":true},
          {"type":"tool_result","tool_use_id":"toolu_2","content":[{"type":"text","text":"x"}]},
          {"type":"image","source":{"type":"url","url":"u"}},{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{}},
          {"type":"web_search_tool_result","tool_use_id":"srv_1","content":[{"url":"u"}]},{"type":"redacted_thinking","data":"d"},
          {"type":"mcp_tool_use","id":"mcp_1","name":"m","input":{}},{"type":"brand_new","x":1},{"type":"text","text":""}])");
  EXPECT_EQ(shown("SELECT count(*) FROM {agentpg}.agentpg_content_blocks"), "12");
  EXPECT_EQ(shown("SELECT usage::text || ' ' || role FROM {agentpg}.agentpg_messages"),
            R"({"InputTokens": 1, "OutputTokens": 2, "CacheReadInputTokens": 4, "CacheCreationInputTokens": 3} assistant)");
  EXPECT_EQ(block(0, "type, text, metadata"), "text hi {}");
  EXPECT_EQ(block(1, "type, text, metadata"), R"(thinking hm {"signature": "s1"})");
  EXPECT_EQ(block(2, "type, tool_use_id, tool_name, tool_input, text IS NULL"), R"(tool_use toolu_1 lint {"b": 1} t)");
  EXPECT_EQ(block(3, "type, tool_result_for_use_id, tool_content, is_error, tool_use_id IS NULL"), "tool_result toolu_1 out t t");
  EXPECT_EQ(block(4, "tool_content, is_error"), R"([{"text": "x", "type": "text"}] f)");
  EXPECT_EQ(block(5, "type, source"), R"(image {"url": "u", "type": "url"})");
  EXPECT_EQ(block(6, "type, tool_use_id, tool_name"), "server_tool_use srv_1 web_search");
  EXPECT_EQ(block(7, "type, tool_result_for_use_id, search_results, metadata"),
            R"(web_search_result srv_1 [{"url": "u"}] {"type": "web_search_tool_result"})");
  EXPECT_EQ(block(8, "type, metadata, text IS NULL"), R"(thinking {"data": "d", "type": "redacted_thinking"} t)");
  EXPECT_EQ(block(9, "type, tool_name"), "server_tool_use m");
  EXPECT_EQ(block(10, "type, text"), R"(text {"x": 1, "type": "brand_new"})");
  EXPECT_EQ(block(11, "type, text IS NULL"), "text t");
}

// What PostgreSQL's own types cannot hold is shown as well as it can be, and never stops a reader.
TEST_F(AgentpgViews, ShowWhatTextCannotHold) {
  say(R"([{"type":"text","text":"\ud800"}])");
  EXPECT_EQ(block(0, "type, text, metadata"), R"(text [{"type":"text","text":"\ud800"}] {})") << "half a character: all in one";
  say(R"([{"type":"text","text":"a\u0000b \\u0000"}])");
  EXPECT_EQ(block(0, "text"),
            "a\xef\xbf\xbd"
            "b \\u0000");
  AgentRun run = start(make_session(), make_agent("odd"));
  run.response_text = std::string("a\0\xff", 3);
  end(run);
  EXPECT_EQ(shown("SELECT response_text FROM {agentpg}.agentpg_runs WHERE state = 'completed'"), R"(a\000\377)");
}

TEST_F(AgentpgViews, ShowACompactionAndItsArchive) {
  AgentSession session = make_session();
  AgentRun run = start(session, make_agent());
  AgentMessage message;
  message.id = MessageId{fresh()};
  message.blocks = R"([{"type":"text","text":"old"}])";
  end(write({.run = run, .messages = {message}}).run);
  session = must(
      must(ask<Each<AgentSession>>([&](auto reply) { store().get_sessions(kDefault, {session.id}, std::move(reply)); })).at(0));
  Compaction compaction;
  compaction.event = {
      .id = fresh(), .session = session.id, .strategy = "hybrid", .original_tokens = 9, .messages_removed = 1, .summary = "s"};
  compaction.event.took = std::chrono::milliseconds(5);
  compaction.revision = session.revision;
  compaction.archived = {message.id};
  must(ask<CompactionEvent>([&](auto reply) { store().compact_session(compaction, std::move(reply)); }));
  EXPECT_EQ(shown("SELECT concat_ws(' ', strategy, original_tokens, messages_removed, summary_content, preserved_message_ids, "
                  "duration_ms) "
                  "FROM {agentpg}.agentpg_compaction_events"),
            "hybrid 9 1 s [] 5");
  EXPECT_EQ(shown("SELECT original_message -> 'content' -> 0 ->> 'text' FROM {agentpg}.agentpg_message_archive WHERE id = '" +
                  message.id.text() + "'"),
            "old");
  EXPECT_EQ(shown("SELECT compaction_count FROM {agentpg}.agentpg_sessions"), "1");
}

}  // namespace
}  // namespace muster::store::postgres
