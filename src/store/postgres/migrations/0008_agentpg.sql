-- AgentPG's tables as views of ours, for programs that know AgentPG: its names, its columns in its order, its types. They are to be read
-- only; what is to be changed is changed by commands. {agentpg} is a schema beside ours.
-- It may have been made for a role that may not make schemas, and one of ours that was dropped leaves it and its types behind.
DO $types$
DECLARE
  wanted record;
BEGIN
  IF to_regnamespace('{agentpg}') IS NULL THEN
    CREATE SCHEMA {agentpg};
  END IF;
  FOR wanted IN SELECT * FROM (VALUES
    ('agentpg_run_mode', ARRAY['batch', 'streaming']),
    ('agentpg_run_state', ARRAY['pending', 'batch_submitting', 'batch_pending', 'batch_processing', 'streaming', 'pending_tools',
                                'awaiting_input', 'completed', 'cancelled', 'failed']),
    ('agentpg_batch_status', ARRAY['in_progress', 'canceling', 'ended']),
    ('agentpg_tool_execution_state', ARRAY['pending', 'running', 'completed', 'failed', 'skipped']),
    ('agentpg_content_type', ARRAY['text', 'tool_use', 'tool_result', 'image', 'document', 'thinking', 'server_tool_use',
                                   'web_search_result']),
    ('agentpg_message_role', ARRAY['user', 'assistant', 'system'])) AS t (name, labels)
  LOOP
    IF to_regtype('{agentpg}.' || wanted.name) IS NULL THEN
      EXECUTE 'CREATE TYPE {agentpg}.' || wanted.name || ' AS ENUM ('
              || (SELECT string_agg(quote_literal(label), ', ' ORDER BY place) FROM unnest(wanted.labels) WITH ORDINALITY AS l (label, place))
              || ')';
    END IF;
  END LOOP;
END $types$;

CREATE FUNCTION {schema}.agentpg_time(at_ms bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE STRICT AS
  $$ SELECT to_timestamp(at_ms::double precision / 1000) $$;
-- AgentPG counts in integers.
CREATE FUNCTION {schema}.agentpg_count(n bigint) RETURNS integer LANGUAGE sql IMMUTABLE STRICT AS
  $$ SELECT least(n, 2147483647)::integer $$;

CREATE FUNCTION {schema}.agentpg_list(list bytea) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT AS
  $$ SELECT ARRAY(SELECT jsonb_array_elements_text({schema}.agent_json(list))) $$;

-- Workers of several namespaces may have one name; AgentPG has one space of instance ids.
CREATE FUNCTION {schema}.agentpg_instance(namespace text, worker text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS
  $$ SELECT CASE WHEN worker = '' THEN NULL WHEN namespace = 'default' THEN worker ELSE namespace || '/' || worker END $$;

-- Types that AgentPG has no word for are shown as the nearest one it has.
CREATE FUNCTION {schema}.agentpg_block_type(type text) RETURNS {agentpg}.agentpg_content_type LANGUAGE sql IMMUTABLE AS
  $$ SELECT (CASE
       WHEN type IN ('text', 'tool_use', 'tool_result', 'image', 'document', 'thinking', 'server_tool_use', 'web_search_result') THEN type
       WHEN type = 'redacted_thinking' THEN 'thinking'
       WHEN type = 'mcp_tool_result' THEN 'tool_result'
       WHEN type LIKE '%\_tool\_use' THEN 'server_tool_use'
       WHEN type LIKE '%\_tool\_result' THEN 'web_search_result'
       ELSE 'text' END)::{agentpg}.agentpg_content_type $$;

CREATE VIEW {agentpg}.agentpg_sessions AS
SELECT s.id, s.parent AS parent_session_id, s.depth, {schema}.agent_json(s.metadata) AS metadata, s.compactions AS compaction_count,
       {schema}.agentpg_time(s.created_at) AS created_at, {schema}.agentpg_time(s.updated_at) AS updated_at
FROM {schema}.agent_sessions s;

CREATE VIEW {agentpg}.agentpg_agents AS
SELECT a.id, a.name::text COLLATE "default" AS name, {schema}.agent_text(a.description) AS description, {schema}.agent_text(a.model) AS model,
       {schema}.agent_text(a.system_prompt) AS system_prompt, {schema}.agentpg_count(a.max_tokens) AS max_tokens,
       a.temperature::real AS temperature, {schema}.agentpg_count(a.top_k) AS top_k, a.top_p::real AS top_p,
       {schema}.agentpg_list(a.tools) AS tool_names, {schema}.agentpg_list(a.delegates)::uuid[] AS agent_ids,
       {schema}.agent_json(a.metadata) AS metadata, {schema}.agent_json(a.config) AS config,
       {schema}.agentpg_time(a.created_at) AS created_at, {schema}.agentpg_time(a.updated_at) AS updated_at
FROM {schema}.agents a;

CREATE VIEW {agentpg}.agentpg_tools AS
SELECT t.name::text COLLATE "default" AS name, {schema}.agent_text(t.description) AS description,
       {schema}.agent_json(t.input_schema) AS input_schema, false AS is_agent_tool, NULL::uuid AS agent_id,
       {schema}.agent_json(t.metadata) AS metadata, {schema}.agentpg_time(t.created_at) AS created_at,
       {schema}.agentpg_time(t.updated_at) AS updated_at
FROM {schema}.agent_tools t;

CREATE VIEW {agentpg}.agentpg_runs AS
SELECT r.id, r.session AS session_id, r.agent AS agent_id, r.mode::{agentpg}.agentpg_run_mode AS run_mode, p.id AS parent_run_id,
       r.parent_execution AS parent_tool_execution_id, r.depth, r.state::{agentpg}.agentpg_run_state AS state,
       r.previous_state::{agentpg}.agentpg_run_state AS previous_state, {schema}.agent_text(r.prompt) AS prompt,
       r.iteration AS current_iteration, r.iteration_id AS current_iteration_id, {schema}.agent_text(r.response_text) AS response_text,
       nullif({schema}.agent_text(r.stop_reason), '') AS stop_reason, {schema}.agentpg_count(r.input) AS input_tokens,
       {schema}.agentpg_count(r.output) AS output_tokens, {schema}.agentpg_count(r.cache_creation) AS cache_creation_input_tokens,
       {schema}.agentpg_count(r.cache_read) AS cache_read_input_tokens, r.iterations AS iteration_count, r.tool_iterations,
       nullif({schema}.agent_text(r.error_message), '') AS error_message, nullif(r.error_type, '') AS error_type,
       nullif(r.created_by, '') AS created_by_instance_id, {schema}.agentpg_instance(n.name, r.claimed_by) AS claimed_by_instance_id,
       {schema}.agentpg_time(r.claimed_at) AS claimed_at, {schema}.agent_json(r.variables) AS metadata,
       {schema}.agentpg_time(r.created_at) AS created_at, {schema}.agentpg_time(r.started_at) AS started_at,
       {schema}.agentpg_time(r.finalized_at) AS finalized_at, r.rescues AS rescue_attempts,
       {schema}.agentpg_time(r.last_rescue_at) AS last_rescue_at
FROM {schema}.agent_runs r
JOIN {schema}.namespaces n ON n.id = r.namespace
LEFT JOIN {schema}.agent_runs p ON p.job = r.parent;

CREATE VIEW {agentpg}.agentpg_messages AS
SELECT m.id, m.session AS session_id, r.id AS run_id, m.role::{agentpg}.agentpg_message_role AS role,
       jsonb_build_object('InputTokens', m.input, 'OutputTokens', m.output, 'CacheCreationInputTokens', m.cache_creation,
                          'CacheReadInputTokens', m.cache_read) AS usage,
       m.preserved AS is_preserved, m.summary AS is_summary, {schema}.agent_json(m.metadata) AS metadata,
       {schema}.agentpg_time(m.created_at) AS created_at, {schema}.agentpg_time(m.created_at) AS updated_at
FROM {schema}.agent_messages m LEFT JOIN {schema}.agent_runs r ON r.job = m.run;

-- A block's id follows from the message and the place, so that it is the same whenever one looks. What has no column is in metadata, the
-- type too where it is not the one that is shown. Blocks that jsonb cannot hold are one text.
CREATE VIEW {agentpg}.agentpg_content_blocks AS
SELECT md5(m.id::text || ':' || b.place)::uuid AS id, m.id AS message_id, (b.place - 1)::integer AS block_index, k.type,
       CASE WHEN b.block ->> 'type' = 'thinking' THEN nullif(b.block ->> 'thinking', '')
            WHEN jsonb_typeof(b.block) = 'string' THEN b.block #>> '{}'
            WHEN k.type = 'text' AND b.block ->> 'type' IS DISTINCT FROM 'text' THEN b.block::text
            WHEN k.type = 'text' THEN nullif(b.block ->> 'text', '') END AS text,
       CASE WHEN k.type IN ('tool_use', 'server_tool_use') THEN nullif(b.block ->> 'id', '') END AS tool_use_id,
       CASE WHEN k.type IN ('tool_use', 'server_tool_use') THEN nullif(b.block ->> 'name', '') END AS tool_name,
       CASE WHEN k.type IN ('tool_use', 'server_tool_use') THEN b.block -> 'input' END AS tool_input,
       CASE WHEN k.type IN ('tool_result', 'web_search_result') THEN nullif(b.block ->> 'tool_use_id', '') END AS tool_result_for_use_id,
       CASE WHEN k.type = 'tool_result' THEN nullif(b.block ->> 'content', '') END AS tool_content,
       coalesce(b.block -> 'is_error' = 'true', false) AS is_error,
       CASE WHEN k.type IN ('image', 'document') THEN b.block -> 'source' END AS source,
       CASE WHEN k.type = 'web_search_result' THEN b.block -> 'content' END AS search_results,
       CASE WHEN jsonb_typeof(b.block) <> 'object' THEN '{}'
            ELSE b.block - ARRAY['type', 'text', 'thinking', 'id', 'name', 'input', 'tool_use_id', 'content', 'is_error', 'source']
                 || CASE WHEN b.block ->> 'type' IS DISTINCT FROM k.type::text THEN jsonb_build_object('type', b.block -> 'type') ELSE '{}' END
       END AS metadata,
       {schema}.agentpg_time(m.created_at) AS created_at
FROM {schema}.agent_messages m
CROSS JOIN LATERAL (SELECT {schema}.agent_json(m.blocks) AS blocks) AS j
CROSS JOIN LATERAL jsonb_array_elements(CASE WHEN jsonb_typeof(j.blocks) = 'array' THEN j.blocks ELSE jsonb_build_array(j.blocks) END)
  WITH ORDINALITY AS b (block, place)
CROSS JOIN LATERAL (SELECT {schema}.agentpg_block_type(b.block ->> 'type') AS type) AS k;

CREATE VIEW {agentpg}.agentpg_iterations AS
SELECT i.id, r.id AS run_id, i.number AS iteration_number, i.streaming AS is_streaming,
       nullif({schema}.agent_text(i.batch_id), '') AS batch_id, CASE WHEN i.batch_id <> ''::bytea THEN i.id::text END AS batch_request_id,
       i.batch_status::{agentpg}.agentpg_batch_status AS batch_status,
       {schema}.agentpg_time(i.batch_submitted_at) AS batch_submitted_at, {schema}.agentpg_time(i.batch_completed_at) AS batch_completed_at,
       {schema}.agentpg_time(i.batch_expires_at) AS batch_expires_at, i.batch_polls AS batch_poll_count,
       {schema}.agentpg_time(i.batch_polled_at) AS batch_last_poll_at, {schema}.agentpg_time(i.streaming_started_at) AS streaming_started_at,
       {schema}.agentpg_time(i.streaming_completed_at) AS streaming_completed_at, i.triggered_by AS trigger_type,
       NULL::jsonb AS request_message_ids, nullif({schema}.agent_text(i.stop_reason), '') AS stop_reason, i.response AS response_message_id,
       i.has_tool_use, i.executions AS tool_execution_count, {schema}.agentpg_count(i.input) AS input_tokens,
       {schema}.agentpg_count(i.output) AS output_tokens, {schema}.agentpg_count(i.cache_creation) AS cache_creation_input_tokens,
       {schema}.agentpg_count(i.cache_read) AS cache_read_input_tokens, nullif({schema}.agent_text(i.error_message), '') AS error_message,
       nullif(i.error_type, '') AS error_type, {schema}.agentpg_time(i.created_at) AS created_at,
       {schema}.agentpg_time(i.started_at) AS started_at, {schema}.agentpg_time(i.completed_at) AS completed_at
FROM {schema}.agent_iterations i JOIN {schema}.agent_runs r ON r.job = i.run;

-- While its job waits or runs, the job says how it is; before and after, the row. What a run left open when it ended, nobody waits for.
CREATE VIEW {agentpg}.agentpg_tool_executions AS
SELECT e.id, r.id AS run_id, e.iteration AS iteration_id,
       (CASE WHEN o.skipped THEN 'skipped' WHEN j.runs THEN 'running' WHEN NOT j.runs THEN 'pending' ELSE e.state END)::{agentpg}.agentpg_tool_execution_state AS state,
       {schema}.agent_text(e.tool_use_id) AS tool_use_id, {schema}.agent_text(e.tool) AS tool_name, {schema}.agent_json(e.input) AS tool_input,
       e.agent IS NOT NULL AS is_agent_tool, e.agent AS agent_id, c.id AS child_run_id, {schema}.agent_text(e.output) AS tool_output,
       e.is_error, nullif({schema}.agent_text(e.error_message), '') AS error_message,
       CASE WHEN j.runs IS NULL THEN {schema}.agentpg_instance(n.name, e.claimed_by) ELSE {schema}.agentpg_instance(n.name, w.name)
       END AS claimed_by_instance_id,
       {schema}.agentpg_time(CASE WHEN j.runs IS NULL THEN e.claimed_at ELSE j.claimed_at END) AS claimed_at,
       coalesce(j.attempt, e.attempts) AS attempt_count, e.attempts_max AS max_attempts,
       {schema}.agentpg_time(coalesce(j.run_at, e.scheduled_at, e.created_at)) AS scheduled_at, e.snoozes AS snooze_count,
       nullif({schema}.agent_text(e.last_error), '') AS last_error, {schema}.agentpg_time(e.created_at) AS created_at,
       {schema}.agentpg_time(CASE WHEN j.runs IS NULL THEN e.started_at ELSE j.claimed_at END) AS started_at,
       {schema}.agentpg_time(CASE WHEN o.skipped THEN r.finalized_at ELSE e.completed_at END) AS completed_at
FROM {schema}.agent_executions e
JOIN {schema}.agent_runs r ON r.job = e.run
CROSS JOIN LATERAL (SELECT r.finalized_at IS NOT NULL AND e.completed_at IS NULL AS skipped) AS o
JOIN {schema}.namespaces n ON n.id = r.namespace
LEFT JOIN {schema}.agent_runs c ON c.job = e.child_run
LEFT JOIN LATERAL (
  SELECT false AS runs, NULL::integer AS worker, NULL::bigint AS claimed_at, attempt, run_at FROM {schema}.waiting WHERE id = e.job
  UNION ALL
  SELECT true, worker, started_at, attempt, run_at FROM {schema}.running WHERE id = e.job) AS j ON e.completed_at IS NULL
LEFT JOIN {schema}.workers w ON w.id = j.worker;

-- Every live worker with what it offers: those that run agents, and those that have tools.
CREATE VIEW {schema}.agentpg_workers AS
SELECT w.id AS worker, w.namespace, {schema}.agentpg_instance(n.name, w.name) AS instance_id, w.name, w.slots, w.registered_at,
       greatest(w.last_seen_at, b.seen_at) AS seen_at, j.spec, j.capabilities, 'agent:runtime' = ANY(j.capabilities) AS runs_agents
FROM {schema}.workers w
JOIN {schema}.namespaces n ON n.id = w.namespace
LEFT JOIN {schema}.beats b ON b.worker = w.id
CROSS JOIN LATERAL (
  SELECT s.spec, ARRAY(SELECT jsonb_array_elements_text(coalesce(s.spec -> 'capabilities', '[]'))) AS capabilities
  FROM (SELECT {schema}.agent_json(convert_to(w.spec, 'UTF8')) AS spec) AS s) AS j
WHERE w.state < 2;

-- A tool's job needs what its description says, or tool:<name>.
CREATE VIEW {agentpg}.agentpg_instance_tools AS
SELECT w.instance_id, t.name::text COLLATE "default" AS tool_name, {schema}.agentpg_time(greatest(w.registered_at, t.created_at)) AS registered_at
FROM {schema}.agentpg_workers w
JOIN {schema}.agent_tools t ON t.namespace = w.namespace
CROSS JOIN LATERAL (SELECT {schema}.agentpg_list(t.needs) AS needs) AS j
WHERE w.capabilities @> CASE WHEN cardinality(j.needs) = 0 THEN ARRAY['tool:' || t.name] ELSE j.needs END;

CREATE VIEW {agentpg}.agentpg_instances AS
SELECT w.instance_id AS id, w.name, nullif(w.spec ->> 'hostname', '') AS hostname, NULL::integer AS pid,
       nullif(w.spec ->> 'version', '') AS version, w.slots AS max_concurrent_runs, w.slots AS max_concurrent_tools,
       coalesce(w.spec -> 'labels', '{}') AS metadata, {schema}.agentpg_time(w.registered_at) AS created_at,
       {schema}.agentpg_time(w.seen_at) AS last_heartbeat_at
FROM {schema}.agentpg_workers w
WHERE w.runs_agents OR EXISTS (SELECT 1 FROM unnest(w.capabilities) AS c WHERE c LIKE 'tool:%')
   OR EXISTS (SELECT 1 FROM {agentpg}.agentpg_instance_tools t WHERE t.instance_id = w.instance_id);

-- Whoever runs agents runs all of its namespace.
CREATE VIEW {agentpg}.agentpg_instance_agents AS
SELECT w.instance_id, a.name::text COLLATE "default" AS agent_name, {schema}.agentpg_time(greatest(w.registered_at, min(a.created_at))) AS registered_at
FROM {schema}.agentpg_workers w JOIN {schema}.agents a ON a.namespace = w.namespace
WHERE w.runs_agents
GROUP BY w.instance_id, w.registered_at, a.name;

CREATE VIEW {agentpg}.agentpg_leader AS
SELECT 'default'::text AS name, l.node AS leader_id, {schema}.agentpg_time(l.elected_at) AS elected_at,
       {schema}.agentpg_time(l.expires_at) AS expires_at
FROM {schema}.leader l;

CREATE VIEW {agentpg}.agentpg_compaction_events AS
SELECT c.id, c.session AS session_id, c.strategy, {schema}.agentpg_count(c.original_tokens) AS original_tokens,
       {schema}.agentpg_count(c.compacted_tokens) AS compacted_tokens, {schema}.agentpg_count(c.messages_removed) AS messages_removed,
       nullif({schema}.agent_text(c.summary), '') AS summary_content, {schema}.agent_json(c.preserved) AS preserved_message_ids,
       nullif({schema}.agent_text(c.model), '') AS model_used, c.took AS duration_ms, {schema}.agentpg_time(c.created_at) AS created_at
FROM {schema}.agent_compactions c;

CREATE VIEW {agentpg}.agentpg_message_archive AS
SELECT a.id, a.event AS compaction_event_id, a.session AS session_id,
       jsonb_build_object('id', a.id, 'session_id', a.session, 'run_id', r.id, 'role', a.role, 'is_preserved', a.preserved,
                          'is_summary', a.summary, 'content', {schema}.agent_json(a.blocks), 'metadata', {schema}.agent_json(a.metadata),
                          'created_at', {schema}.agentpg_time(a.created_at)) AS original_message,
       {schema}.agentpg_time(c.created_at) AS archived_at
FROM {schema}.agent_archive a
JOIN {schema}.agent_compactions c ON c.id = a.event
LEFT JOIN {schema}.agent_runs r ON r.job = a.run;

CREATE VIEW {agentpg}.agentpg_instance_load AS
SELECT i.id AS instance_id,
       (SELECT count(*)::integer FROM {agentpg}.agentpg_runs r
        WHERE r.claimed_by_instance_id = i.id AND r.state NOT IN ('completed', 'cancelled', 'failed')) AS active_run_count,
       (SELECT count(*)::integer FROM {agentpg}.agentpg_tool_executions e
        WHERE e.claimed_by_instance_id = i.id AND e.state = 'running') AS active_tool_count
FROM {agentpg}.agentpg_instances i;

-- PostgreSQL would write through the simple ones.
CREATE FUNCTION {schema}.agentpg_read_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is for reading only', TG_TABLE_NAME
    USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'muster''s commands change what it shows';
END $$;
DO $guards$
DECLARE
  shown text;
BEGIN
  FOR shown IN SELECT c.oid::regclass::text FROM pg_class c WHERE c.relnamespace = '{agentpg}'::regnamespace AND c.relkind = 'v'
  LOOP
    EXECUTE 'CREATE TRIGGER read_only INSTEAD OF INSERT OR UPDATE OR DELETE ON ' || shown
            || ' FOR EACH ROW EXECUTE FUNCTION {schema}.agentpg_read_only()';
  END LOOP;
END $guards$;
