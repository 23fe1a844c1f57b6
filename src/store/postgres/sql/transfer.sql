-- name: transfer_action_put
INSERT INTO {schema}.actions (namespace, name, plan, created_at, jobs, settled_at, completed, failed, dead, cancelled, first_job, last_job,
                              job_keys)
VALUES ($1::integer, $2::text, $3::text, $4::bigint, $5::integer, $6::bigint, $7::bigint, $8::bigint, $9::bigint, $10::bigint, $11::bigint,
        $12::bigint, $13::bigint[])

-- name: transfer_actions
-- Until their keys pass $3 bytes. The keys as one piece of bytes, eight for each.
SELECT s.id, n.name, s.name, s.plan, s.created_at, s.jobs, s.settled_at, s.completed, s.failed, s.dead, s.cancelled,
       (SELECT string_agg(int8send(k.job), ''::bytea ORDER BY k.place) FROM unnest(s.job_keys) WITH ORDINALITY AS k (job, place))
FROM (
  SELECT a.*, sum(a.jobs::bigint * 8) OVER (ORDER BY a.id) - a.jobs::bigint * 8 AS before
  FROM (SELECT * FROM {schema}.actions WHERE id > $1::bigint ORDER BY id LIMIT $2::bigint) AS a
) AS s
JOIN {schema}.namespaces n ON n.id = s.namespace
WHERE s.before < $3::bigint ORDER BY s.id

-- name: transfer_analyze
-- The planner has not seen these tables full yet. A role that does not own them leaves it to autovacuum.
ANALYZE {schema}.waiting, {schema}.running, {schema}.dead, {schema}.history, {schema}.wishes, {schema}.workers, {schema}.lanes

-- name: transfer_beats
-- Live workers are as good as seen: they get their full time to be heard.
INSERT INTO {schema}.beats AS b (worker, seen_at, completed, failed, stats)
SELECT id, {schema}.now_ms(), completed, failed, stats FROM {schema}.workers WHERE state < {worker.offline} ORDER BY id
ON CONFLICT (worker) DO UPDATE SET seen_at = excluded.seen_at, completed = excluded.completed, failed = excluded.failed, stats = excluded.stats

-- name: transfer_begin
-- Everything a copy reads is of one instant, even when nodes work on it.
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY

-- name: transfer_bonds
-- A bond whose worker is gone binds nobody.
SELECT s.queue, s.key, n.name, q.name, w.name
FROM {schema}.sticky s
JOIN {schema}.queues q ON q.id = s.queue
JOIN {schema}.namespaces n ON n.id = q.namespace
JOIN {schema}.workers w ON w.id = s.worker
WHERE (s.queue, s.key) > ($1::bigint, $2::bytea) ORDER BY s.queue, s.key LIMIT $3::bigint

-- name: transfer_bonds_put
INSERT INTO {schema}.sticky (queue, key, worker) SELECT * FROM unnest($1::integer[], $2::bytea[], $3::integer[])

-- name: transfer_bookmark
SELECT value FROM {schema}.meta WHERE name = $1::text

-- name: transfer_bookmark_put
-- Only while it is where this copy left it: two at a time would both believe that the target is theirs.
INSERT INTO {schema}.meta AS m (name, value) VALUES ($1::text, $2::text)
ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE m.value = $3::text
RETURNING m.name

-- name: transfer_clear
-- Every store begins with one, which the source has too.
DELETE FROM {schema}.namespaces

-- name: transfer_counts
-- In the order of transfer::Kind, and as the statements of each kind find them.
SELECT (SELECT count(*) FROM {schema}.namespaces), (SELECT count(*) FROM {schema}.queues), (SELECT count(*) FROM {schema}.workers),
       (SELECT count(*) FROM {schema}.sticky s JOIN {schema}.workers w ON w.id = s.worker),
       (SELECT count(*) FROM {schema}.waiting) + (SELECT count(*) FROM {schema}.running) + (SELECT count(*) FROM {schema}.dead)
         + (SELECT count(*) FROM {schema}.history),
       (SELECT count(*) FROM {schema}.idempotency), (SELECT count(*) FROM {schema}.dependencies),
       (SELECT count(*) FROM {schema}.plans), (SELECT count(*) FROM {schema}.actions), (SELECT count(*) FROM {schema}.keys),
       (SELECT count(*) FROM {schema}.key_items), (SELECT count(*) FROM {schema}.key_fields), (SELECT count(*) FROM {schema}.key_scores),
       (SELECT count(*) FROM {schema}.steps), (SELECT count(*) FROM {schema}.signals), (SELECT count(*) FROM {schema}.schedules),
       (SELECT count(*) FROM {schema}.agents), (SELECT count(*) FROM {schema}.agent_tools), (SELECT count(*) FROM {schema}.agent_sessions),
       (SELECT count(*) FROM {schema}.agent_runs), (SELECT count(*) FROM {schema}.agent_iterations),
       (SELECT count(*) FROM {schema}.agent_executions), (SELECT count(*) FROM {schema}.agent_messages),
       (SELECT count(*) FROM {schema}.agent_compactions), (SELECT count(*) FROM {schema}.agent_archive),
       (SELECT count(*) FROM {schema}.agent_spending), (SELECT count(*) FROM {schema}.agent_blobs)

-- name: transfer_dependencies
SELECT job, after FROM {schema}.dependencies WHERE (job, after) > ($1::bigint, $2::bigint) ORDER BY job, after LIMIT $3::bigint

-- name: transfer_entries
-- Until their values pass $3 bytes.
SELECT s.id, n.name, s.space, s.name, s.type, s.expires_at, s.count, s.head, s.tail, s.value
FROM (
  SELECT k.*, sum(k.size) OVER (ORDER BY k.id) - k.size AS before
  FROM (SELECT *, octet_length(name) + coalesce(octet_length(value), 0) AS size FROM {schema}.keys
        WHERE id > $1::bigint ORDER BY id LIMIT $2::bigint) AS k
) AS s
JOIN {schema}.namespaces n ON n.id = s.namespace
WHERE s.before < $3::bigint ORDER BY s.id

-- name: transfer_entries_numbered
-- New keys get numbers above those that came with the copy.
SELECT setval(pg_get_serial_sequence('{schema}.keys', 'id'), coalesce((SELECT max(id) FROM {schema}.keys), 0) + 1, false)

-- name: transfer_entries_put
INSERT INTO {schema}.keys (id, namespace, space, name, type, expires_at, count, head, tail, value) OVERRIDING SYSTEM VALUE
SELECT * FROM unnest($1::bigint[], $2::integer[], $3::smallint[], $4::bytea[], $5::smallint[], $6::bigint[], $7::bigint[], $8::bigint[],
                     $9::bigint[], $10::bytea[])

-- name: transfer_fair_put
-- A key's finish is the latest of its waiting jobs'; a lane's time (the empty key) is the earliest start of them.
INSERT INTO {schema}.fair AS f (lane, key, finish) SELECT * FROM unnest($1::integer[], $2::bytea[], $3::bigint[])
ON CONFLICT (lane, key) DO UPDATE
SET finish = CASE WHEN f.key = ''::bytea THEN least(f.finish, excluded.finish) ELSE greatest(f.finish, excluded.finish) END

-- name: transfer_fields
-- In the order of their digests, which is the one an index has for all of them. Until they pass $4 bytes.
SELECT s.key, s.place, s.name, s.value
FROM (
  SELECT i.*, sum(octet_length(i.name) + octet_length(i.value)) OVER (ORDER BY i.key, i.place) - (octet_length(i.name) + octet_length(i.value)) AS before
  FROM (SELECT *, sha256(name) AS place FROM {schema}.key_fields
        WHERE (key, sha256(name)) > ($1::bigint, $2::bytea) ORDER BY key, sha256(name) LIMIT $3::bigint) AS i
) AS s
WHERE s.before < $4::bigint ORDER BY s.key, s.place

-- name: transfer_fields_put
INSERT INTO {schema}.key_fields (key, name, value) SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bytea[])

-- name: transfer_finished_put
-- To history, or among the dead.
WITH asked AS (
  SELECT *
  FROM unnest($1::bigint[], $2::integer[], $3::smallint[], $4::smallint[], $5::bigint[], $6::bigint[], $7::integer[], $8::integer[],
              $9::bigint[], $10::integer[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::text[], $16::bytea[],
              $17::text[], $18::text[], $19::text[], $20::bytea[], $21::smallint[], $22::smallint[], $23::bigint[], $24::bytea[])
       AS u (id, lane, flags, priority, created_at, run_at, attempt, rescues, fence, worker, started_at, expires_at, lease_ms, timeout_ms,
             spec, payload, error, attempts, progress, partial, event, state, finished_at, result)
), buried AS (
  INSERT INTO {schema}.dead (id, finished_at, created_at, run_at, fence, started_at, lane, worker, attempt, rescues, state, flags, priority,
                             event, lease_ms, timeout_ms, expires_at, spec, payload, result, error, attempts, progress, partial)
  SELECT id, finished_at, created_at, run_at, fence, started_at, lane, worker, attempt, rescues, state, flags, priority, event, lease_ms,
         timeout_ms, expires_at, spec, payload, result, error, attempts, progress, partial
  FROM asked WHERE state = {state.dead}
)
INSERT INTO {schema}.history (id, finished_at, created_at, run_at, fence, started_at, lane, worker, attempt, rescues, state, flags, priority,
                              event, lease_ms, timeout_ms, expires_at, spec, payload, result, error, attempts, progress, partial)
SELECT id, finished_at, created_at, run_at, fence, started_at, lane, worker, attempt, rescues, state, flags, priority, event, lease_ms,
       timeout_ms, expires_at, spec, payload, result, error, attempts, progress, partial
FROM asked WHERE state <> {state.dead}

-- name: transfer_items
-- Until their values pass $4 bytes.
SELECT s.key, s.position, s.value
FROM (
  SELECT i.*, sum(octet_length(i.value)) OVER (ORDER BY i.key, i.position) - octet_length(i.value) AS before
  FROM (SELECT * FROM {schema}.key_items WHERE (key, position) > ($1::bigint, $2::bigint) ORDER BY key, position LIMIT $3::bigint) AS i
) AS s
WHERE s.before < $4::bigint ORDER BY s.key, s.position

-- name: transfer_items_put
INSERT INTO {schema}.key_items (key, position, value) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[])

-- name: transfer_jobs
-- The next jobs by their keys, wherever they are, until their contents pass $3 bytes. First how far that is, by the sizes alone; then the rows.
-- The fixed number tells the planner that it is about few rows: it walks the primary keys side by side.
WITH sized AS MATERIALIZED (
  SELECT s.id, sum(s.size) OVER (ORDER BY s.id) - s.size AS before
  FROM (
    (SELECT id, octet_length(payload) AS size FROM {schema}.waiting WHERE id > $1::bigint ORDER BY id LIMIT {copy.batch})
    UNION ALL (SELECT id, octet_length(payload) FROM {schema}.running WHERE id > $1::bigint ORDER BY id LIMIT {copy.batch})
    UNION ALL (SELECT id, octet_length(payload) + coalesce(octet_length(result), 0) FROM {schema}.dead WHERE id > $1::bigint
               ORDER BY id LIMIT {copy.batch})
    UNION ALL (SELECT id, octet_length(payload) + coalesce(octet_length(result), 0) FROM {schema}.history WHERE id > $1::bigint
               ORDER BY id LIMIT {copy.batch})
    ORDER BY id LIMIT $2::bigint
  ) AS s
), bound AS MATERIALIZED (
  SELECT coalesce(max(id), 0) AS id FROM sized WHERE before < $3::bigint
)
SELECT j.id, n.name, q.name, l.type, j.state, j.flags, j.priority, j.rank, j.run_at, j.created_at, j.event, j.attempt, j.rescues, j.fence,
       w.name, j.started_at, j.finished_at, j.expires_at, j.granted_ms, j.cancel_reason, j.spec, j.payload, j.result, j.error, j.attempts,
       j.progress, j.partial
FROM (
  SELECT id, lane, (CASE WHEN place IN ({place.ready}, {place.key_full}) THEN {state.ready} ELSE {state.scheduled} END)::smallint AS state, flags, priority, rank, run_at, created_at, event, attempt,
         rescues, fence, worker, started_at, NULL::bigint AS finished_at, expires_at, NULL::bigint AS granted_ms,
         NULL::bytea AS cancel_reason, spec, payload, NULL::bytea AS result, error, attempts, progress, partial
  FROM {schema}.waiting WHERE id > $1::bigint AND id <= (SELECT id FROM bound)
  UNION ALL
  SELECT id, lane, {state.running}::smallint, flags, priority, rank, run_at, created_at, {event.claimed}::smallint, attempt, rescues, fence, worker, started_at,
         NULL::bigint, expires_at, CASE WHEN NOT lapsed THEN granted_ms END, cancel_reason, spec, payload, NULL::bytea, error, attempts,
         progress, partial
  FROM {schema}.running WHERE id > $1::bigint AND id <= (SELECT id FROM bound)
  UNION ALL
  SELECT id, lane, state, flags, priority, NULL::bigint, run_at, created_at, event, attempt, rescues, fence, worker, started_at, finished_at,
         expires_at, NULL::bigint, NULL::bytea, spec, payload, result, error, attempts, progress, partial
  FROM {schema}.dead WHERE id > $1::bigint AND id <= (SELECT id FROM bound)
  UNION ALL
  SELECT id, lane, state, flags, priority, NULL::bigint, run_at, created_at, event, attempt, rescues, fence, worker, started_at, finished_at,
         expires_at, NULL::bigint, NULL::bytea, spec, payload, result, error, attempts, progress, partial
  FROM {schema}.history WHERE id > $1::bigint AND id <= (SELECT id FROM bound)
) AS j
LEFT JOIN {schema}.lanes l ON l.id = j.lane
LEFT JOIN {schema}.queues q ON q.id = l.queue
LEFT JOIN {schema}.namespaces n ON n.id = q.namespace
LEFT JOIN {schema}.workers w ON w.id = j.worker
ORDER BY j.id

-- name: transfer_keys
SELECT i.namespace, i.key, n.name, i.job
FROM {schema}.idempotency i JOIN {schema}.namespaces n ON n.id = i.namespace
WHERE (i.namespace, i.key) > ($1::bigint, $2::bytea) ORDER BY i.namespace, i.key LIMIT $3::bigint

-- name: transfer_keys_put
INSERT INTO {schema}.idempotency (namespace, key, job) SELECT * FROM unnest($1::integer[], $2::bytea[], $3::bigint[])

-- name: transfer_lanes_put
INSERT INTO {schema}.lanes (queue, type, needs, special)
SELECT u.queue, u.type, u.needs, u.special
FROM unnest($1::integer[], $2::text[], $3::bytea[], $4::boolean[]) WITH ORDINALITY AS u (queue, type, needs, special, ord) ORDER BY u.ord
RETURNING id, queue, type, needs, special

-- name: transfer_leases
-- Leases begin anew with the store; those that were over stay over.
UPDATE {schema}.running SET lease_until = {schema}.now_ms() + CASE WHEN lapsed THEN 0 ELSE granted_ms END

-- name: transfer_living_node
-- A node that was heard within the last $1 milliseconds, and how long ago.
SELECT name, {schema}.now_ms() - seen_at FROM {schema}.nodes WHERE seen_at > {schema}.now_ms() - $1::bigint ORDER BY seen_at DESC LIMIT 1

-- name: transfer_meta_put
UPDATE {schema}.meta SET value = $2::text WHERE name = $1::text

-- name: transfer_namespaces
SELECT id, name, description, created_at, display_name, enabled, coalesce(updated_at, created_at) FROM {schema}.namespaces WHERE id > $1::bigint ORDER BY id LIMIT $2::bigint

-- name: transfer_namespaces_put
INSERT INTO {schema}.namespaces (name, description, created_at, display_name, enabled, updated_at)
SELECT u.name, u.description, u.created_at, u.display_name, u.enabled, u.updated_at
FROM unnest($1::text[], $2::bytea[], $3::bigint[], $4::bytea[], $5::boolean[], $6::bigint[])
     WITH ORDINALITY AS u (name, description, created_at, display_name, enabled, updated_at, ord)
ORDER BY u.ord
RETURNING id, name

-- name: transfer_numbers
SELECT (SELECT value FROM {schema}.meta WHERE name = 'salt'), coalesce(pg_sequence_last_value('{schema}.job_keys'::regclass) + 1, 1),
       coalesce(pg_sequence_last_value('{schema}.fences'::regclass) + 1, 1)

-- name: transfer_numbers_put
-- The next job key and the next fence, unless the numbers are there already.
SELECT CASE WHEN $1::bigint > 1 THEN setval('{schema}.job_keys', $1::bigint - 1) END,
       CASE WHEN $2::bigint > 1 THEN setval('{schema}.fences', $2::bigint - 1) END

-- name: transfer_open_day
-- A partition of history for the day that muster.day numbers (prune_day_name.sql), so that it can be dropped whole one day. Without the
-- rights, or with rows of that day in the default partition, these stay there.
DO $do$
DECLARE
  day_ms CONSTANT bigint := 86400000;
  starts CONSTANT bigint := current_setting('muster.day')::bigint * day_ms;
  name CONSTANT text := 'history_' || to_char(to_timestamp(starts / 1000) AT TIME ZONE 'UTC', 'YYYYMMDD');
BEGIN
  IF to_regclass(format('{schema}.%I', name)) IS NULL THEN
    EXECUTE format('CREATE TABLE {schema}.%I (LIKE {schema}.history INCLUDING ALL)', name);
    EXECUTE format('ALTER TABLE {schema}.history ATTACH PARTITION {schema}.%I FOR VALUES FROM (%s) TO (%s)', name, starts, starts + day_ms);
  END IF;
EXCEPTION
  WHEN insufficient_privilege OR check_violation OR duplicate_table OR invalid_object_definition THEN NULL;
END
$do$

-- name: transfer_pending
-- How many unfinished jobs each of these waits for.
UPDATE {schema}.wishes w SET pending = (SELECT count(*) FROM {schema}.dependencies d WHERE d.job = w.job) WHERE w.job = ANY($1::bigint[])

-- name: transfer_placeable
-- Ready jobs whose place depends on others: on who lives, and on keys that are held.
SELECT w.id
FROM {schema}.waiting w JOIN {schema}.wishes s ON s.job = w.id
WHERE w.id > $1::bigint AND w.place IN ({place.ready}, {place.key_full}) AND (s.concurrency_key IS NOT NULL OR s.sticky_key IS NOT NULL OR s.prefer IS NOT NULL)
ORDER BY w.id LIMIT $2::bigint

-- name: transfer_plans
-- Until their texts pass $3 bytes.
SELECT s.id, s.namespace_name, s.name, s.text, s.description, s.tasks, s.needs, s.created_at, s.last_used_at, s.actions, s.jobs
FROM (
  SELECT p.*, sum(octet_length(p.text)) OVER (ORDER BY p.id) - octet_length(p.text) AS before
  FROM (SELECT p.*, n.name AS namespace_name FROM {schema}.plans p JOIN {schema}.namespaces n ON n.id = p.namespace
        WHERE p.id > $1::bigint ORDER BY p.id LIMIT $2::bigint) AS p
) AS s
WHERE s.before < $3::bigint ORDER BY s.id

-- name: transfer_plans_put
INSERT INTO {schema}.plans (namespace, name, text, description, tasks, needs, created_at, last_used_at, actions, jobs)
SELECT u.namespace, u.name, u.text, u.description, u.tasks, u.needs, u.created_at, u.last_used_at, u.actions, u.jobs
FROM unnest($1::integer[], $2::text[], $3::bytea[], $4::bytea[], $5::integer[], $6::bytea[], $7::bigint[], $8::bigint[], $9::bigint[],
            $10::bigint[])
     WITH ORDINALITY AS u (namespace, name, text, description, tasks, needs, created_at, last_used_at, actions, jobs, ord)
ORDER BY u.ord

-- name: transfer_queues
SELECT q.id, n.name, q.name, q.settings
FROM {schema}.queues q JOIN {schema}.namespaces n ON n.id = q.namespace
WHERE q.id > $1::bigint ORDER BY q.id LIMIT $2::bigint

-- name: transfer_queues_put
INSERT INTO {schema}.queues (namespace, name, settings, gated)
SELECT u.namespace, u.name, u.settings, u.gated
FROM unnest($1::integer[], $2::text[], $3::bytea[], $4::boolean[]) WITH ORDINALITY AS u (namespace, name, settings, gated, ord)
ORDER BY u.ord
RETURNING id, namespace, name

-- name: transfer_running_put
-- Their leases begin when everything is in (transfer_leases.sql).
INSERT INTO {schema}.running (id, rank, created_at, run_at, fence, started_at, lease_until, granted_ms, lane, worker, attempt, rescues, flags,
                              priority, special, own_ttl, lapsed, counted, lease_ms, timeout_ms, times_out_at, expires_at, spec, payload,
                              error, attempts, progress, partial, cancel_reason)
SELECT u.id, u.rank, u.created_at, u.run_at, u.fence, u.started_at, {schema}.now_ms(), u.granted_ms, u.lane, u.worker, u.attempt, u.rescues,
       u.flags, u.priority, u.special, u.own_ttl, u.lapsed, u.counted, u.lease_ms, u.timeout_ms, u.started_at + u.timeout_ms, u.expires_at,
       u.spec, u.payload, u.error, u.attempts, u.progress, u.partial, u.cancel_reason
FROM unnest($1::bigint[], $2::integer[], $3::smallint[], $4::smallint[], $5::bigint[], $6::bigint[], $7::integer[], $8::integer[],
            $9::bigint[], $10::integer[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::text[], $16::bytea[], $17::text[],
            $18::text[], $19::text[], $20::bytea[], $21::bigint[], $22::bigint[], $23::boolean[], $24::boolean[], $25::boolean[],
            $26::boolean[], $27::bytea[])
     AS u (id, lane, flags, priority, created_at, run_at, attempt, rescues, fence, worker, started_at, expires_at, lease_ms, timeout_ms,
           spec, payload, error, attempts, progress, partial, rank, granted_ms, lapsed, own_ttl, counted, special, cancel_reason)

-- name: transfer_schedules
-- Until their contents pass $3 bytes. Columns as read_rows.h says, then the namespace.
SELECT s.id, s.namespace, s.name, s.enabled, s.created_at, s.updated_at, s.next_fire_at, s.last_fired_at, s.caught_up_to, s.buffered, s.last_job, s.fired, s.skipped, s.revision, s.spec, s.payload, n.name
FROM (
  SELECT p.*, sum(octet_length(p.payload)) OVER (ORDER BY p.id) - octet_length(p.payload) AS before
  FROM (SELECT * FROM {schema}.schedules WHERE id > $1::bigint ORDER BY id LIMIT $2::bigint) AS p
) AS s
JOIN {schema}.namespaces n ON n.id = s.namespace
WHERE s.before < $3::bigint ORDER BY s.id

-- name: transfer_scores
-- In the order of their digests, which is the one an index has for all of them. Until they pass $4 bytes.
SELECT s.key, s.place, s.member, s.score
FROM (
  SELECT i.*, sum(octet_length(i.member)) OVER (ORDER BY i.key, i.place) - (octet_length(i.member)) AS before
  FROM (SELECT *, sha256(member) AS place FROM {schema}.key_scores
        WHERE (key, sha256(member)) > ($1::bigint, $2::bytea) ORDER BY key, sha256(member) LIMIT $3::bigint) AS i
) AS s
WHERE s.before < $4::bigint ORDER BY s.key, s.place

-- name: transfer_scores_put
INSERT INTO {schema}.key_scores (key, member, score) SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::double precision[])

-- name: transfer_signals
-- Until their contents pass $4 bytes.
SELECT s.job, s.place, s.flags, s.name, s.data
FROM (
  SELECT p.*, sum(octet_length(p.data)) OVER (ORDER BY p.job, p.place) - octet_length(p.data) AS before
  FROM (SELECT * FROM {schema}.signals WHERE (job, place) > ($1::bigint, $2::bigint) ORDER BY job, place LIMIT $3::bigint) AS p
) AS s
WHERE s.before < $4::bigint ORDER BY s.job, s.place

-- name: transfer_steps
-- Until their contents pass $4 bytes. Columns as read_rows.h says, then the namespace of the run.
SELECT s.job, s.place, s.attempt, s.kind, s.state, s.flags, s.begun_at, s.finished_at, s.until, s.fence, s.child, s.worker, s.name,
       s.signal, s.policy, s.error, s.input, s.output, n.name
FROM (
  SELECT p.*, sum(p.size) OVER (ORDER BY p.job, p.place) - p.size AS before
  FROM (SELECT *, coalesce(octet_length(input), 0) + coalesce(octet_length(output), 0) AS size FROM {schema}.steps
        WHERE (job, place) > ($1::bigint, $2::bigint) ORDER BY job, place LIMIT $3::bigint) AS p
) AS s
LEFT JOIN LATERAL (SELECT j.lane FROM {schema}.jobs j WHERE j.id = s.job LIMIT 1) AS j ON true
LEFT JOIN {schema}.lanes l ON l.id = j.lane
LEFT JOIN {schema}.queues q ON q.id = l.queue
LEFT JOIN {schema}.namespaces n ON n.id = q.namespace
WHERE s.before < $4::bigint ORDER BY s.job, s.place

-- name: transfer_waiting_put
INSERT INTO {schema}.waiting (id, rank, created_at, run_at, lane, stand, attempt, rescues, place, flags, priority, event, special, lease_ms,
                              timeout_ms, expires_at, fence, started_at, worker, spec, payload, error, attempts, progress, partial)
SELECT u.id, u.rank, u.created_at, u.run_at, u.lane, u.lane, u.attempt, u.rescues, u.place, u.flags, u.priority, u.event, u.special,
       u.lease_ms, u.timeout_ms, u.expires_at, u.fence, u.started_at, u.worker, u.spec, u.payload, u.error, u.attempts, u.progress, u.partial
FROM unnest($1::bigint[], $2::integer[], $3::smallint[], $4::smallint[], $5::bigint[], $6::bigint[], $7::integer[], $8::integer[],
            $9::bigint[], $10::integer[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::text[], $16::bytea[], $17::text[],
            $18::text[], $19::text[], $20::bytea[], $21::smallint[], $22::bigint[], $23::smallint[], $24::boolean[])
     AS u (id, lane, flags, priority, created_at, run_at, attempt, rescues, fence, worker, started_at, expires_at, lease_ms, timeout_ms,
           spec, payload, error, attempts, progress, partial, event, rank, place, special)

-- name: transfer_workers
-- What a live worker's beats say is newer than its row; an offline one's row has the last word.
SELECT w.id, n.name, w.name, w.session, w.state, w.spec, w.registered_at, coalesce(b.seen_at, w.last_seen_at), w.offline_at, w.offline_cause,
       w.drain_deadline, w.drain_reason, w.drain_origin, coalesce(b.completed, w.completed), coalesce(b.failed, w.failed), coalesce(b.stats, w.stats)
FROM {schema}.workers w
JOIN {schema}.namespaces n ON n.id = w.namespace
LEFT JOIN {schema}.beats b ON b.worker = w.id AND w.state < {worker.offline}
WHERE w.id > $1::bigint ORDER BY w.id LIMIT $2::bigint

-- name: transfer_workers_known
SELECT id, namespace, name, dead_after_ms FROM {schema}.workers ORDER BY id

-- name: transfer_workers_put
-- The session stands for the first revision: later ones come from the same numbers and are greater.
INSERT INTO {schema}.workers (namespace, name, session, state, revision, slots, dead_after_ms, spec, registered_at, last_seen_at, offline_at,
                              offline_cause, drain_deadline, drain_reason, drain_origin, completed, failed, stats)
SELECT u.namespace, u.name, u.session, u.state, u.session, u.slots, u.dead_after_ms, u.spec, u.registered_at, u.last_seen_at, u.offline_at,
       u.offline_cause, u.drain_deadline, u.drain_reason, u.drain_origin, u.completed, u.failed, u.stats
FROM unnest($1::integer[], $2::text[], $3::bigint[], $4::smallint[], $5::integer[], $6::bigint[], $7::text[], $8::bigint[], $9::bigint[],
            $10::bigint[], $11::text[], $12::bigint[], $13::bytea[], $14::smallint[], $15::bigint[], $16::bigint[], $17::bytea[]) WITH ORDINALITY
     AS u (namespace, name, session, state, slots, dead_after_ms, spec, registered_at, last_seen_at, offline_at, offline_cause,
           drain_deadline, drain_reason, drain_origin, completed, failed, stats, ord)
ORDER BY u.ord
RETURNING id, namespace, name, dead_after_ms
