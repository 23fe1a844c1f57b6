-- name: action_count
SELECT count(*) FROM {schema}.actions WHERE namespace = $1::integer AND ($2::text IS NULL OR plan = $2::text)

-- name: action_forget
-- Ended long ago.
DELETE FROM {schema}.actions
WHERE id = ANY(ARRAY(SELECT id FROM {schema}.actions WHERE settled_at <= $1::bigint ORDER BY settled_at LIMIT $2::bigint
                     FOR UPDATE SKIP LOCKED))

-- name: action_forget_jobs
-- Finished jobs of open actions are gone: from now on they count here. Counts that are final hold them already.
UPDATE {schema}.actions a
SET completed = a.completed + o.completed, failed = a.failed + o.failed, dead = a.dead + o.dead, cancelled = a.cancelled + o.cancelled
FROM (
  SELECT b.id, count(*) FILTER (WHERE u.outcome = {outcome.completed}) AS completed, count(*) FILTER (WHERE u.outcome = {outcome.failed}) AS failed,
         count(*) FILTER (WHERE u.outcome = {outcome.dead}) AS dead, count(*) FILTER (WHERE u.outcome = {outcome.cancelled}) AS cancelled
  FROM {schema}.actions b
  CROSS JOIN LATERAL unnest(b.job_keys) AS k (job)
  JOIN unnest($1::bigint[], $2::smallint[]) AS u (job, outcome) ON u.job = k.job
  WHERE b.settled_at IS NULL AND b.first_job <= $4::bigint AND b.last_job >= $3::bigint
  GROUP BY b.id
) AS o
WHERE a.id = o.id AND a.settled_at IS NULL

-- name: action_jobs
-- One page of an action's jobs, in the order of its inputs, or backwards.
SELECT k.job FROM {schema}.actions a CROSS JOIN LATERAL unnest(a.job_keys) WITH ORDINALITY AS k (job, place)
WHERE a.id = $1::bigint
ORDER BY CASE WHEN $4::boolean THEN -k.place ELSE k.place END LIMIT $2::bigint OFFSET $3::bigint

-- name: action_known
-- Is there such a plan, and such an action?
SELECT EXISTS (SELECT 1 FROM {schema}.plans WHERE namespace = $1::integer AND name = $2::text),
       EXISTS (SELECT 1 FROM {schema}.actions WHERE namespace = $1::integer AND name = $3::text)

-- name: action_list_newest
SELECT a.id, a.name, a.plan, a.created_at, a.jobs, a.settled_at, a.completed, a.failed, a.dead, a.cancelled,
       o.waiting, o.running, o.completed, o.failed, o.dead, o.cancelled
FROM (SELECT * FROM {schema}.actions WHERE namespace = $1::integer AND ($2::text IS NULL OR plan = $2::text)
      ORDER BY id DESC LIMIT $3::bigint OFFSET $4::bigint) AS a
LEFT JOIN LATERAL {schema}.action_outcomes(a.job_keys, a.created_at) AS o ON a.settled_at IS NULL
ORDER BY a.id DESC

-- name: action_list_oldest
SELECT a.id, a.name, a.plan, a.created_at, a.jobs, a.settled_at, a.completed, a.failed, a.dead, a.cancelled,
       o.waiting, o.running, o.completed, o.failed, o.dead, o.cancelled
FROM (SELECT * FROM {schema}.actions WHERE namespace = $1::integer AND ($2::text IS NULL OR plan = $2::text)
      ORDER BY id LIMIT $3::bigint OFFSET $4::bigint) AS a
LEFT JOIN LATERAL {schema}.action_outcomes(a.job_keys, a.created_at) AS o ON a.settled_at IS NULL
ORDER BY a.id

-- name: action_lock
-- The action that made this job, if it is there: nobody settles it until the commit.
SELECT id, settled_at FROM {schema}.actions
WHERE namespace = $1::integer AND name = $2::text AND $3::bigint = ANY(job_keys) FOR UPDATE

-- name: action_lock_open
-- Held while their jobs are counted, so that none of these starts over unseen. Who is held by somebody else is for a later pass.
SELECT id FROM {schema}.actions WHERE id = ANY($1::bigint[]) AND settled_at IS NULL ORDER BY id FOR UPDATE SKIP LOCKED

-- name: action_open
-- Open actions behind $1, at most $2 of them, and which of these have no live job.
SELECT a.id, NOT EXISTS (SELECT 1 FROM unnest(a.job_keys) AS k (id) JOIN {schema}.waiting w ON w.id = k.id)
         AND NOT EXISTS (SELECT 1 FROM unnest(a.job_keys) AS k (id) JOIN {schema}.running r ON r.id = k.id)
FROM (SELECT id, job_keys FROM {schema}.actions WHERE settled_at IS NULL AND id > $1::bigint ORDER BY id LIMIT $2::bigint) AS a
ORDER BY a.id

-- name: action_put
INSERT INTO {schema}.actions (namespace, name, plan, created_at, jobs, first_job, last_job, job_keys)
VALUES ($1::integer, $2::text, $3::text, $4::bigint, $5::integer, $6::bigint, $7::bigint, $8::bigint[])
ON CONFLICT (namespace, name) DO NOTHING
RETURNING id

-- name: action_read
SELECT a.id, a.name, a.plan, a.created_at, a.jobs, a.settled_at, a.completed, a.failed, a.dead, a.cancelled,
       o.waiting, o.running, o.completed, o.failed, o.dead, o.cancelled
FROM {schema}.actions a
LEFT JOIN LATERAL {schema}.action_outcomes(a.job_keys, a.created_at) AS o ON a.settled_at IS NULL
WHERE a.namespace = $1::integer AND a.name = $2::text

-- name: action_reopen
-- Open again: its jobs count where they are, and here only those that are forgotten.
UPDATE {schema}.actions a
SET settled_at = NULL, completed = greatest(a.completed - o.completed, 0), failed = greatest(a.failed - o.failed, 0),
    dead = greatest(a.dead - o.dead, 0), cancelled = greatest(a.cancelled - o.cancelled, 0)
FROM {schema}.actions b CROSS JOIN LATERAL {schema}.action_outcomes(b.job_keys, b.created_at) AS o
WHERE b.id = $1::bigint AND a.id = b.id

-- name: action_settle
UPDATE {schema}.actions a
SET settled_at = coalesce(o.last_finished_at, $2::bigint), completed = a.completed + o.completed, failed = a.failed + o.failed,
    dead = a.dead + o.dead, cancelled = a.cancelled + o.cancelled
FROM {schema}.actions b CROSS JOIN LATERAL {schema}.action_outcomes(b.job_keys, b.created_at) AS o
WHERE b.id = ANY($1::bigint[]) AND a.id = b.id AND o.waiting + o.running = 0
RETURNING a.id
