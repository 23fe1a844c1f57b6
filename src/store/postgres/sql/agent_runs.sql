-- part: agent_execution_columns
e.run, e.id::text, e.iteration::text, e.place, e.state, e.tool_use_id, e.tool, e.input, e.agent::text, e.child_run, e.job, e.output,
       e.whole_output::text, e.is_error, e.error_message, e.approval, e.decided_by, e.decision_reason, e.decided_at, e.claimed_by, e.claimed_at,
       e.attempts, e.attempts_max, e.snoozes, e.last_error, e.scheduled_at, e.created_at, e.started_at, e.completed_at

-- part: agent_execution_bytes
octet_length(e.input) + coalesce(octet_length(e.output), 0) + octet_length(e.last_error)

-- part: agent_execution_page_begin
SELECT * FROM (
  SELECT q.*, sum(q.bytes) OVER (ORDER BY q.number DESC) AS bytes_so_far, row_number() OVER (ORDER BY q.number DESC) AS nth FROM (
      SELECT {part.agent_execution_columns}, e.number,
             {part.agent_execution_bytes} AS bytes
      FROM {schema}.agent_executions e JOIN {schema}.agent_runs r ON r.job = e.run

-- part: agent_execution_page_end
      ORDER BY e.number DESC LIMIT $8::bigint
  ) AS q
) AS page
WHERE nth <= 2 OR bytes_so_far - bytes <= $9::bigint
ORDER BY number DESC

-- part: agent_iteration_columns
i.run, i.id::text, i.number, i.streaming, i.triggered_by, i.batch_id, i.batch_job, i.batch_status, i.batch_submitted_at, i.batch_completed_at,
       i.batch_expires_at, i.batch_polls, i.batch_polled_at, i.streaming_started_at, i.streaming_completed_at, i.attempts, i.partial_text,
       i.stop_reason, i.response::text, i.has_tool_use, i.executions, i.input, i.output, i.cache_creation, i.cache_read, i.microdollars,
       i.error_type, i.error_message, i.created_at, i.started_at, i.completed_at

-- part: agent_run_columns
r.job, r.session::text, r.agent::text, r.mode, r.parent, r.parent_execution::text, r.depth, r.prompt, r.created_by, r.variables,
       r.tokens_per_run, r.tokens_per_session, r.tokens_per_day, r.microdollars_per_run, r.microdollars_per_session, r.microdollars_per_day,
       r.created_at, r.state, r.previous_state, r.iteration, r.iteration_id::text, r.response_text, r.stop_reason, r.input, r.output,
       r.cache_creation, r.cache_read, r.microdollars, r.iterations, r.tool_iterations, r.error_type, r.error_message, r.claimed_by,
       r.claimed_at, r.rescues, r.last_rescue_at, r.started_at, r.finalized_at, r.revision, r.namespace

-- name: agent_blob_read
SELECT data FROM {schema}.agent_blobs WHERE id = $1::text::uuid

-- name: agent_blobs_put
-- Answers a row for each whose id was free.
INSERT INTO {schema}.agent_blobs (id, session, data)
SELECT u.id::uuid, u.session::uuid, u.data FROM unnest($1::text[], $2::text[], $3::bytea[]) AS u (id, session, data)
ON CONFLICT (id) DO NOTHING
RETURNING id::text

-- name: agent_execution_page
-- Newest first, below the number $1, as many as $9 bytes hold and one more. Then the number. The others are the same, each by an index of its
-- own.
{part.agent_execution_page_begin}
      WHERE e.number < $1::bigint AND ($2::integer IS NULL OR r.namespace = $2::integer) AND ($3::text IS NULL OR e.id = $3::text::uuid)
        AND ($4::bigint IS NULL OR e.job = $4::bigint) AND ($5::bytea IS NULL OR e.tool = $5::bytea) AND ($6::text IS NULL OR e.state = $6::text)
        AND (NOT $7::boolean OR (e.approval = 'asked' AND e.completed_at IS NULL))
{part.agent_execution_page_end}

-- name: agent_execution_page_asked
{part.agent_execution_page_begin}
      WHERE e.approval = 'asked' AND e.completed_at IS NULL AND e.number < $1::bigint AND ($2::integer IS NULL OR r.namespace = $2::integer) AND ($3::text IS NULL OR e.id = $3::text::uuid)
        AND ($4::bigint IS NULL OR e.job = $4::bigint) AND ($5::bytea IS NULL OR e.tool = $5::bytea) AND ($6::text IS NULL OR e.state = $6::text)
        AND $7::boolean
{part.agent_execution_page_end}

-- name: agent_execution_page_of_id
{part.agent_execution_page_begin}
      WHERE e.id = $3::text::uuid AND e.number < $1::bigint AND ($2::integer IS NULL OR r.namespace = $2::integer)
        AND ($4::bigint IS NULL OR e.job = $4::bigint) AND ($5::bytea IS NULL OR e.tool = $5::bytea) AND ($6::text IS NULL OR e.state = $6::text)
        AND (NOT $7::boolean OR (e.approval = 'asked' AND e.completed_at IS NULL))
{part.agent_execution_page_end}

-- name: agent_execution_page_of_job
{part.agent_execution_page_begin}
      WHERE e.job = $4::bigint AND e.number < $1::bigint AND ($2::integer IS NULL OR r.namespace = $2::integer) AND ($3::text IS NULL OR e.id = $3::text::uuid)
        AND ($5::bytea IS NULL OR e.tool = $5::bytea) AND ($6::text IS NULL OR e.state = $6::text)
        AND (NOT $7::boolean OR (e.approval = 'asked' AND e.completed_at IS NULL))
{part.agent_execution_page_end}

-- name: agent_executions_elsewhere
-- One of these that is another run's.
SELECT id::text FROM {schema}.agent_executions WHERE id = ANY($2::text[]::uuid[]) AND run <> $1::bigint LIMIT 1

-- name: agent_executions_of_run
-- By iteration and place, behind $2 to $4, as many as $12 bytes hold and one more. Then the number of the iteration, and that of the row.
SELECT * FROM (
  SELECT q.*, sum(q.bytes) OVER (ORDER BY q.iteration_number, q.place, q.number) AS bytes_so_far, row_number() OVER (ORDER BY q.iteration_number, q.place, q.number) AS nth FROM (
      SELECT {part.agent_execution_columns}, i.number AS iteration_number, e.number,
             {part.agent_execution_bytes} AS bytes
      FROM {schema}.agent_executions e
      JOIN {schema}.agent_iterations i ON i.id = e.iteration
      JOIN {schema}.agent_runs r ON r.job = e.run
      WHERE e.run = $1::bigint AND (i.number, e.place, e.number) > ($2::bigint, $3::bigint, $4::bigint)
        AND ($5::integer IS NULL OR r.namespace = $5::integer) AND ($6::text IS NULL OR e.id = $6::text::uuid)
        AND ($7::bigint IS NULL OR e.job = $7::bigint) AND ($8::bytea IS NULL OR e.tool = $8::bytea) AND ($9::text IS NULL OR e.state = $9::text)
        AND (NOT $10::boolean OR (e.approval = 'asked' AND e.completed_at IS NULL))
      ORDER BY i.number, e.place, e.number LIMIT $11::bigint
  ) AS q
) AS page
WHERE nth <= 2 OR bytes_so_far - bytes <= $12::bigint
ORDER BY iteration_number, place, number

-- name: agent_executions_put
-- New ones, and those that are there as they are now. What has ended does not begin again: what a called run came to may have been written
-- down in between.
INSERT INTO {schema}.agent_executions AS held (run, id, iteration, place, state, tool_use_id, tool, input, agent, child_run, job, output,
                                                whole_output, is_error, error_message, approval, decided_by, decision_reason, decided_at,
                                                claimed_by, claimed_at, attempts, attempts_max, snoozes, last_error, scheduled_at, created_at,
                                                started_at, completed_at)
SELECT u.run, u.id::uuid, u.iteration::uuid, u.place, u.state, u.tool_use_id, u.tool, u.input, u.agent::uuid, u.child_run, u.job, u.output,
       u.whole_output::uuid, u.is_error, u.error_message, u.approval, u.decided_by, u.decision_reason, u.decided_at, u.claimed_by, u.claimed_at,
       u.attempts, u.attempts_max, u.snoozes, u.last_error, u.scheduled_at, u.created_at, u.started_at, u.completed_at
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bytea[], $7::bytea[], $8::bytea[], $9::text[], $10::bigint[],
            $11::bigint[], $12::bytea[], $13::text[], $14::boolean[], $15::bytea[], $16::text[], $17::bytea[], $18::bytea[], $19::bigint[],
            $20::text[], $21::bigint[], $22::bigint[], $23::bigint[], $24::bigint[], $25::bytea[], $26::bigint[], $27::bigint[], $28::bigint[],
            $29::bigint[])
     AS u (run, id, iteration, place, state, tool_use_id, tool, input, agent, child_run, job, output, whole_output, is_error, error_message, approval,
           decided_by, decision_reason, decided_at, claimed_by, claimed_at, attempts, attempts_max, snoozes, last_error, scheduled_at,
           created_at, started_at, completed_at)
ON CONFLICT (id) DO UPDATE
SET iteration = excluded.iteration, place = excluded.place, state = excluded.state, tool_use_id = excluded.tool_use_id, tool = excluded.tool,
    input = excluded.input, agent = excluded.agent, child_run = excluded.child_run, job = excluded.job, output = excluded.output,
    whole_output = excluded.whole_output, is_error = excluded.is_error, error_message = excluded.error_message, approval = excluded.approval,
    decided_by = excluded.decided_by, decision_reason = excluded.decision_reason, decided_at = excluded.decided_at,
    claimed_by = excluded.claimed_by, claimed_at = excluded.claimed_at, attempts = excluded.attempts, attempts_max = excluded.attempts_max,
    snoozes = greatest(held.snoozes, excluded.snoozes), last_error = excluded.last_error, scheduled_at = excluded.scheduled_at,
    created_at = excluded.created_at, started_at = excluded.started_at, completed_at = excluded.completed_at
WHERE held.run = excluded.run AND (held.completed_at IS NULL OR excluded.completed_at IS NOT NULL)

-- name: agent_executions_snoozed
-- What these jobs carry out, where that is an execution. In the order of their rows, as others lock them.
UPDATE {schema}.agent_executions AS e SET snoozes = e.snoozes + 1
FROM (SELECT id FROM {schema}.agent_executions WHERE job = ANY($1::bigint[]) ORDER BY number FOR NO KEY UPDATE) AS held
WHERE e.id = held.id

-- name: agent_iteration_places
-- The iteration of the run $1 with the number $2, and the run of the iteration $3.
SELECT (SELECT id::text FROM {schema}.agent_iterations WHERE run = $1::bigint AND number = $2::integer),
       (SELECT run FROM {schema}.agent_iterations WHERE id = $3::text::uuid)

-- name: agent_iterations_known
-- Which of these are iterations of the run.
SELECT id::text FROM {schema}.agent_iterations WHERE run = $1::bigint AND id = ANY($2::text[]::uuid[])

-- name: agent_iterations_list
-- The newest $2, as many as $3 bytes hold; the oldest of these first.
SELECT * FROM (
  SELECT q.*, sum(q.bytes) OVER in_order AS bytes_so_far, row_number() OVER in_order AS nth FROM (
      SELECT {part.agent_iteration_columns}, octet_length(i.partial_text) + octet_length(i.error_message) AS bytes
      FROM {schema}.agent_iterations i WHERE i.run = $1::bigint ORDER BY i.number DESC LIMIT $2::bigint
  ) AS q WINDOW in_order AS (ORDER BY q.number DESC)
) AS page
WHERE nth = 1 OR bytes_so_far <= $3::bigint
ORDER BY number

-- name: agent_iterations_put
INSERT INTO {schema}.agent_iterations (run, id, number, streaming, triggered_by, batch_id, batch_job, batch_status, batch_submitted_at,
                                        batch_completed_at, batch_expires_at, batch_polls, batch_polled_at, streaming_started_at,
                                        streaming_completed_at, attempts, partial_text, stop_reason, response, has_tool_use, executions, input,
                                        output, cache_creation, cache_read, microdollars, error_type, error_message, created_at, started_at,
                                        completed_at)
SELECT u.run, u.id::uuid, u.number, u.streaming, u.triggered_by, u.batch_id, u.batch_job, u.batch_status, u.batch_submitted_at,
       u.batch_completed_at, u.batch_expires_at, u.batch_polls, u.batch_polled_at, u.streaming_started_at, u.streaming_completed_at, u.attempts,
       u.partial_text, u.stop_reason, u.response::uuid, u.has_tool_use, u.executions, u.input, u.output, u.cache_creation, u.cache_read,
       u.microdollars, u.error_type, u.error_message, u.created_at, u.started_at, u.completed_at
FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::boolean[], $5::text[], $6::bytea[], $7::bigint[], $8::text[], $9::bigint[],
            $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[], $17::bytea[], $18::bytea[],
            $19::text[], $20::boolean[], $21::bigint[], $22::bigint[], $23::bigint[], $24::bigint[], $25::bigint[], $26::bigint[], $27::text[],
            $28::bytea[], $29::bigint[], $30::bigint[], $31::bigint[])
     AS u (run, id, number, streaming, triggered_by, batch_id, batch_job, batch_status, batch_submitted_at, batch_completed_at, batch_expires_at,
           batch_polls, batch_polled_at, streaming_started_at, streaming_completed_at, attempts, partial_text, stop_reason, response,
           has_tool_use, executions, input, output, cache_creation, cache_read, microdollars, error_type, error_message, created_at, started_at,
           completed_at)
ON CONFLICT (id) DO UPDATE
SET number = excluded.number, streaming = excluded.streaming, triggered_by = excluded.triggered_by, batch_id = excluded.batch_id,
    batch_job = excluded.batch_job, batch_status = excluded.batch_status, batch_submitted_at = excluded.batch_submitted_at,
    batch_completed_at = excluded.batch_completed_at, batch_expires_at = excluded.batch_expires_at, batch_polls = excluded.batch_polls,
    batch_polled_at = excluded.batch_polled_at, streaming_started_at = excluded.streaming_started_at,
    streaming_completed_at = excluded.streaming_completed_at, attempts = excluded.attempts, partial_text = excluded.partial_text,
    stop_reason = excluded.stop_reason, response = excluded.response, has_tool_use = excluded.has_tool_use, executions = excluded.executions,
    input = excluded.input, output = excluded.output, cache_creation = excluded.cache_creation, cache_read = excluded.cache_read,
    microdollars = excluded.microdollars, error_type = excluded.error_type, error_message = excluded.error_message,
    created_at = excluded.created_at, started_at = excluded.started_at, completed_at = excluded.completed_at

-- part: agent_run_page_begin
SELECT * FROM (
  SELECT q.*, sum(q.bytes) OVER (ORDER BY q.job DESC) AS bytes_so_far, row_number() OVER (ORDER BY q.job DESC) AS nth FROM (
      SELECT {part.agent_run_columns},
             octet_length(r.prompt) + octet_length(r.variables) + coalesce(octet_length(r.response_text), 0) AS bytes
      FROM {schema}.agent_runs r

-- part: agent_run_page_end
      ORDER BY r.job DESC LIMIT $9::bigint
  ) AS q
) AS page
WHERE nth <= 2 OR bytes_so_far - bytes <= $10::bigint
ORDER BY job DESC

-- name: agent_run_lock
SELECT {part.agent_run_columns}
FROM {schema}.agent_runs r WHERE r.job = $1::bigint FOR NO KEY UPDATE

-- name: agent_run_page
-- Newest first, below the key $1, as many as $10 bytes hold and one more. The others are the same, each by an index of its own.
{part.agent_run_page_begin}
      WHERE r.job < $1::bigint AND ($2::integer IS NULL OR r.namespace = $2::integer)
        AND ($3::text IS NULL OR r.session = $3::text::uuid) AND ($4::text IS NULL OR r.agent = $4::text::uuid)
        AND ($5::bigint IS NULL OR r.parent = $5::bigint) AND ($6::text IS NULL OR r.state = $6::text) AND ($7::text IS NULL OR r.mode = $7::text)
        AND (NOT $8::boolean OR r.finalized_at IS NULL)
{part.agent_run_page_end}

-- name: agent_run_page_of_agent
{part.agent_run_page_begin}
      WHERE r.agent = $4::text::uuid AND r.job < $1::bigint AND ($2::integer IS NULL OR r.namespace = $2::integer)
        AND ($3::text IS NULL OR r.session = $3::text::uuid)
        AND ($5::bigint IS NULL OR r.parent = $5::bigint) AND ($6::text IS NULL OR r.state = $6::text) AND ($7::text IS NULL OR r.mode = $7::text)
        AND (NOT $8::boolean OR r.finalized_at IS NULL)
{part.agent_run_page_end}

-- name: agent_run_page_of_parent
{part.agent_run_page_begin}
      WHERE r.parent = $5::bigint AND r.job < $1::bigint AND ($2::integer IS NULL OR r.namespace = $2::integer)
        AND ($3::text IS NULL OR r.session = $3::text::uuid) AND ($4::text IS NULL OR r.agent = $4::text::uuid)
        AND ($6::text IS NULL OR r.state = $6::text) AND ($7::text IS NULL OR r.mode = $7::text)
        AND (NOT $8::boolean OR r.finalized_at IS NULL)
{part.agent_run_page_end}

-- name: agent_run_page_of_session
{part.agent_run_page_begin}
      WHERE r.session = $3::text::uuid AND r.job < $1::bigint AND ($2::integer IS NULL OR r.namespace = $2::integer)
        AND ($4::text IS NULL OR r.agent = $4::text::uuid)
        AND ($5::bigint IS NULL OR r.parent = $5::bigint) AND ($6::text IS NULL OR r.state = $6::text) AND ($7::text IS NULL OR r.mode = $7::text)
        AND (NOT $8::boolean OR r.finalized_at IS NULL)
{part.agent_run_page_end}

-- name: agent_run_page_unfinished
-- By the index of those that are unfinished: what has ended costs nothing.
{part.agent_run_page_begin}
      WHERE r.finalized_at IS NULL AND r.job < $1::bigint AND ($2::integer IS NULL OR r.namespace = $2::integer)
        AND ($3::text IS NULL OR r.session = $3::text::uuid) AND ($4::text IS NULL OR r.agent = $4::text::uuid)
        AND ($5::bigint IS NULL OR r.parent = $5::bigint) AND ($6::text IS NULL OR r.state = $6::text) AND ($7::text IS NULL OR r.mode = $7::text)
        AND $8::boolean
{part.agent_run_page_end}

-- name: agent_run_read
SELECT {part.agent_run_columns}
FROM {schema}.agent_runs r WHERE r.job = ANY($1::bigint[])

-- name: agent_run_replace
-- What changes of a run after it began. The caller holds the row.
UPDATE {schema}.agent_runs AS r
SET state = u.state, previous_state = u.previous_state, iteration = u.iteration, iteration_id = u.iteration_id::uuid,
    response_text = u.response_text, stop_reason = u.stop_reason, input = u.input, output = u.output, cache_creation = u.cache_creation,
    cache_read = u.cache_read, microdollars = u.microdollars, iterations = u.iterations, tool_iterations = u.tool_iterations,
    error_type = u.error_type, error_message = u.error_message, claimed_by = u.claimed_by, claimed_at = u.claimed_at, rescues = u.rescues,
    last_rescue_at = u.last_rescue_at, started_at = u.started_at, finalized_at = u.finalized_at, revision = u.revision
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bytea[], $7::bytea[], $8::bigint[], $9::bigint[], $10::bigint[],
            $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::text[], $16::bytea[], $17::text[], $18::bigint[], $19::bigint[],
            $20::bigint[], $21::bigint[], $22::bigint[], $23::bigint[])
     AS u (job, state, previous_state, iteration, iteration_id, response_text, stop_reason, input, output, cache_creation, cache_read, microdollars,
           iterations, tool_iterations, error_type, error_message, claimed_by, claimed_at, rescues, last_rescue_at, started_at, finalized_at,
           revision)
WHERE r.job = u.job

-- name: agent_run_view
-- With its agent, its session and its current iteration.
SELECT {part.agent_run_columns},
       {part.agent_columns},
       {part.agent_session_columns},
       {part.agent_iteration_columns}
FROM {schema}.agent_runs r
JOIN {schema}.agents a ON a.id = r.agent
JOIN {schema}.agent_sessions s ON s.id = r.session
LEFT JOIN {schema}.agent_iterations i ON i.id = r.iteration_id AND i.run = r.job
WHERE r.job = $1::bigint

-- name: agent_run_view_executions
-- Of the current iteration. Then the run's revision, by which the reader sees that both answers are of one instant.
SELECT {part.agent_execution_columns}, r.revision
FROM {schema}.agent_runs r LEFT JOIN {schema}.agent_executions e ON e.iteration = r.iteration_id AND e.run = r.job
WHERE r.job = $1::bigint ORDER BY e.place, e.number

-- name: agent_runs_before
-- The unfinished root runs of a session.
SELECT job FROM {schema}.agent_runs WHERE session = $1::text::uuid AND finalized_at IS NULL AND depth = 0 ORDER BY job

-- name: agent_runs_put
INSERT INTO {schema}.agent_runs (job, session, agent, mode, parent, parent_execution, depth, prompt, created_by, variables, tokens_per_run,
                                  tokens_per_session, tokens_per_day, microdollars_per_run, microdollars_per_session, microdollars_per_day,
                                  created_at, state, previous_state, iteration, iteration_id, response_text, stop_reason, input, output,
                                  cache_creation, cache_read, microdollars, iterations, tool_iterations, error_type, error_message, claimed_by,
                                  claimed_at, rescues, last_rescue_at, started_at, finalized_at, revision, namespace, id)
SELECT u.job, u.session::uuid, u.agent::uuid, u.mode, u.parent, u.parent_execution::uuid, u.depth, u.prompt, u.created_by, u.variables,
       u.tokens_per_run, u.tokens_per_session, u.tokens_per_day, u.microdollars_per_run, u.microdollars_per_session, u.microdollars_per_day,
       u.created_at, u.state, u.previous_state, u.iteration, u.iteration_id::uuid, u.response_text, u.stop_reason, u.input, u.output,
       u.cache_creation, u.cache_read, u.microdollars, u.iterations, u.tool_iterations, u.error_type, u.error_message, u.claimed_by,
       u.claimed_at, u.rescues, u.last_rescue_at, u.started_at, u.finalized_at, u.revision, u.namespace, u.id::uuid
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::bigint[], $8::bytea[], $9::text[], $10::bytea[],
            $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[], $18::text[], $19::text[],
            $20::bigint[], $21::text[], $22::bytea[], $23::bytea[], $24::bigint[], $25::bigint[], $26::bigint[], $27::bigint[], $28::bigint[],
            $29::bigint[], $30::bigint[], $31::text[], $32::bytea[], $33::text[], $34::bigint[], $35::bigint[], $36::bigint[], $37::bigint[],
            $38::bigint[], $39::bigint[], $40::bigint[], $41::text[])
     AS u (job, session, agent, mode, parent, parent_execution, depth, prompt, created_by, variables, tokens_per_run, tokens_per_session, tokens_per_day,
           microdollars_per_run, microdollars_per_session, microdollars_per_day, created_at, state, previous_state, iteration, iteration_id,
           response_text, stop_reason, input, output, cache_creation, cache_read, microdollars, iterations, tool_iterations, error_type,
           error_message, claimed_by, claimed_at, rescues, last_rescue_at, started_at, finalized_at, revision, namespace, id)

-- name: jobs_live
SELECT id FROM {schema}.waiting WHERE id = ANY($1::bigint[])
UNION ALL
SELECT id FROM {schema}.running WHERE id = ANY($1::bigint[])
