-- name: agent_archive_delete
DELETE FROM agent_archive WHERE event = ?1

-- name: agent_archive_delete_of_session
-- At most ?2 of them, as of the others that go with a session; -1: all.
DELETE FROM agent_archive WHERE row IN (SELECT row FROM agent_archive WHERE session = ?1 ORDER BY row LIMIT ?2)

-- name: agent_archive_restore
INSERT INTO agent_messages (session, number, id, run, run_depth, role, blocks, input, output, cache_creation, cache_read, preserved, summary, metadata, created_at,
  compaction)
SELECT session, number, id, run, run_depth, role, blocks, input, output, cache_creation, cache_read, preserved, summary, metadata, created_at,
  compaction
FROM agent_archive WHERE event = ?1

-- name: agent_blob_delete
DELETE FROM agent_blobs WHERE row IN (SELECT row FROM agent_blobs WHERE session = ?1 ORDER BY row LIMIT ?2)

-- name: agent_blob_get
SELECT data FROM agent_blobs WHERE id = ?1

-- name: agent_blob_insert
INSERT INTO agent_blobs (id, session, data) VALUES (?1, ?2, ?3)

-- name: agent_blob_taken
SELECT EXISTS (SELECT 1 FROM agent_blobs WHERE id = ?1)

-- name: agent_compaction_delete
DELETE FROM agent_compactions WHERE row IN (SELECT row FROM agent_compactions WHERE session = ?1 ORDER BY row LIMIT ?2)

-- name: agent_compaction_find
SELECT * FROM agent_compactions WHERE id = ?1

-- name: agent_compaction_insert
INSERT INTO agent_compactions (id, session, strategy, original_tokens, compacted_tokens, messages_removed, summary, preserved, model, took, restored, created_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)

-- name: agent_compaction_list
SELECT * FROM agent_compactions WHERE session = ?1 AND row < ?2 ORDER BY row DESC LIMIT ?3

-- name: agent_compaction_restored
UPDATE agent_compactions SET restored = 1 WHERE id = ?1

-- name: agent_compaction_standing
-- The last one that is not restored.
SELECT id FROM agent_compactions WHERE session = ?1 AND restored = 0 ORDER BY row DESC LIMIT 1

-- name: agent_count
SELECT COUNT(*) FROM agents WHERE (?1 IS NULL OR namespace = ?1) AND (?2 IS NULL OR name = ?2) AND (?3 IS NULL OR json_contains(metadata, ?3))

-- name: agent_delete
DELETE FROM agents WHERE id = ?1

-- name: agent_delete_of_namespace
DELETE FROM agents WHERE namespace = ?1

-- name: agent_execution_delete
DELETE FROM agent_executions WHERE row IN (
  SELECT e.row FROM agent_runs r CROSS JOIN agent_executions e ON e.run = r.id WHERE r.session = ?1 ORDER BY r.id, e.row LIMIT ?2)

-- name: agent_execution_child_ended
-- A run that was called as a tool is that tool's result.
UPDATE agent_executions SET state = ?2, output = ?3, is_error = ?4, error_message = ?5, completed_at = ?6
WHERE id = ?1 AND run = ?7 AND completed_at IS NULL

-- name: agent_execution_find
SELECT row, run, snoozes, completed_at IS NOT NULL FROM agent_executions WHERE id = ?1

-- name: agent_execution_list
-- Newest first, below row ?1. The others of this name are driven by what they are told for sure.
SELECT * FROM agent_executions_read
WHERE row < ?1 AND (?2 IS NULL OR namespace = ?2) AND (?3 IS NULL OR run = ?3) AND (?4 IS NULL OR id = ?4) AND (?5 IS NULL OR job = ?5) AND (?8 = 0 OR (approval = 'asked' AND completed_at IS NULL))
  AND (?6 IS NULL OR tool = ?6) AND (?7 IS NULL OR state = ?7)
ORDER BY row DESC LIMIT ?9

-- name: agent_execution_list_of_asked
SELECT * FROM agent_executions_read
WHERE row < ?1 AND approval = 'asked' AND completed_at IS NULL AND ?8 = 1 AND (?2 IS NULL OR namespace = ?2) AND (?3 IS NULL OR run = ?3) AND (?4 IS NULL OR id = ?4) AND (?5 IS NULL OR job = ?5)
  AND (?6 IS NULL OR tool = ?6) AND (?7 IS NULL OR state = ?7)
ORDER BY row DESC LIMIT ?9

-- name: agent_execution_list_of_id
SELECT * FROM agent_executions_read
WHERE row < ?1 AND id = ?4 AND (?2 IS NULL OR namespace = ?2) AND (?3 IS NULL OR run = ?3) AND (?5 IS NULL OR job = ?5) AND (?8 = 0 OR (approval = 'asked' AND completed_at IS NULL))
  AND (?6 IS NULL OR tool = ?6) AND (?7 IS NULL OR state = ?7)
ORDER BY row DESC LIMIT ?9

-- name: agent_execution_list_of_iteration
SELECT * FROM agent_executions_read WHERE iteration = ?1 ORDER BY place, row

-- name: agent_execution_list_of_job
SELECT * FROM agent_executions_read
WHERE row < ?1 AND job = ?5 AND (?2 IS NULL OR namespace = ?2) AND (?3 IS NULL OR run = ?3) AND (?4 IS NULL OR id = ?4) AND (?8 = 0 OR (approval = 'asked' AND completed_at IS NULL))
  AND (?6 IS NULL OR tool = ?6) AND (?7 IS NULL OR state = ?7)
ORDER BY row DESC LIMIT ?9

-- name: agent_execution_list_of_run
-- By iteration and place, behind ?10, ?11 and row ?12. The number of the iteration is the last column.
SELECT e.*, i.number
FROM agent_executions_read e JOIN agent_iterations i ON i.id = e.iteration
WHERE e.run = ?3 AND (i.number, e.place, e.row) > (?10, ?11, ?12) AND (?2 IS NULL OR e.namespace = ?2) AND (?4 IS NULL OR e.id = ?4)
  AND (?5 IS NULL OR e.job = ?5) AND (?8 = 0 OR (e.approval = 'asked' AND e.completed_at IS NULL)) AND (?6 IS NULL OR e.tool = ?6) AND (?7 IS NULL OR e.state = ?7)
ORDER BY i.number, e.place, e.row LIMIT ?9

-- name: agent_execution_put
-- ?1: the row it has, or null.
INSERT OR REPLACE INTO agent_executions (row, namespace, run, id, iteration, place, state, tool_use_id, tool, input, agent, child_run, job, output, whole_output, is_error,
  error_message, approval, decided_by, decision_reason, decided_at, claimed_by, claimed_at, attempts, attempts_max, snoozes, last_error,
  scheduled_at, created_at, started_at, completed_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29,
  ?30, ?31)

-- name: agent_execution_snoozed
-- What the job ?1 carries out, if that is an execution.
UPDATE agent_executions SET snoozes = snoozes + 1 WHERE job = ?1

-- name: agent_find
SELECT * FROM agents_read WHERE id = ?1

-- name: agent_has_runs
SELECT EXISTS (SELECT 1 FROM agent_runs WHERE agent = ?1)

-- name: agent_insert
INSERT INTO agents (namespace, metadata_key, id, name, description, model, system_prompt, max_tokens, temperature, top_k, top_p, tools, delegates, betas,
  tool_choice, thinking, stop_sequences, cache_prompt, iterations_max, tokens_per_run, tokens_per_session, tokens_per_day,
  microdollars_per_run, microdollars_per_session, microdollars_per_day, metadata, config, created_at, updated_at, revision)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29,
  ?30)

-- name: agent_iteration_delete
DELETE FROM agent_iterations WHERE row IN (
  SELECT i.row FROM agent_runs r CROSS JOIN agent_iterations i ON i.run = r.id WHERE r.session = ?1 ORDER BY r.id, i.number LIMIT ?2)

-- name: agent_iteration_find
SELECT * FROM agent_iterations WHERE id = ?1

-- name: agent_iteration_list
-- The newest first.
SELECT * FROM agent_iterations WHERE run = ?1 ORDER BY number DESC LIMIT ?2

-- name: agent_iteration_numbered
SELECT id FROM agent_iterations WHERE run = ?1 AND number = ?2

-- name: agent_iteration_put
-- ?1: the row it has, or null.
INSERT OR REPLACE INTO agent_iterations (row, run, id, number, streaming, triggered_by, batch_id, batch_job, batch_status, batch_submitted_at, batch_completed_at,
  batch_expires_at, batch_polls, batch_polled_at, streaming_started_at, streaming_completed_at, attempts, partial_text, stop_reason,
  response, has_tool_use, executions, input, output, cache_creation, cache_read, microdollars, error_type, error_message, created_at,
  started_at, completed_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29,
  ?30, ?31, ?32)

-- name: agent_list
-- Behind name ?4 and id ?5.
SELECT * FROM agents_read
WHERE (?1 IS NULL OR namespace = ?1) AND (?2 IS NULL OR name = ?2) AND (?3 IS NULL OR json_contains(metadata, ?3)) AND (name, id) > (?4, ?5)
ORDER BY name, id LIMIT ?6

-- name: agent_message_archive
INSERT INTO agent_archive (event, session, number, id, run, run_depth, role, blocks, input, output, cache_creation, cache_read, preserved, summary, metadata, created_at,
  compaction)
SELECT ?1, session, number, id, run, run_depth, role, blocks, input, output, cache_creation, cache_read, preserved, summary, metadata, created_at,
  compaction
FROM agent_messages WHERE id = ?2

-- name: agent_message_archived
SELECT session FROM agent_archive WHERE id = ?1 LIMIT 1

-- name: agent_message_copy
-- Number ?5 of session ?4 becomes number ?2 of session ?1, said by no run.
INSERT INTO agent_messages (session, number, id, run, run_depth, role, blocks, input, output, cache_creation, cache_read, preserved, summary, metadata, created_at,
  compaction)
SELECT ?1, ?2, ?3, NULL, 0, role, blocks, input, output, cache_creation, cache_read, preserved, summary, metadata, created_at, NULL
FROM agent_messages WHERE session = ?4 AND number = ?5

-- name: agent_message_delete
DELETE FROM agent_messages WHERE id = ?1

-- name: agent_message_delete_of_event
DELETE FROM agent_messages WHERE compaction = ?1

-- name: agent_message_delete_of_session
DELETE FROM agent_messages WHERE row IN (SELECT row FROM agent_messages WHERE session = ?1 ORDER BY number LIMIT ?2)

-- name: agent_message_find
SELECT session, number FROM agent_messages WHERE id = ?1

-- name: agent_message_insert
INSERT INTO agent_messages (session, number, id, run, run_depth, role, blocks, input, output, cache_creation, cache_read, preserved, summary, metadata, created_at,
  compaction)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)

-- name: agent_message_list
SELECT * FROM agent_messages
WHERE session = ?1 AND number > ?2 AND (?3 IS NULL OR run_depth = ?3)
ORDER BY number LIMIT ?4

-- name: agent_message_list_of_run
SELECT * FROM agent_messages WHERE run = ?3 AND session = ?1 AND number > ?2 ORDER BY number LIMIT ?4

-- name: agent_message_root_numbers
SELECT number FROM agent_messages WHERE session = ?1 AND number <= ?2 AND run_depth = 0 ORDER BY number LIMIT ?3

-- name: agent_named
SELECT id FROM agents WHERE namespace = ?1 AND name = ?2 AND metadata_key = ?3

-- name: agent_run_delete
DELETE FROM agent_runs WHERE id IN (SELECT id FROM agent_runs WHERE session = ?1 ORDER BY id LIMIT ?2)

-- name: agent_run_find
SELECT * FROM agent_runs_read WHERE id = ?1

-- name: agent_run_insert
INSERT INTO agent_runs (namespace, id, session, agent, mode, parent, parent_execution, depth, prompt, created_by, variables, tokens_per_run, tokens_per_session,
  tokens_per_day, microdollars_per_run, microdollars_per_session, microdollars_per_day, created_at, state, previous_state, iteration,
  iteration_id, response_text, stop_reason, input, output, cache_creation, cache_read, microdollars, iterations, tool_iterations,
  error_type, error_message, claimed_by, claimed_at, rescues, last_rescue_at, started_at, finalized_at, revision)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29,
  ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39, ?40)

-- name: agent_run_list
-- Newest first, below ?1. The others of this name are driven by what they are told for sure.
SELECT * FROM agent_runs_read
WHERE id < ?1 AND (?2 IS NULL OR namespace = ?2) AND (?3 IS NULL OR session = ?3) AND (?4 IS NULL OR agent = ?4) AND (?5 IS NULL OR parent = ?5)
  AND (?6 IS NULL OR state = ?6) AND (?7 IS NULL OR mode = ?7) AND (?8 = 0 OR finalized_at IS NULL)
ORDER BY id DESC LIMIT ?9

-- name: agent_run_list_of_agent
SELECT * FROM agent_runs_read
WHERE id < ?1 AND agent = ?4 AND (?2 IS NULL OR namespace = ?2) AND (?3 IS NULL OR session = ?3) AND (?5 IS NULL OR parent = ?5)
  AND (?6 IS NULL OR state = ?6) AND (?7 IS NULL OR mode = ?7) AND (?8 = 0 OR finalized_at IS NULL)
ORDER BY id DESC LIMIT ?9

-- name: agent_run_list_of_parent
SELECT * FROM agent_runs_read
WHERE id < ?1 AND parent = ?5 AND (?2 IS NULL OR namespace = ?2) AND (?3 IS NULL OR session = ?3) AND (?4 IS NULL OR agent = ?4)
  AND (?6 IS NULL OR state = ?6) AND (?7 IS NULL OR mode = ?7) AND (?8 = 0 OR finalized_at IS NULL)
ORDER BY id DESC LIMIT ?9

-- name: agent_run_list_of_session
SELECT * FROM agent_runs_read
WHERE id < ?1 AND session = ?3 AND (?2 IS NULL OR namespace = ?2) AND (?4 IS NULL OR agent = ?4) AND (?5 IS NULL OR parent = ?5)
  AND (?6 IS NULL OR state = ?6) AND (?7 IS NULL OR mode = ?7) AND (?8 = 0 OR finalized_at IS NULL)
ORDER BY id DESC LIMIT ?9

-- name: agent_run_list_unfinished
-- Costs as much as there are unfinished ones, however many have ended.
SELECT r.* FROM agent_runs_read r
WHERE r.id IN (SELECT id FROM agent_runs INDEXED BY agent_runs_unfinished WHERE finalized_at IS NULL)
  AND r.id < ?1 AND (?2 IS NULL OR r.namespace = ?2) AND (?3 IS NULL OR r.session = ?3) AND (?4 IS NULL OR r.agent = ?4) AND (?5 IS NULL OR r.parent = ?5)
  AND (?6 IS NULL OR r.state = ?6) AND (?7 IS NULL OR r.mode = ?7) AND ?8 = 1
ORDER BY r.id DESC LIMIT ?9

-- name: agent_run_unfinished
SELECT id FROM agent_runs WHERE session = ?1 AND finalized_at IS NULL ORDER BY id LIMIT 1

-- name: agent_run_unfinished_of_namespace
SELECT EXISTS (SELECT 1 FROM agent_runs WHERE namespace = ?1 AND finalized_at IS NULL)

-- name: agent_run_unfinished_roots
SELECT id FROM agent_runs WHERE session = ?1 AND finalized_at IS NULL AND depth = 0 ORDER BY id

-- name: agent_run_update
UPDATE agent_runs
SET state = ?2, previous_state = ?3, iteration = ?4, iteration_id = ?5, response_text = ?6, stop_reason = ?7, input = ?8, output = ?9,
  cache_creation = ?10, cache_read = ?11, microdollars = ?12, iterations = ?13, tool_iterations = ?14, error_type = ?15,
  error_message = ?16, claimed_by = ?17, claimed_at = ?18, rescues = ?19, last_rescue_at = ?20, started_at = ?21, finalized_at = ?22,
  revision = ?23
WHERE id = ?1

-- name: agent_session_child
-- One right below it.
SELECT id FROM agent_sessions WHERE parent = ?1 ORDER BY row LIMIT 1

-- name: agent_session_count
SELECT COUNT(*) FROM agent_sessions WHERE (?1 IS NULL OR namespace = ?1) AND (?2 IS NULL OR json_contains(metadata, ?2)) AND (?3 IS NULL OR parent = ?3)

-- name: agent_session_count_below
SELECT COUNT(*) FROM agent_sessions WHERE (?1 IS NULL OR namespace = ?1) AND (?2 IS NULL OR json_contains(metadata, ?2)) AND parent = ?3

-- name: agent_session_delete
DELETE FROM agent_sessions WHERE id = ?1

-- name: agent_session_find
SELECT * FROM agent_sessions_read WHERE id = ?1

-- name: agent_session_ids_of_namespace
SELECT id FROM agent_sessions WHERE namespace = ?1

-- name: agent_session_insert
INSERT INTO agent_sessions (namespace, id, parent, depth, metadata, variables, compactions, created_at, updated_at, revision, last_message)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)

-- name: agent_session_list
-- Newest first, below row ?4.
SELECT * FROM agent_sessions_read
WHERE row < ?4 AND (?1 IS NULL OR namespace = ?1) AND (?2 IS NULL OR json_contains(metadata, ?2)) AND (?3 IS NULL OR parent = ?3)
ORDER BY row DESC LIMIT ?5

-- name: agent_session_list_below
SELECT * FROM agent_sessions_read
WHERE row < ?4 AND (?1 IS NULL OR namespace = ?1) AND (?2 IS NULL OR json_contains(metadata, ?2)) AND parent = ?3
ORDER BY row DESC LIMIT ?5

-- name: agent_session_tree
-- The session and all below it.
WITH RECURSIVE tree (id) AS (
  SELECT ?1 UNION SELECT s.id FROM agent_sessions s JOIN tree ON s.parent = tree.id
)
SELECT id FROM tree

-- name: agent_session_update
-- The parameters of agent_session_insert.
UPDATE agent_sessions
SET parent = ?3, depth = ?4, metadata = ?5, variables = ?6, compactions = ?7, created_at = ?8, updated_at = ?9, revision = ?10,
  last_message = ?11
WHERE id = ?2

-- name: agent_spending_add
INSERT INTO agent_spending (namespace, scope, name, day, input, output, cache_creation, cache_read, microdollars)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT DO UPDATE SET input = input + excluded.input, output = output + excluded.output,
  cache_creation = cache_creation + excluded.cache_creation, cache_read = cache_read + excluded.cache_read,
  microdollars = microdollars + excluded.microdollars

-- name: agent_spending_delete
DELETE FROM agent_spending WHERE namespace = ?1 AND scope = ?2 AND name = ?3

-- name: agent_spending_delete_of_namespace
DELETE FROM agent_spending WHERE namespace = ?1

-- name: agent_spending_get
SELECT input, output, cache_creation, cache_read, microdollars
FROM agent_spending WHERE namespace = ?1 AND scope = ?2 AND name = ?3 AND day = ?4

-- name: agent_tool_delete
DELETE FROM agent_tools WHERE namespace = ?1 AND name = ?2

-- name: agent_tool_delete_of_namespace
DELETE FROM agent_tools WHERE namespace = ?1

-- name: agent_tool_find
SELECT * FROM agent_tools_read WHERE namespace = ?1 AND name = ?2

-- name: agent_tool_insert
INSERT INTO agent_tools (namespace, name, description, input_schema, queue, needs, approval, timeout, attempts_max, retry_jitter, concurrency, arguments, metadata,
  created_at, updated_at, revision)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)

-- name: agent_tool_list
-- Behind name ?2 in namespace ?3.
SELECT * FROM agent_tools_read WHERE (?1 IS NULL OR namespace = ?1) AND (name, namespace) > (?2, ?3) ORDER BY name, namespace LIMIT ?4

-- name: agent_tool_update
-- The parameters of agent_tool_insert.
UPDATE agent_tools
SET description = ?3, input_schema = ?4, queue = ?5, needs = ?6, approval = ?7, timeout = ?8, attempts_max = ?9, retry_jitter = ?10,
  concurrency = ?11, arguments = ?12, metadata = ?13, created_at = ?14, updated_at = ?15, revision = ?16
WHERE namespace = ?1 AND name = ?2

-- name: agent_update
-- The parameters of agent_insert.
UPDATE agents
SET metadata_key = ?2, name = ?4, description = ?5, model = ?6, system_prompt = ?7, max_tokens = ?8, temperature = ?9, top_k = ?10, top_p = ?11, tools = ?12,
  delegates = ?13, betas = ?14, tool_choice = ?15, thinking = ?16, stop_sequences = ?17, cache_prompt = ?18, iterations_max = ?19,
  tokens_per_run = ?20, tokens_per_session = ?21, tokens_per_day = ?22, microdollars_per_run = ?23, microdollars_per_session = ?24,
  microdollars_per_day = ?25, metadata = ?26, config = ?27, created_at = ?28, updated_at = ?29, revision = ?30
WHERE id = ?3
