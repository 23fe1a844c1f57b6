-- name: plan_count
SELECT count(*) FROM {schema}.plans WHERE namespace = $1::integer

-- name: plan_delete
DELETE FROM {schema}.plans WHERE id = $1::bigint

-- name: plan_list
-- Oldest first. $4: with the text.
SELECT id, name, CASE WHEN $4::boolean THEN text ELSE ''::bytea END, description, tasks, needs, created_at, last_used_at, actions, jobs
FROM {schema}.plans WHERE namespace = $1::integer ORDER BY id LIMIT $2::bigint OFFSET $3::bigint

-- name: plan_lock
SELECT id, name, text, description, tasks, needs, created_at, last_used_at, actions, jobs
FROM {schema}.plans WHERE namespace = $1::integer AND name = $2::text FOR UPDATE

-- name: plan_needed
-- An action of the plan with a job that is not finished.
SELECT a.name FROM {schema}.actions a
WHERE a.namespace = $1::integer AND a.plan = $2::text AND a.settled_at IS NULL
  AND (EXISTS (SELECT 1 FROM unnest(a.job_keys) AS k (id) JOIN {schema}.waiting w ON w.id = k.id)
       OR EXISTS (SELECT 1 FROM unnest(a.job_keys) AS k (id) JOIN {schema}.running r ON r.id = k.id))
LIMIT 1

-- name: plan_put
INSERT INTO {schema}.plans (namespace, name, text, description, tasks, needs, created_at)
VALUES ($1::integer, $2::text, $3::bytea, $4::bytea, $5::integer, $6::bytea, $7::bigint)
ON CONFLICT (namespace, name) DO NOTHING
RETURNING id

-- name: plan_read
SELECT id, name, text, description, tasks, needs, created_at, last_used_at, actions, jobs
FROM {schema}.plans WHERE namespace = $1::integer AND name = ANY($2::text[])

-- name: plan_replace
UPDATE {schema}.plans SET text = $2::bytea, description = $3::bytea, tasks = $4::integer, needs = $5::bytea WHERE id = $1::bigint

-- name: plan_used
UPDATE {schema}.plans SET last_used_at = $3::bigint, actions = actions + 1, jobs = jobs + $4::bigint
WHERE namespace = $1::integer AND name = $2::text
RETURNING id
