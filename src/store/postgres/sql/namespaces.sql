-- name: namespace_change
-- What is NULL stays.
UPDATE {schema}.namespaces
SET display_name = coalesce($2::bytea, display_name), description = coalesce($3::bytea, description),
    enabled = coalesce($4::boolean, enabled), updated_at = $5::bigint
WHERE id = $1::integer
RETURNING id, name, description, created_at, display_name, enabled, updated_at

-- name: namespace_create
INSERT INTO {schema}.namespaces (name, description, created_at, display_name, enabled, updated_at)
VALUES ($1::text, $2::bytea, $3::bigint, $4::bytea, $5::boolean, $3::bigint)
ON CONFLICT (name) DO NOTHING
RETURNING id

-- name: namespace_delete
DELETE FROM {schema}.namespaces WHERE id = $1::integer

-- name: namespace_delete_keys
WITH gone AS (DELETE FROM {schema}.keys WHERE namespace = $1::integer RETURNING id),
  items AS (DELETE FROM {schema}.key_items WHERE key IN (SELECT id FROM gone)),
  fields AS (DELETE FROM {schema}.key_fields WHERE key IN (SELECT id FROM gone))
DELETE FROM {schema}.key_scores WHERE key IN (SELECT id FROM gone)

-- name: namespace_delete_lanes
WITH gone AS (
  DELETE FROM {schema}.lanes WHERE queue IN (SELECT id FROM {schema}.queues WHERE namespace = $1::integer) RETURNING id
)
DELETE FROM {schema}.fair WHERE lane IN (SELECT id FROM gone)

-- name: namespace_delete_plans
WITH gone AS (
  DELETE FROM {schema}.actions WHERE namespace = $1::integer
)
DELETE FROM {schema}.plans WHERE namespace = $1::integer

-- name: namespace_delete_queues
WITH gone AS (
  DELETE FROM {schema}.queues WHERE namespace = $1::integer RETURNING id
)
DELETE FROM {schema}.sticky WHERE queue IN (SELECT id FROM gone)

-- name: namespace_delete_schedules
DELETE FROM {schema}.schedules WHERE namespace = $1::integer

-- name: namespace_history
-- Did any job with a key above $2 and not above $3 finish in one of these lanes?
SELECT EXISTS (SELECT 1 FROM {schema}.history WHERE id > $2::bigint AND id <= $3::bigint AND lane = ANY($1::integer[]))

-- name: namespace_lanes
SELECT l.id FROM {schema}.lanes l JOIN {schema}.queues q ON q.id = l.queue WHERE q.namespace = $1::integer

-- name: namespace_live
-- Does any job that waits, runs or is dead stand in one of these lanes? And the last key that was given out so far.
SELECT EXISTS (SELECT 1 FROM {schema}.waiting WHERE lane = ANY($1::integer[]))
         OR EXISTS (SELECT 1 FROM {schema}.running WHERE lane = ANY($1::integer[]))
         OR EXISTS (SELECT 1 FROM {schema}.dead WHERE lane = ANY($1::integer[])),
       (SELECT last_value FROM {schema}.job_keys)

-- name: namespace_lock
-- No new job arrives until the commit.
LOCK TABLE {schema}.waiting IN SHARE MODE

-- name: namespace_worker
SELECT name FROM {schema}.workers WHERE namespace = $1::integer ORDER BY name COLLATE "C" LIMIT 1
