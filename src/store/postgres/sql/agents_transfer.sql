-- name: transfer_agent_runs
-- Until their contents pass $3 bytes; so do the others. Columns as agent_rows.h says, then the name of the namespace where there is one.
SELECT r.job, r.session::text, r.agent::text, r.mode, r.parent, r.parent_execution::text, r.depth, r.prompt, r.created_by, r.variables,
       r.tokens_per_run, r.tokens_per_session, r.tokens_per_day, r.microdollars_per_run, r.microdollars_per_session, r.microdollars_per_day,
       r.created_at, r.state, r.previous_state, r.iteration, r.iteration_id::text, r.response_text, r.stop_reason, r.input, r.output,
       r.cache_creation, r.cache_read, r.microdollars, r.iterations, r.tool_iterations, r.error_type, r.error_message, r.claimed_by,
       r.claimed_at, r.rescues, r.last_rescue_at, r.started_at, r.finalized_at, r.revision, n.name
FROM (
  SELECT x.*, sum(x.size) OVER (ORDER BY x.job) - x.size AS before
  FROM (SELECT *, octet_length(prompt) + octet_length(variables) + coalesce(octet_length(response_text), 0) AS size FROM {schema}.agent_runs
        WHERE job > $1::bigint ORDER BY job LIMIT $2::bigint) AS x
) AS r
JOIN {schema}.namespaces n ON n.id = r.namespace
WHERE r.before < $3::bigint ORDER BY r.job

-- name: transfer_agents
SELECT a.id::text, a.name, a.description, a.model, a.system_prompt, a.max_tokens, a.temperature, a.top_k, a.top_p, a.tools, a.delegates, a.betas,
       a.tool_choice, a.thinking, a.stop_sequences, a.cache_prompt, a.iterations_max, a.tokens_per_run, a.tokens_per_session, a.tokens_per_day,
       a.microdollars_per_run, a.microdollars_per_session, a.microdollars_per_day, a.metadata, a.config, a.created_at, a.updated_at, a.revision, n.name
FROM (
  SELECT x.*, sum(x.size) OVER (ORDER BY x.id) - x.size AS before
  FROM (SELECT *, octet_length(description) + octet_length(system_prompt) + octet_length(metadata) + octet_length(config) + octet_length(tools) AS size FROM {schema}.agents
        WHERE ($1::text = '' OR id > nullif($1::text, '')::uuid) ORDER BY id LIMIT $2::bigint) AS x
) AS a
JOIN {schema}.namespaces n ON n.id = a.namespace
WHERE a.before < $3::bigint ORDER BY a.id

-- name: transfer_archive
SELECT a.session::text, a.number, a.id::text, a.run, a.run_depth, a.role, a.blocks, a.input, a.output, a.cache_creation, a.cache_read, a.preserved,
       a.summary, a.metadata, a.created_at, a.compaction::text, a.event::text
FROM (
  SELECT x.*, sum(x.size) OVER (ORDER BY x.event, x.number) - x.size AS before
  FROM (SELECT *, octet_length(blocks) + octet_length(metadata) AS size FROM {schema}.agent_archive
        WHERE ($1::text = '' OR (event, number) > (nullif($1::text, '')::uuid, $2::bigint)) ORDER BY event, number LIMIT $3::bigint) AS x
) AS a
WHERE a.before < $4::bigint ORDER BY a.event, a.number

-- name: transfer_archive_put
INSERT INTO {schema}.agent_archive (event, session, number, id, run, run_depth, role, blocks, input, output, cache_creation, cache_read,
                                     preserved, summary, metadata, created_at, compaction)
SELECT u.event::uuid, u.session::uuid, u.number, u.id::uuid, u.run, u.run_depth, u.role, u.blocks, u.input, u.output, u.cache_creation,
       u.cache_read, u.preserved, u.summary, u.metadata, u.created_at, u.compaction::uuid
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::bytea[], $9::bigint[], $10::bigint[],
            $11::bigint[], $12::bigint[], $13::boolean[], $14::boolean[], $15::bytea[], $16::bigint[], $17::text[])
     AS u (event, session, number, id, run, run_depth, role, blocks, input, output, cache_creation, cache_read, preserved, summary, metadata, created_at,
           compaction)

-- name: transfer_blobs
SELECT b.id::text, b.session::text, b.data
FROM (
  SELECT x.*, sum(x.size) OVER (ORDER BY x.id) - x.size AS before
  FROM (SELECT *, octet_length(data) AS size FROM {schema}.agent_blobs
        WHERE ($1::text = '' OR id > nullif($1::text, '')::uuid) ORDER BY id LIMIT $2::bigint) AS x
) AS b
WHERE b.before < $3::bigint ORDER BY b.id

-- name: transfer_compactions
SELECT c.id::text, c.session::text, c.strategy, c.original_tokens, c.compacted_tokens, c.messages_removed, c.summary, c.preserved, c.model, c.took,
       c.restored, c.created_at, c.number
FROM (
  SELECT x.*, sum(x.size) OVER (ORDER BY x.number) - x.size AS before
  FROM (SELECT *, octet_length(summary) AS size FROM {schema}.agent_compactions
        WHERE number > $1::bigint ORDER BY number LIMIT $2::bigint) AS x
) AS c
WHERE c.before < $3::bigint ORDER BY c.number

-- name: transfer_executions
SELECT e.run, e.id::text, e.iteration::text, e.place, e.state, e.tool_use_id, e.tool, e.input, e.agent::text, e.child_run, e.job, e.output,
       e.whole_output::text, e.is_error, e.error_message, e.approval, e.decided_by, e.decision_reason, e.decided_at, e.claimed_by, e.claimed_at,
       e.attempts, e.attempts_max, e.snoozes, e.last_error, e.scheduled_at, e.created_at, e.started_at, e.completed_at, n.name, e.number
FROM (
  SELECT x.*, sum(x.size) OVER (ORDER BY x.number) - x.size AS before
  FROM (SELECT *, octet_length(input) + coalesce(octet_length(output), 0) AS size FROM {schema}.agent_executions
        WHERE number > $1::bigint ORDER BY number LIMIT $2::bigint) AS x
) AS e
JOIN {schema}.agent_runs r ON r.job = e.run
JOIN {schema}.namespaces n ON n.id = r.namespace
WHERE e.before < $3::bigint ORDER BY e.number

-- name: transfer_iterations
SELECT i.run, i.id::text, i.number, i.streaming, i.triggered_by, i.batch_id, i.batch_job, i.batch_status, i.batch_submitted_at, i.batch_completed_at,
       i.batch_expires_at, i.batch_polls, i.batch_polled_at, i.streaming_started_at, i.streaming_completed_at, i.attempts, i.partial_text,
       i.stop_reason, i.response::text, i.has_tool_use, i.executions, i.input, i.output, i.cache_creation, i.cache_read, i.microdollars,
       i.error_type, i.error_message, i.created_at, i.started_at, i.completed_at
FROM (
  SELECT x.*, sum(x.size) OVER (ORDER BY x.run, x.number) - x.size AS before
  FROM (SELECT *, octet_length(partial_text) AS size FROM {schema}.agent_iterations
        WHERE (run, number) > ($1::bigint, $2::bigint) ORDER BY run, number LIMIT $3::bigint) AS x
) AS i
WHERE i.before < $4::bigint ORDER BY i.run, i.number

-- name: transfer_messages
SELECT m.session::text, m.number, m.id::text, m.run, m.run_depth, m.role, m.blocks, m.input, m.output, m.cache_creation, m.cache_read, m.preserved,
       m.summary, m.metadata, m.created_at, m.compaction::text
FROM (
  SELECT x.*, sum(x.size) OVER (ORDER BY x.id) - x.size AS before
  FROM (SELECT *, octet_length(blocks) + octet_length(metadata) AS size FROM {schema}.agent_messages
        WHERE ($1::text = '' OR id > nullif($1::text, '')::uuid) ORDER BY id LIMIT $2::bigint) AS x
) AS m
WHERE m.before < $3::bigint ORDER BY m.id

-- name: transfer_quiet
-- What a copy brings is told to nobody.
SELECT set_config('muster.copying', 'on', true)

-- name: transfer_sessions
SELECT s.id::text, s.parent::text, s.depth, s.metadata, s.variables, s.compactions, s.created_at, s.updated_at, s.revision, s.last_message, n.name, s.number
FROM (
  SELECT x.*, sum(x.size) OVER (ORDER BY x.number) - x.size AS before
  FROM (SELECT *, octet_length(metadata) + octet_length(variables) AS size FROM {schema}.agent_sessions
        WHERE number > $1::bigint ORDER BY number LIMIT $2::bigint) AS x
) AS s
JOIN {schema}.namespaces n ON n.id = s.namespace
WHERE s.before < $3::bigint ORDER BY s.number

-- name: transfer_spending
SELECT s.input, s.output, s.cache_creation, s.cache_read, s.microdollars, n.name, s.namespace, s.scope, s.subject, s.day
FROM {schema}.agent_spending s JOIN {schema}.namespaces n ON n.id = s.namespace
WHERE (s.namespace, s.scope, s.day, s.subject) > ($1::bigint, $2::bigint, $3::bigint, $4::text)
ORDER BY s.namespace, s.scope, s.day, s.subject LIMIT $5::bigint

-- name: transfer_tools
SELECT t.name, t.description, t.input_schema, t.queue, t.needs, t.approval, t.timeout, t.attempts_max, t.retry_jitter, t.concurrency, t.arguments,
       t.metadata, t.created_at, t.updated_at, t.revision, n.name, t.namespace
FROM (
  SELECT x.*, sum(x.size) OVER (ORDER BY x.namespace, x.name) - x.size AS before
  FROM (SELECT *, octet_length(description) + octet_length(input_schema) + octet_length(metadata) AS size FROM {schema}.agent_tools
        WHERE (namespace, name) > ($1::bigint, $2::text COLLATE "C") ORDER BY namespace, name LIMIT $3::bigint) AS x
) AS t
JOIN {schema}.namespaces n ON n.id = t.namespace
WHERE t.before < $4::bigint ORDER BY t.namespace, t.name
