-- part: agent_session_columns
s.id::text, s.parent::text, s.depth, s.metadata, s.variables, s.compactions, s.created_at, s.updated_at, s.revision, s.last_message, s.namespace

-- name: agent_archive_back
-- What a compaction took away stands in its place again.
WITH back AS (DELETE FROM {schema}.agent_archive WHERE event = $1::text::uuid RETURNING *)
INSERT INTO {schema}.agent_messages (session, number, id, run, run_depth, role, blocks, input, output, cache_creation, cache_read, preserved,
            summary, metadata, created_at, compaction)
SELECT session, number, id, run, run_depth, role, blocks, input, output, cache_creation, cache_read, preserved, summary, metadata, created_at,
       compaction
FROM back

-- name: agent_archive_instead
-- What stands there now goes.
DELETE FROM {schema}.agent_messages m USING {schema}.agent_archive a
WHERE a.event = $1::text::uuid AND m.session = a.session AND m.number = a.number

-- name: agent_archive_put
-- Messages of the session $2 go to the archive of the event $1.
WITH gone AS (DELETE FROM {schema}.agent_messages WHERE session = $2::text::uuid AND id = ANY($3::text[]::uuid[]) RETURNING *)
INSERT INTO {schema}.agent_archive (event, session, number, id, run, run_depth, role, blocks, input, output, cache_creation, cache_read,
            preserved, summary, metadata, created_at, compaction)
SELECT $1::text::uuid, session, number, id, run, run_depth, role, blocks, input, output, cache_creation, cache_read, preserved, summary,
       metadata, created_at, compaction
FROM gone

-- name: agent_compaction_find
-- Of the session $2.
SELECT c.id::text, c.session::text, c.strategy, c.original_tokens, c.compacted_tokens, c.messages_removed, c.summary, c.preserved, c.model, c.took,
       c.restored, c.created_at
FROM {schema}.agent_compactions c WHERE c.id = $1::text::uuid AND c.session = $2::text::uuid

-- name: agent_compaction_page
-- Newest first, below the number $2. Then the number.
SELECT c.id::text, c.session::text, c.strategy, c.original_tokens, c.compacted_tokens, c.messages_removed, c.summary, c.preserved, c.model, c.took,
       c.restored, c.created_at, c.number
FROM {schema}.agent_compactions c WHERE c.session = $1::text::uuid AND c.number < $2::bigint ORDER BY c.number DESC LIMIT $3::bigint

-- name: agent_compaction_put
INSERT INTO {schema}.agent_compactions (id, session, strategy, original_tokens, compacted_tokens, messages_removed, summary, preserved, model,
                                         took, restored, created_at)
SELECT u.id::uuid, u.session::uuid, u.strategy, u.original_tokens, u.compacted_tokens, u.messages_removed, u.summary, u.preserved, u.model,
       u.took, u.restored, u.created_at
FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bytea[], $8::bytea[], $9::bytea[], $10::bigint[],
            $11::boolean[], $12::bigint[])
     AS u (id, session, strategy, original_tokens, compacted_tokens, messages_removed, summary, preserved, model, took, restored, created_at)
ON CONFLICT (id) DO NOTHING
RETURNING restored

-- name: agent_compaction_restored
UPDATE {schema}.agent_compactions SET restored = true WHERE id = $1::text::uuid

-- name: agent_compaction_standing
-- The last one that is not restored.
SELECT id::text FROM {schema}.agent_compactions WHERE session = $1::text::uuid AND NOT restored ORDER BY number DESC LIMIT 1

-- name: agent_messages_fork
-- Copies of the first messages of the session $1, of root runs and of nobody, numbered anew.
INSERT INTO {schema}.agent_messages (session, number, id, run, run_depth, role, blocks, input, output, cache_creation, cache_read, preserved,
            summary, metadata, created_at, compaction)
SELECT $2::text::uuid, row_number() OVER (ORDER BY m.number), gen_random_uuid(), NULL, 0, m.role, m.blocks, m.input, m.output, m.cache_creation,
       m.cache_read, m.preserved, m.summary, m.metadata, m.created_at, NULL
FROM {schema}.agent_messages m WHERE m.session = $1::text::uuid AND m.number <= $3::bigint AND m.run_depth = 0

-- name: agent_messages_forked
SELECT count(*) FROM {schema}.agent_messages m WHERE m.session = $1::text::uuid AND m.number <= $2::bigint AND m.run_depth = 0

-- name: agent_messages_numbers
-- The places of these messages of a session.
SELECT number, id::text FROM {schema}.agent_messages WHERE session = $1::text::uuid AND id = ANY($2::text[]::uuid[])

-- name: agent_messages_page
-- Behind the number $2, at most $5 and as many as $6 bytes hold and one more: for a root run those of root runs ($3), for a deeper one ($4) its
-- own. Then the bytes of blocks up to each.
SELECT m.session::text, m.number, m.id::text, m.run, m.run_depth, m.role, m.blocks, m.input, m.output, m.cache_creation, m.cache_read, m.preserved,
       m.summary, m.metadata, m.created_at, m.compaction::text, m.bytes_so_far
FROM (SELECT q.*, sum(octet_length(q.blocks)) OVER (ORDER BY q.number) AS bytes_so_far,
             row_number() OVER (ORDER BY q.number) AS nth
      FROM (SELECT * FROM {schema}.agent_messages
            WHERE session = $1::text::uuid AND number > $2::bigint AND (NOT $3::boolean OR run_depth = 0)
              AND ($4::bigint IS NULL OR run = $4::bigint)
            ORDER BY number LIMIT $5::bigint) AS q) AS m
WHERE m.nth <= 2 OR m.bytes_so_far - octet_length(m.blocks) <= $6::bigint
ORDER BY m.number

-- name: agent_messages_put
-- Answers a row for each whose id was free.
INSERT INTO {schema}.agent_messages (session, number, id, run, run_depth, role, blocks, input, output, cache_creation, cache_read, preserved,
                                      summary, metadata, created_at, compaction)
SELECT u.session::uuid, u.number, u.id::uuid, u.run, u.run_depth, u.role, u.blocks, u.input, u.output, u.cache_creation, u.cache_read,
       u.preserved, u.summary, u.metadata, u.created_at, u.compaction::uuid
FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::bytea[], $8::bigint[], $9::bigint[], $10::bigint[],
            $11::bigint[], $12::boolean[], $13::boolean[], $14::bytea[], $15::bigint[], $16::text[])
     AS u (session, number, id, run, run_depth, role, blocks, input, output, cache_creation, cache_read, preserved, summary, metadata, created_at,
           compaction)
ON CONFLICT DO NOTHING
RETURNING number

-- name: agent_session_archive_shrink
-- At most $2 of them, as of the others that go with a session.
WITH gone AS (DELETE FROM {schema}.agent_archive a
  USING (SELECT a.event, a.number FROM {schema}.agent_compactions c JOIN {schema}.agent_archive a ON a.event = c.id
         WHERE c.session = $1::text::uuid LIMIT $2::bigint) AS part
  WHERE a.event = part.event AND a.number = part.number RETURNING 1)
SELECT count(*) FROM gone

-- name: agent_session_blobs_shrink
WITH gone AS (DELETE FROM {schema}.agent_blobs
  WHERE id = ANY(ARRAY(SELECT id FROM {schema}.agent_blobs WHERE session = $1::text::uuid LIMIT $2::bigint)) RETURNING 1)
SELECT count(*) FROM gone

-- name: agent_session_child
-- One right below it.
SELECT id::text FROM {schema}.agent_sessions WHERE parent = $1::text::uuid ORDER BY number LIMIT 1

-- name: agent_session_compactions_shrink
WITH gone AS (DELETE FROM {schema}.agent_compactions
  WHERE id = ANY(ARRAY(SELECT id FROM {schema}.agent_compactions WHERE session = $1::text::uuid LIMIT $2::bigint)) RETURNING 1)
SELECT count(*) FROM gone

-- name: agent_session_count
SELECT count(*)
FROM {schema}.agent_sessions s
WHERE ($1::integer IS NULL OR s.namespace = $1::integer) AND ($2::text IS NULL OR s.parent = $2::text::uuid)
  AND ($3::bytea IS NULL OR {schema}.agent_json(s.metadata) @> {schema}.agent_json($3::bytea))

-- name: agent_session_delete
-- What hung on it is gone. What was spent in it stays counted for agents and days.
WITH spent AS (DELETE FROM {schema}.agent_spending WHERE scope = 0 AND namespace = $2::integer AND subject = ANY($1::text[]))
DELETE FROM {schema}.agent_sessions WHERE id = ANY($1::text[]::uuid[])

-- name: agent_session_executions_shrink
WITH gone AS (DELETE FROM {schema}.agent_executions
  WHERE id = ANY(ARRAY(SELECT e.id FROM {schema}.agent_runs r JOIN {schema}.agent_executions e ON e.run = r.job
                       WHERE r.session = $1::text::uuid LIMIT $2::bigint)) RETURNING 1)
SELECT count(*) FROM gone

-- name: agent_session_iterations_shrink
WITH gone AS (DELETE FROM {schema}.agent_iterations
  WHERE id = ANY(ARRAY(SELECT i.id FROM {schema}.agent_runs r JOIN {schema}.agent_iterations i ON i.run = r.job
                       WHERE r.session = $1::text::uuid LIMIT $2::bigint)) RETURNING 1)
SELECT count(*) FROM gone

-- name: agent_session_lock
-- Whoever appends messages, starts a run or compacts holds the session.
SELECT {part.agent_session_columns}
FROM {schema}.agent_sessions s WHERE s.id = $1::text::uuid FOR NO KEY UPDATE

-- name: agent_session_messages_shrink
WITH gone AS (DELETE FROM {schema}.agent_messages
  WHERE session = $1::text::uuid
    AND number = ANY(ARRAY(SELECT number FROM {schema}.agent_messages WHERE session = $1::text::uuid ORDER BY number LIMIT $2::bigint)) RETURNING 1)
SELECT count(*) FROM gone

-- name: agent_session_page
-- Newest first, below the number $4, as many as $6 bytes hold and one more. Then the number.
SELECT * FROM (
  SELECT q.*, sum(q.bytes) OVER in_order AS bytes_so_far, row_number() OVER in_order AS nth FROM (
      SELECT {part.agent_session_columns}, s.number, octet_length(s.metadata) + octet_length(s.variables) AS bytes
      FROM {schema}.agent_sessions s
      WHERE ($1::integer IS NULL OR s.namespace = $1::integer) AND ($2::text IS NULL OR s.parent = $2::text::uuid)
        AND ($3::bytea IS NULL OR {schema}.agent_json(s.metadata) @> {schema}.agent_json($3::bytea)) AND s.number < $4::bigint
      ORDER BY s.number DESC LIMIT $5::bigint
  ) AS q WINDOW in_order AS (ORDER BY q.number DESC)
) AS page
WHERE nth <= 2 OR bytes_so_far - bytes <= $6::bigint
ORDER BY nth

-- name: agent_session_put
INSERT INTO {schema}.agent_sessions (id, parent, depth, metadata, variables, compactions, created_at, updated_at, revision, last_message,
                                      namespace)
SELECT u.id::uuid, u.parent::uuid, u.depth, u.metadata, u.variables, u.compactions, u.created_at, u.updated_at, u.revision, u.last_message,
       u.namespace
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[], $5::bytea[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[],
            $10::bigint[], $11::bigint[])
     AS u (id, parent, depth, metadata, variables, compactions, created_at, updated_at, revision, last_message, namespace)
ON CONFLICT (id) DO NOTHING
RETURNING namespace

-- name: agent_session_read
SELECT {part.agent_session_columns}
FROM {schema}.agent_sessions s WHERE ($1::integer IS NULL OR s.namespace = $1::integer) AND s.id = ANY($2::text[]::uuid[])

-- name: agent_session_replace
-- The caller holds the row.
UPDATE {schema}.agent_sessions AS s
SET metadata = u.metadata, variables = u.variables, compactions = u.compactions, updated_at = u.updated_at, revision = u.revision,
    last_message = u.last_message
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[], $5::bytea[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[],
            $10::bigint[], $11::bigint[])
     AS u (id, parent, depth, metadata, variables, compactions, created_at, updated_at, revision, last_message, namespace)
WHERE s.id = u.id::uuid

-- name: agent_session_runs_shrink
-- Those that were called before those that called them, which would take them along.
WITH gone AS (DELETE FROM {schema}.agent_runs
  WHERE job = ANY(ARRAY(SELECT job FROM {schema}.agent_runs WHERE session = $1::text::uuid ORDER BY job DESC LIMIT $2::bigint)) RETURNING 1)
SELECT count(*) FROM gone

-- name: agent_session_tree
-- It and all below it, held.
WITH RECURSIVE tree AS (
  SELECT id, depth FROM {schema}.agent_sessions WHERE id = $1::text::uuid
  UNION ALL
  SELECT s.id, s.depth FROM {schema}.agent_sessions s JOIN tree t ON s.parent = t.id
)
SELECT s.id::text FROM {schema}.agent_sessions s JOIN tree t ON t.id = s.id ORDER BY t.depth, s.number FOR UPDATE OF s

-- name: agent_session_unfinished
SELECT id::text FROM {schema}.agent_runs WHERE session = ANY($1::text[]::uuid[]) AND finalized_at IS NULL LIMIT 1

-- name: agent_spending_put
-- Added to what is there, in one order for everybody.
INSERT INTO {schema}.agent_spending AS s (namespace, scope, subject, day, input, output, cache_creation, cache_read, microdollars)
SELECT u.namespace, u.scope, u.subject, u.day, u.input, u.output, u.cache_creation, u.cache_read, u.microdollars
FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[])
     AS u (namespace, scope, subject, day, input, output, cache_creation, cache_read, microdollars)
ORDER BY u.scope, u.subject
ON CONFLICT (namespace, scope, subject, day) DO UPDATE
SET input = s.input + excluded.input, output = s.output + excluded.output, cache_creation = s.cache_creation + excluded.cache_creation,
    cache_read = s.cache_read + excluded.cache_read, microdollars = s.microdollars + excluded.microdollars

-- name: agent_spending_read
-- What there is of a session's, an agent's of a day and the namespace's of that day.
SELECT input, output, cache_creation, cache_read, microdollars, scope
FROM {schema}.agent_spending
WHERE namespace = $1::integer
  AND ((scope = 0 AND subject = $2::text AND day = 0) OR (scope = 1 AND subject = $3::text AND day = $4::bigint)
       OR (scope = 2 AND subject = '' AND day = $4::bigint))

-- name: namespace_delete_agents
-- Sessions take their runs, messages and all else along.
WITH spent AS (DELETE FROM {schema}.agent_spending WHERE namespace = $1::integer),
  tools AS (DELETE FROM {schema}.agent_tools WHERE namespace = $1::integer)
DELETE FROM {schema}.agent_sessions WHERE namespace = $1::integer

-- name: namespace_delete_agents_left
-- When no run names them any more.
DELETE FROM {schema}.agents WHERE namespace = $1::integer

-- name: namespace_unfinished_run
SELECT id::text FROM {schema}.agent_runs WHERE namespace = $1::integer AND finalized_at IS NULL LIMIT 1
