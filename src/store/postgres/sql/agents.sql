-- part: agent_columns
a.id::text, a.name, a.description, a.model, a.system_prompt, a.max_tokens, a.temperature, a.top_k, a.top_p, a.tools, a.delegates, a.betas,
       a.tool_choice, a.thinking, a.stop_sequences, a.cache_prompt, a.iterations_max, a.tokens_per_run, a.tokens_per_session, a.tokens_per_day,
       a.microdollars_per_run, a.microdollars_per_session, a.microdollars_per_day, a.metadata, a.config, a.created_at, a.updated_at, a.revision, a.namespace

-- part: agent_tool_columns
t.name, t.description, t.input_schema, t.queue, t.needs, t.approval, t.timeout, t.attempts_max, t.retry_jitter, t.concurrency, t.arguments,
       t.metadata, t.created_at, t.updated_at, t.revision, t.namespace

-- part: agents_given
FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[], $5::bytea[], $6::bigint[], $7::double precision[], $8::bigint[],
            $9::double precision[], $10::bytea[], $11::bytea[], $12::bytea[], $13::bytea[], $14::bytea[], $15::bytea[], $16::boolean[],
            $17::bigint[], $18::bigint[], $19::bigint[], $20::bigint[], $21::bigint[], $22::bigint[], $23::bigint[], $24::bytea[], $25::bytea[],
            $26::bigint[], $27::bigint[], $28::bigint[], $29::text[], $30::bigint[])
     AS u (id, name, description, model, system_prompt, max_tokens, temperature, top_k, top_p, tools, delegates, betas, tool_choice, thinking,
           stop_sequences, cache_prompt, iterations_max, tokens_per_run, tokens_per_session, tokens_per_day, microdollars_per_run,
           microdollars_per_session, microdollars_per_day, metadata, config, created_at, updated_at, revision, metadata_key, namespace)

-- name: agent_count
SELECT count(*)
FROM {schema}.agents a
WHERE ($1::integer IS NULL OR a.namespace = $1::integer) AND ($2::text IS NULL OR a.name = $2::text)
  AND ($3::bytea IS NULL OR {schema}.agent_json(a.metadata) @> {schema}.agent_json($3::bytea))

-- name: agent_delete
-- With what it has spent on its days.
WITH spent AS (DELETE FROM {schema}.agent_spending WHERE namespace = $2::integer AND scope = 1 AND subject = $1::text)
DELETE FROM {schema}.agents WHERE id = $1::text::uuid

-- name: agent_lock
SELECT {part.agent_columns}
FROM {schema}.agents a WHERE a.namespace = $1::integer AND a.id = $2::text::uuid FOR UPDATE

-- name: agent_needed
SELECT id::text FROM {schema}.agent_runs WHERE agent = $1::text::uuid LIMIT 1

-- name: agent_page
-- By name, then id, behind $4 and $5, as many as $7 bytes hold and one more.
SELECT * FROM (
  SELECT q.*, sum(q.bytes) OVER in_order AS bytes_so_far, row_number() OVER in_order AS nth FROM (
      SELECT {part.agent_columns},
             octet_length(a.system_prompt) + octet_length(a.description) + octet_length(a.metadata) + octet_length(a.config) AS bytes
      FROM {schema}.agents a
      WHERE ($1::integer IS NULL OR a.namespace = $1::integer) AND ($2::text IS NULL OR a.name = $2::text)
        AND ($3::bytea IS NULL OR {schema}.agent_json(a.metadata) @> {schema}.agent_json($3::bytea))
        AND ($4::text IS NULL OR (a.name, a.id) > ($4::text COLLATE "C", $5::text::uuid))
      ORDER BY a.name, a.id LIMIT $6::bigint
  ) AS q WINDOW in_order AS (ORDER BY q.name, q.id COLLATE "C")
) AS page
WHERE nth <= 2 OR bytes_so_far - bytes <= $7::bigint
ORDER BY nth

-- name: agent_put
-- Answers a row if neither the id nor the name with these metadata was taken.
INSERT INTO {schema}.agents (id, name, description, model, system_prompt, max_tokens, temperature, top_k, top_p, tools, delegates, betas,
                              tool_choice, thinking, stop_sequences, cache_prompt, iterations_max, tokens_per_run, tokens_per_session,
                              tokens_per_day, microdollars_per_run, microdollars_per_session, microdollars_per_day, metadata, config, created_at,
                              updated_at, revision, metadata_key, namespace)
SELECT u.id::uuid, u.name, u.description, u.model, u.system_prompt, u.max_tokens, u.temperature, u.top_k, u.top_p, u.tools, u.delegates, u.betas,
       u.tool_choice, u.thinking, u.stop_sequences, u.cache_prompt, u.iterations_max, u.tokens_per_run, u.tokens_per_session, u.tokens_per_day,
       u.microdollars_per_run, u.microdollars_per_session, u.microdollars_per_day, u.metadata, u.config, u.created_at, u.updated_at, u.revision,
       u.metadata_key, u.namespace
{part.agents_given}
ON CONFLICT DO NOTHING
RETURNING namespace

-- name: agent_read
SELECT {part.agent_columns}
FROM {schema}.agents a WHERE a.namespace = $1::integer AND a.id = ANY($2::text[]::uuid[])

-- name: agent_replace
-- The caller holds the row.
UPDATE {schema}.agents AS a
SET name = u.name, description = u.description, model = u.model, system_prompt = u.system_prompt, max_tokens = u.max_tokens,
    temperature = u.temperature, top_k = u.top_k, top_p = u.top_p, tools = u.tools, delegates = u.delegates, betas = u.betas,
    tool_choice = u.tool_choice, thinking = u.thinking, stop_sequences = u.stop_sequences, cache_prompt = u.cache_prompt,
    iterations_max = u.iterations_max, tokens_per_run = u.tokens_per_run, tokens_per_session = u.tokens_per_session,
    tokens_per_day = u.tokens_per_day, microdollars_per_run = u.microdollars_per_run, microdollars_per_session = u.microdollars_per_session,
    microdollars_per_day = u.microdollars_per_day, metadata = u.metadata, config = u.config, updated_at = u.updated_at, revision = u.revision,
    metadata_key = u.metadata_key
{part.agents_given}
WHERE a.id = u.id::uuid

-- name: agent_share
-- Is not deleted until the commit.
SELECT a.id::text FROM {schema}.agents a WHERE a.namespace = $1::integer AND a.id = $2::text::uuid FOR KEY SHARE

-- name: agent_taken
SELECT a.id::text FROM {schema}.agents a
WHERE a.namespace = $1::integer AND a.name = $2::text AND a.metadata_key = $3::text AND a.id <> $4::text::uuid

-- name: tool_delete
DELETE FROM {schema}.agent_tools WHERE namespace = $1::integer AND name = $2::text

-- name: tool_lock
SELECT {part.agent_tool_columns}
FROM {schema}.agent_tools t WHERE t.namespace = $1::integer AND t.name = $2::text FOR UPDATE

-- name: tool_page
-- By name, then namespace, behind $2 and $3, as many as $5 bytes hold and one more.
SELECT * FROM (
  SELECT q.*, sum(q.bytes) OVER in_order AS bytes_so_far, row_number() OVER in_order AS nth FROM (
      SELECT {part.agent_tool_columns}, octet_length(t.description) + octet_length(t.input_schema) + octet_length(t.metadata) AS bytes
      FROM {schema}.agent_tools t
      WHERE ($1::integer IS NULL OR t.namespace = $1::integer) AND ($2::text IS NULL OR (t.name, t.namespace) > ($2::text COLLATE "C", $3::integer))
      ORDER BY t.name, t.namespace LIMIT $4::bigint
  ) AS q WINDOW in_order AS (ORDER BY q.name, q.namespace)
) AS page
WHERE nth <= 2 OR bytes_so_far - bytes <= $5::bigint
ORDER BY nth

-- name: tool_put
INSERT INTO {schema}.agent_tools (name, description, input_schema, queue, needs, approval, timeout, attempts_max, retry_jitter, concurrency,
                                   arguments, metadata, created_at, updated_at, revision, namespace)
SELECT u.name, u.description, u.input_schema, u.queue, u.needs, u.approval, u.timeout, u.attempts_max, u.retry_jitter, u.concurrency,
       u.arguments, u.metadata, u.created_at, u.updated_at, u.revision, u.namespace
FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::text[], $5::bytea[], $6::text[], $7::bigint[], $8::bigint[], $9::double precision[],
            $10::bigint[], $11::bytea[], $12::bytea[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[])
     AS u (name, description, input_schema, queue, needs, approval, timeout, attempts_max, retry_jitter, concurrency, arguments, metadata, created_at,
           updated_at, revision, namespace)
ON CONFLICT (namespace, name) DO NOTHING
RETURNING namespace

-- name: tool_read
SELECT {part.agent_tool_columns}
FROM {schema}.agent_tools t WHERE t.namespace = $1::integer AND t.name = ANY($2::text[])

-- name: tool_replace
-- The caller holds the row.
UPDATE {schema}.agent_tools AS t
SET description = u.description, input_schema = u.input_schema, queue = u.queue, needs = u.needs, approval = u.approval, timeout = u.timeout,
    attempts_max = u.attempts_max, retry_jitter = u.retry_jitter, concurrency = u.concurrency, arguments = u.arguments, metadata = u.metadata,
    updated_at = u.updated_at, revision = u.revision
FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::text[], $5::bytea[], $6::text[], $7::bigint[], $8::bigint[], $9::double precision[],
            $10::bigint[], $11::bytea[], $12::bytea[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[])
     AS u (name, description, input_schema, queue, needs, approval, timeout, attempts_max, retry_jitter, concurrency, arguments, metadata, created_at,
           updated_at, revision, namespace)
WHERE t.namespace = u.namespace AND t.name = u.name
