-- Open again: its jobs count where they are, and here only those that are forgotten.
UPDATE {schema}.actions a
SET settled_at = NULL, completed = greatest(a.completed - o.completed, 0), failed = greatest(a.failed - o.failed, 0),
    dead = greatest(a.dead - o.dead, 0), cancelled = greatest(a.cancelled - o.cancelled, 0)
FROM {schema}.actions b CROSS JOIN LATERAL {schema}.action_outcomes(b.job_keys, b.created_at) AS o
WHERE b.id = $1::bigint AND a.id = b.id
