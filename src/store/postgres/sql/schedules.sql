-- name: schedule_count
SELECT count(*)
FROM {schema}.schedules s
WHERE ($1::integer IS NULL OR s.namespace = $1::integer) AND ($2::text IS NULL OR s.queue = $2::text)
  AND ($3::text IS NULL OR s.type = $3::text) AND ($4::boolean IS NULL OR s.enabled = $4::boolean)

-- name: schedule_delete
DELETE FROM {schema}.schedules WHERE id = $1::bigint

-- name: schedule_due
-- The earliest first; one more than may be dealt with tells whether there is more. A buffered fire whose job before it still lives is left
-- out: it would only stand in the way of others. Columns as read_rows.h says.
SELECT s.id, s.namespace, s.name, s.enabled, s.created_at, s.updated_at, s.next_fire_at, s.last_fired_at, s.caught_up_to, s.buffered, s.last_job, s.fired, s.skipped, s.revision, s.spec, s.payload
FROM {schema}.schedules s
JOIN (
  SELECT d.id, min(d.at) AS at
  FROM (
    (SELECT id, due_at AS at FROM {schema}.schedules WHERE due_at <= {schema}.now_ms() ORDER BY due_at, id LIMIT $1::bigint)
    UNION ALL
    (SELECT b.id, b.buffered FROM {schema}.schedules b
     WHERE b.buffered IS NOT NULL AND b.enabled AND b.buffered <= {schema}.now_ms()
       AND NOT EXISTS (SELECT 1 FROM {schema}.waiting w WHERE w.id = b.last_job)
       AND NOT EXISTS (SELECT 1 FROM {schema}.running r WHERE r.id = b.last_job)
     ORDER BY b.buffered, b.id LIMIT $1::bigint)) AS d
  GROUP BY d.id) AS d ON d.id = s.id
ORDER BY d.at, s.id LIMIT $1::bigint

-- name: schedule_due_next
SELECT min(due_at) FROM {schema}.schedules WHERE due_at > {schema}.now_ms()

-- name: schedule_lock
SELECT s.id, s.namespace, s.name, s.enabled, s.created_at, s.updated_at, s.next_fire_at, s.last_fired_at, s.caught_up_to, s.buffered, s.last_job, s.fired, s.skipped, s.revision, s.spec, s.payload
FROM {schema}.schedules s WHERE s.namespace = $1::integer AND s.name = $2::text FOR UPDATE

-- name: schedule_page
-- Newest first, below the number $1.
SELECT s.id, s.namespace, s.name, s.enabled, s.created_at, s.updated_at, s.next_fire_at, s.last_fired_at, s.caught_up_to, s.buffered, s.last_job, s.fired, s.skipped, s.revision, s.spec, s.payload
FROM {schema}.schedules s
WHERE s.id < $1::bigint AND ($2::integer IS NULL OR s.namespace = $2::integer) AND ($3::text IS NULL OR s.queue = $3::text)
  AND ($4::text IS NULL OR s.type = $4::text) AND ($5::boolean IS NULL OR s.enabled = $5::boolean)
ORDER BY s.id DESC LIMIT $6::bigint

-- name: schedule_put
-- Columns of the answer: the number, if the name was free.
INSERT INTO {schema}.schedules (namespace, name, queue, type, enabled, due_at, created_at, updated_at, next_fire_at, last_fired_at, caught_up_to,
                                buffered, last_job, fired, skipped, revision, spec, payload)
VALUES ($1::integer, $2::text, $3::text, $4::text, $5::boolean, $6::bigint, $7::bigint, $8::bigint, $9::bigint, $10::bigint, $11::bigint,
        $12::bigint, $13::bigint, $14::bigint, $15::bigint, $16::bigint, $17::text, $18::bytea)
ON CONFLICT (namespace, name) DO NOTHING
RETURNING id

-- name: schedule_read
-- Columns as schedules.cc says.
SELECT s.id, s.namespace, s.name, s.enabled, s.created_at, s.updated_at, s.next_fire_at, s.last_fired_at, s.caught_up_to, s.buffered, s.last_job, s.fired, s.skipped, s.revision, s.spec, s.payload
FROM {schema}.schedules s WHERE s.namespace = $1::integer AND s.name = ANY($2::text[])

-- name: schedule_replace
-- All but the number, the name and created_at. The caller holds the row.
UPDATE {schema}.schedules
SET queue = $3::text, type = $4::text, enabled = $5::boolean, due_at = $6::bigint, updated_at = $8::bigint, next_fire_at = $9::bigint,
    last_fired_at = $10::bigint, caught_up_to = $11::bigint, buffered = $12::bigint, last_job = $13::bigint, fired = $14::bigint,
    skipped = $15::bigint, revision = $16::bigint, spec = $17::text, payload = $18::bytea
WHERE namespace = $1::integer AND name = $2::text AND created_at = $7::bigint
